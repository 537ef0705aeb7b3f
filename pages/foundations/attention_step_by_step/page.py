"""How does a query find its values?"""

from dashboard.frame import sections
from pages.foundations.attention_step_by_step import dictionary, eight_steps, geometry
from pages.foundations.attention_step_by_step.prose import PAGE

sections.show(
    PAGE,
    dictionary,
    eight_steps,
    geometry,
    opened_by={eight_steps.SECTION.name: eight_steps.PARAMETERS, geometry.SECTION.name: geometry.PARAMETERS},
    with_own_arrows={eight_steps.SECTION.name},
)
