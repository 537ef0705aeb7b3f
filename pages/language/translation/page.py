"""Which word does each word come from?"""

from dashboard.frame import sections
from pages.language.translation import (
    any_model,
    cut_a_link,
    measured_quality,
    three_translators,
    word_by_word,
    your_own_pair,
)
from pages.language.translation.prose import PAGE

sections.show(PAGE, three_translators, word_by_word, your_own_pair, cut_a_link, measured_quality, any_model)
