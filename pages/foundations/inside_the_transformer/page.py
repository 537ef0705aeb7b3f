"""What happens between input and output?"""

from collections.abc import Callable
from functools import partial

from dashboard.frame import page_head, sections
from pages.foundations.inside_the_transformer import kinds, lens, sizes, stream, walk, words
from pages.foundations.inside_the_transformer.inputs import show_walk

SECTIONS: dict[str, Callable[[], None]] = {
    words.WALK: partial(show_walk, walk.show),
    words.STREAM: partial(show_walk, stream.show),
    words.LENS: partial(show_walk, lens.show),
    words.SIZES: partial(show_walk, sizes.show),
    words.KINDS: kinds.show,
}

page_head.head(words.INSIDE)
sections.chosen(SECTIONS)()
