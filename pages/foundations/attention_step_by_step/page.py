"""How does a query find its values?"""

from dashboard.frame import page_head, sections
from pages.foundations.attention_step_by_step import dictionary, eight_steps, geometry, words

page_head.head(words.PAGE)
sections.chosen(
    {words.DICTIONARY: dictionary.show, words.STEPS: eight_steps.show, words.GEOMETRY: geometry.show},
    opened_by={words.STEPS: words.STEPS_PARAMETERS, words.GEOMETRY: words.GEOMETRY_PARAMETERS},
    with_own_arrows={words.STEPS},
)()
