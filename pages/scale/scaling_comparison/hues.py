"""The colour of each family of models, the same in all sections."""

from dashboard.theme import HUES

FAMILY = {
    "convolutional": HUES[3],
    "transformer": HUES[2],
    "hybrid": HUES[5],
    "mixer": HUES[4],
    "recurrent": HUES[0],
    "other": "#8a8f98",
}
# Eight: the seventh hue is too pale for small marks on paper, so games have an olive of Tol's.
FIELD = {
    "language": HUES[0],
    "vision": HUES[2],
    "language and vision": HUES[4],
    "image generation": HUES[3],
    "speech": HUES[5],
    "biology": HUES[1],
    "games": "#999933",
    "other": "#8a8f98",
}
