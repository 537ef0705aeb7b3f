"""Which word looks where?"""

from dashboard.frame import sections
from pages.words_and_pictures.captioning import any_model, beam, grounded, measured, one_step, own, write
from pages.words_and_pictures.captioning.prose import PAGE

sections.show(PAGE, write, own, beam, one_step, grounded, measured, any_model)
