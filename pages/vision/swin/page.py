"""What do shifted windows see?"""

from dashboard.frame import sections
from pages.vision.swin import maps, position_bias, reach, windows
from pages.vision.swin.prose import PAGE

sections.show(PAGE, windows, maps, position_bias, reach)
