"""Do words and picture agree?"""

from dashboard.frame import page_head, sections
from pages.words_and_pictures.clip import agreement, classes, grounded, measured, search, space, why
from pages.words_and_pictures.clip.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        agreement.SECTION.name: agreement.show,
        classes.SECTION.name: classes.show,
        why.SECTION.name: why.show,
        search.SECTION.name: search.show,
        space.SECTION.name: space.show,
        grounded.SECTION.name: grounded.show,
        measured.SECTION.name: measured.show,
    }
)()
