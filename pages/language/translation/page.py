"""Which word does each word come from?"""

from dashboard.frame import page_head, sections
from pages.language.translation import (
    any_model,
    cut_a_link,
    measured_quality,
    three_translators,
    word_by_word,
    your_own_pair,
)
from pages.language.translation.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        three_translators.SECTION.name: three_translators.show,
        word_by_word.SECTION.name: word_by_word.show,
        your_own_pair.SECTION.name: your_own_pair.show,
        cut_a_link.SECTION.name: cut_a_link.show,
        measured_quality.SECTION.name: measured_quality.show,
        any_model.SECTION.name: any_model.show,
    }
)()
