"""What is far away and still attended to?"""

from dashboard.frame import sections
from pages.explore.long_text import book_map, forgetting, how_far, matters, needles
from pages.explore.long_text.prose import PAGE

sections.show(PAGE, book_map, how_far, matters, needles, forgetting)
