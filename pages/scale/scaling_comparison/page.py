"""What does size buy?"""

from dashboard.frame import page_head, sections
from pages.scale.scaling_comparison import (
    calculator,
    images,
    language,
    laws,
    small_data,
    transfer,
    translation,
    words,
    years,
)

page_head.head(words.PAGE)
sections.chosen(
    {
        words.IMAGES: images.show,
        words.TRANSLATION: translation.show,
        words.TRANSFER: transfer.show,
        words.LANGUAGE: language.show,
        words.YEARS: years.show,
        words.LAWS: laws.show,
        words.CALCULATOR: calculator.show,
        words.SMALL: small_data.show,
    }
)()
