"""How does a set know its order?"""

from dashboard import layout, words
from dashboard.order import parts

layout.head(words.ORDER)
parts.chosen()()
