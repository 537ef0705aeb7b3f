"""What can be removed?"""

from dashboard import layout, sections
from pages.scale.shrinking import bits, distilled, heads, words

layout.head(words.PAGE)
sections.chosen({words.HEADS: heads.show, words.BITS: bits.show, words.DISTILLED: distilled.show})()
