"""What happens between input and output?"""

from collections.abc import Callable
from functools import partial

from dashboard.frame import page_head, sections
from pages.foundations.inside_the_transformer import kinds, lens, sizes, stream, walk
from pages.foundations.inside_the_transformer.inputs import show_walk
from pages.foundations.inside_the_transformer.prose import PAGE

SECTIONS: dict[str, Callable[[], None]] = {
    walk.SECTION.name: partial(show_walk, walk.show),
    stream.SECTION.name: partial(show_walk, stream.show),
    lens.SECTION.name: partial(show_walk, lens.show),
    sizes.SECTION.name: partial(show_walk, sizes.show),
    kinds.SECTION.name: kinds.show,
}

page_head.head(PAGE)
sections.chosen(SECTIONS)()
