"""What is far away and still attended to?"""

from dashboard.frame import page_head, sections
from pages.explore.long_text import book_map, forgetting, how_far, matters, needles
from pages.explore.long_text.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        book_map.SECTION.name: book_map.show,
        how_far.SECTION.name: how_far.show,
        matters.SECTION.name: matters.show,
        needles.SECTION.name: needles.needles,
        forgetting.SECTION.name: forgetting.forgetting,
    }
)()
