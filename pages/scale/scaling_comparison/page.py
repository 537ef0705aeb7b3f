"""What does size buy?"""

from dashboard.frame import sections
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

sections.show(PAGE, images, translation, transfer, language, years, laws, calculator, small_data)
