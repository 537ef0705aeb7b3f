"""The three translators on the page: their order, their names, their colours."""

from core.zoo import TRANSLATION
from dashboard.theme import HUES

TITLES = TRANSLATION
# One hue for each model, the same in every section; by its name and by its title.
HUE = dict(zip(TITLES, (HUES[1], HUES[4], HUES[2]), strict=True))
HUE_OF_TITLE = {TITLES[name]: hue for name, hue in HUE.items()}
