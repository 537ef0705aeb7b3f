"""Do words and picture agree?"""

from dashboard.frame import page_head, sections
from pages.words_and_pictures.clip import agreement, classes, grounded, measured, search, space, why, words

page_head.head(words.PAGE)
sections.chosen(
    {
        words.AGREEMENT: agreement.show,
        words.CLASSES: classes.show,
        words.WHY: why.show,
        words.SEARCH: search.show,
        words.SPACE: space.show,
        words.GROUNDED: grounded.show,
        words.MEASURED: measured.show,
    }
)()
