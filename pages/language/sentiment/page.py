"""Does attention explain a prediction?"""

from dashboard.frame import page_head, sections
from pages.language.sentiment import compared, faithful, fooled, read, swap_it, words

page_head.head(words.PAGE)
sections.chosen(
    {
        words.READ: read.show,
        words.FAITHFUL: faithful.show,
        words.SWAP: swap_it.show,
        words.FOOLED: fooled.show,
        words.COMPARED: compared.show,
    }
)()
