"""What each head of a model does, what is lost without it, and what all of them make together."""

from collections.abc import Callable

from dashboard import typeset
from dashboard.frame import layout, page_head, sections
from dashboard.recordings import notices
from dashboard.recordings.watched import WatchedText
from pages.foundations.many_heads import added_up, inputs, measured, silenced, together
from pages.foundations.many_heads.prose import FORMER_NAMES, PAGE

page_head.head(PAGE)
offered: dict[str, Callable[..., None]] = {
    measured.SECTION.name: measured.show,
    silenced.SECTION.name: silenced.show,
    added_up.SECTION.name: added_up.show,
    together.SECTION.name: together.show,
}
show = sections.chosen(offered, former_names=FORMER_NAMES)
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
