"""Does attention explain a prediction?"""

from dashboard.frame import sections
from pages.language.sentiment import compared, faithful, fooled, read, swap_it
from pages.language.sentiment.prose import PAGE

sections.show(PAGE, read, faithful, swap_it, fooled, compared)
