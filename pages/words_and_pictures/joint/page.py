"""Do words look at the picture?"""

from dashboard.frame import sections
from pages.words_and_pictures.joint import any_model, co_attention, grounded, hidden, match, measured, patches
from pages.words_and_pictures.joint.prose import PAGE

sections.show(PAGE, co_attention, hidden, patches, match, grounded, measured, any_model)
