"""How does a set know its order?"""

from dashboard.frame import page_head, sections
from pages.foundations.order import beyond, learned, relative, shuffle, waves
from pages.foundations.order.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        shuffle.SECTION.name: shuffle.show,
        waves.SECTION.name: waves.show,
        learned.SECTION.name: learned.show,
        relative.SECTION.name: relative.show,
        beyond.SECTION.name: beyond.show,
    }
)()
