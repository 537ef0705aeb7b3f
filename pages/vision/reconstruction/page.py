"""What can be told from a few patches?"""

from dashboard.frame import sections
from pages.vision.reconstruction import gaps, looking_up, measured, pixels, side_by_side, sources
from pages.vision.reconstruction.prose import PAGE

sections.show(PAGE, gaps, sources, pixels, looking_up, side_by_side, measured)
