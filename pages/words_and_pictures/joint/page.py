"""Do words look at the picture?"""

from dashboard.frame import page_head, sections
from pages.words_and_pictures.joint import any_model, co_attention, grounded, hidden, match, measured, patches, words

page_head.head(words.PAGE)
sections.chosen(
    {
        words.LOOKS: co_attention.show,
        words.HIDDEN: hidden.show,
        words.PATCHES: patches.show,
        words.MATCH: match.show,
        words.GROUNDED: grounded.show,
        words.MEASURED: measured.show,
        words.OTHERS: any_model.show,
    }
)()
