"""What can be removed?"""

from dashboard.frame import page_head, sections
from pages.scale.shrinking import bits, distilled, heads, specialist, together, weights, words

page_head.head(words.PAGE)
sections.chosen(
    {
        words.HEADS: heads.show,
        words.WEIGHTS: weights.show,
        words.BITS: bits.show,
        words.DISTILLED: distilled.show,
        words.SPECIALIST: specialist.show,
        words.TOGETHER: together.show,
    }
)()
