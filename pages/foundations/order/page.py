"""How does a set know its order?"""

from dashboard import layout
from pages.foundations.order import parts
from pages.foundations.order import words as words_order

layout.head(words_order.ORDER)
parts.chosen()()
