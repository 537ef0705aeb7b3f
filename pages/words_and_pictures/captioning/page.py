"""Which word looks where?"""

from dashboard.frame import page_head, sections
from pages.words_and_pictures.captioning import any_model, beam, grounded, measured, one_step, own, write
from pages.words_and_pictures.captioning.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        write.SECTION.name: write.show,
        own.SECTION.name: own.show,
        beam.SECTION.name: beam.show,
        one_step.SECTION.name: one_step.show,
        grounded.SECTION.name: grounded.show,
        measured.SECTION.name: measured.show,
        any_model.SECTION.name: any_model.show,
    }
)()
