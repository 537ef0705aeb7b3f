"""What can be removed?"""

from dashboard.frame import page_head, sections
from pages.scale.shrinking import bits, distilled, heads, specialist, together, weights
from pages.scale.shrinking.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        heads.SECTION.name: heads.show,
        weights.SECTION.name: weights.show,
        bits.SECTION.name: bits.show,
        distilled.SECTION.name: distilled.show,
        specialist.SECTION.name: specialist.show,
        together.SECTION.name: together.show,
    }
)()
