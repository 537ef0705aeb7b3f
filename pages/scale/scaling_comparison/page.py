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
    years,
)
from pages.scale.scaling_comparison.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        images.SECTION.name: images.show,
        translation.SECTION.name: translation.show,
        transfer.SECTION.name: transfer.show,
        language.SECTION.name: language.show,
        years.SECTION.name: years.show,
        laws.SECTION.name: laws.show,
        calculator.SECTION.name: calculator.show,
        small_data.SECTION.name: small_data.show,
    }
)()
