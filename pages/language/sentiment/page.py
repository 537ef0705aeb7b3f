"""Does attention explain a prediction?"""

from dashboard.frame import page_head, sections
from pages.language.sentiment import compared, faithful, fooled, read, swap_it
from pages.language.sentiment.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        read.SECTION.name: read.show,
        faithful.SECTION.name: faithful.show,
        swap_it.SECTION.name: swap_it.show,
        fooled.SECTION.name: fooled.show,
        compared.SECTION.name: compared.show,
    }
)()
