"""Maps."""

from dataclasses import replace

from dashboard.references import CARON, DARCET, DOSOVITSKIY, JAIN
from pages.vision.vision_transformer.words import VISION

HOW_FAR = "How far does each head look?"
HOW_FAR_ABOUT = (
    "For each patch the distances to all patches are averaged with its weights, then patches are averaged. Tokens "
    "without a place (class, distillation, registers) neither ask nor answer here: what goes to them is left out, and "
    "the rest of each row is made to sum to 1 again. A convolution of 3 × 3 patches would stay at about one patch."
)
LEFT_OUT = (
    "{layers} of {total} attention layers {are} not in the chooser ({paths}): there {who} alone looks at the patches, "
    "to sum them up for the head. It has no place in the grid of patches; its weights are in the file below."
)
CLASS_TOKEN, OWN_VECTOR = "the {token} token", "a vector of the head's own, no token of the picture,"
OTHER_GRIDS = (
    "{layers} of {total} attention layers {are} not in the chooser ({paths}): there patches look at a grid of another "
    "size. The weights are in the file below."
)
FORMULA = (
    "*q* and *k* are the vectors of one head, recorded inside the model as it ran. Above a size they are sent to your "
    "browser instead of the map, as 16-bit numbers, and each row is computed there when you point at it. *keep the "
    "top* takes the largest weights on the picture until they hold that share of all that falls on it."
)
NOTES = replace(
    VISION,
    try_this=(
        "Click a patch of the object, then one of the background. Do they look at their own kind, and from which layer "
        "on?",
        "Go through the layers with the arrows beside the chooser. When do the heads stop looking at their neighbours?",
        "Keep the top 60% of the mass, as the figures of DINO do: which heads outline the object, and is it the same "
        "ones for another photograph?",
        "Set *Patches on a side* to its largest: the model was trained with few patches. Do its heads look the same "
        "distance in pixels, or in patches?",
    ),
    references=(DOSOVITSKIY, CARON, DARCET, JAIN),
)
