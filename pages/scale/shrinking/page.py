"""What can be removed?"""

from dashboard import layout, sections
from pages.scale.shrinking import distilled, words

layout.head(words.PAGE)
sections.chosen({words.DISTILLED: distilled.show})()
