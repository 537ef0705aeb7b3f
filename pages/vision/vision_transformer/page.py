"""How does a picture become a sequence?"""

from dashboard.frame import sections
from pages.vision.vision_transformer import change, explain, maps, measured, sequence
from pages.vision.vision_transformer.prose import PAGE

sections.show(PAGE, sequence, maps, explain, change, measured)
