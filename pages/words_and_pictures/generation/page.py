"""Where does a new picture come from?"""

from dashboard.frame import sections
from pages.words_and_pictures.generation import codes, go_on, measured, painted, side_by_side, sources, write
from pages.words_and_pictures.generation.prose import PAGE

sections.show(PAGE, write, sources, go_on, codes, painted, side_by_side, measured)
