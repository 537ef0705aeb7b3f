"""What each head of a model does, what is lost without it, and what all of them make together."""

from collections.abc import Callable

from dashboard import typeset
from dashboard.frame import layout, page_head, sections
from dashboard.recordings import notices
from dashboard.recordings.watched import WatchedText
from pages.foundations.many_heads import added_up, inputs, measured, silenced, together, words

page_head.head(words.HEADS)
offered: dict[str, Callable[..., None]] = {
    "Measured": measured.show,
    words.ABLATED: silenced.show,
    "Added up": added_up.show,
    "Taken together": together.show,
}
show = sections.chosen(offered, former_names=words.FORMER_NAMES)
run = inputs.choose()
with layout.waiting_place():
    watched = run()
if isinstance(watched, WatchedText):
    typeset.show_cut_notice(watched.inputs)
notices.show_unseen(watched.record)
if show is silenced.show:
    show(watched, run=run)
else:
    show(watched)
