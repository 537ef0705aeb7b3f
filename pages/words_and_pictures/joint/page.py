"""Do words look at the picture?"""

from dashboard.frame import page_head, sections
from pages.words_and_pictures.joint import any_model, co_attention, grounded, hidden, match, measured, patches
from pages.words_and_pictures.joint.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        co_attention.SECTION.name: co_attention.show,
        hidden.SECTION.name: hidden.show,
        patches.SECTION.name: patches.show,
        match.SECTION.name: match.show,
        grounded.SECTION.name: grounded.show,
        measured.SECTION.name: measured.show,
        any_model.SECTION.name: any_model.show,
    }
)()
