"""Which word looks where?"""

from dashboard.frame import page_head, sections
from pages.words_and_pictures.captioning import any_model, beam, grounded, measured, one_step, own, words, write

page_head.head(words.PAGE)
sections.chosen(
    {
        words.WRITE: write.show,
        words.OWN: own.show,
        words.BEAM: beam.show,
        words.STEP: one_step.show,
        words.GROUNDED: grounded.show,
        words.MEASURED: measured.show,
        words.OTHERS: any_model.show,
    }
)()
