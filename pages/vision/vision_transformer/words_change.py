"""Change it: what is said about silent heads, hidden patches and what they are worth."""

from dataclasses import replace

from dashboard.references import DOSOVITSKIY, MICHEL, NASEER, ZEILER
from pages.vision.vision_transformer.words import VISION

HIDE = "Click patches to hide them, and click them again to show them."
HIDDEN = (
    "A hidden patch is painted in the mean colour of all training pictures, which is 0 for the model: it still is a "
    "token with a place, but an empty one."
)
SQUARES = (
    "This network has no patches: what can be hidden here are squares of {high} × {wide} pixels, as many as its last "
    "feature map has places. A hidden one is painted in the mean colour of all training pictures, which is 0 for it."
)
NO_HEADS = "This network has no attention heads to silence: it consists of convolutions."
NO_CLASSES = (
    "**{title}** ends with vectors and names no class, so there is no verdict that could change. Choose a model with "
    "classes. What its heads look at is to be seen in Maps."
)
HEADS_HELP = "A silenced head adds nothing: its attention weights are 0."
OFFER = (
    "Hide {what} in turn, {count} times in all, each time with everything else in place, and see what **{target}** "
    "loses."
)
LEARNED_NOTHING = (
    "A patch that could be hidden alone without loss may still matter: its neighbours often show the same."
)
FORMULA = (
    "*H* are the hidden patches, *S* the silenced heads. For the map above, *H* is one square at a time and *S* is "
    "empty, and what is drawn is the first probability minus the second (Zeiler and Fergus 2014, section 4.2, slid a "
    "grey square over the picture in the same way)."
)
NOTES = replace(
    VISION,
    try_this=(
        "Hide what you think the verdict rests on. Does it change? Then hide everything else instead.",
        "Find the patch that matters most, hide it, and look whether another one takes its place.",
        "Silence whole layers, one by one. The first or the last: which does the model miss more?",
        "Hide the same part in a convolutional network. Who forgives more?",
    ),
    references=(ZEILER, MICHEL, NASEER, DOSOVITSKIY),
)
