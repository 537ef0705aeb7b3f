"""How does a set know its order?"""

from dashboard.frame import sections
from pages.foundations.order import beyond, learned, relative, shuffle, waves
from pages.foundations.order.prose import PAGE

sections.show(PAGE, shuffle, waves, learned, relative, beyond)
