"""Which word does each word come from?"""

from dashboard.frame import page_head, sections
from pages.language.translation import (
    any_model,
    cut_a_link,
    measured_quality,
    three_translators,
    word_by_word,
    words,
    your_own_pair,
)

page_head.head(words.PAGE)
sections.chosen(
    {
        words.TRANSLATE: three_translators.show,
        words.STEPS: word_by_word.show,
        words.PAIR: your_own_pair.show,
        words.CHANGE: cut_a_link.show,
        words.MEASURED: measured_quality.show,
        words.OTHERS: any_model.show,
    }
)()
