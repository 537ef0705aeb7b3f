"""What is far away and still attended to?"""

from dashboard.frame import page_head, sections
from pages.explore.long_text import book_map, forgetting, how_far, matters, needles
from pages.explore.long_text.words import MAP

page_head.head(MAP)
sections.chosen(
    {
        "Map": book_map.show,
        "How far": how_far.show,
        "Does it matter": matters.show,
        "Needles": needles.needles,
        "Forgetting": forgetting.forgetting,
    }
)()
