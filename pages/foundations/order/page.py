"""How does a set know its order?"""

from dashboard.frame import page_head, sections
from pages.foundations.order import beyond, learned, relative, shuffle, waves
from pages.foundations.order.words import ORDER

page_head.head(ORDER)
sections.chosen(
    {
        "Shuffle": shuffle.show,
        "Waves": waves.show,
        "Learned": learned.show,
        "Relative": relative.show,
        "Beyond training": beyond.show,
    }
)()
