"""Do words and picture agree?"""

from dashboard.frame import sections
from pages.words_and_pictures.clip import agreement, classes, grounded, measured, search, space, why
from pages.words_and_pictures.clip.prose import PAGE

sections.show(PAGE, agreement, classes, why, search, space, grounded, measured)
