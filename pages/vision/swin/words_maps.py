"""Maps."""

from dataclasses import replace

from dashboard.references import DOSOVITSKIY, SWIN_TRANSFORMER
from pages.vision.swin.words import SWIN

HOW_FAR = "How far does each head look?"
HOW_FAR_ABOUT = (
    "A head cannot look beyond its window, but within it it may look near or far. One point for each head; the mean "
    "distance, in pixels of the picture as the model takes it, between a place and what it looks at. Windows hold the "
    "same number of places in every stage, and places grow where stages begin: that is why heads look farther."
)
FORMULA = (
    "A window holds *M* × *M* places, and the softmax runs over these alone: each row has {positions} weights that sum "
    "to 1, where global attention would have {tokens:,}. *B* is the position bias of the pair. In shifted blocks the "
    "mask forbids pairs that only the cyclic shift brought together. For the picture, the shift is undone and what "
    "was padded is left out: each weight lies where its key lies."
)
NOTES = replace(
    SWIN,
    try_this=(
        "Click a place near the edge of a window, in a block that is not shifted, and then the same place in the next "
        "block. Where does its window lie now?",
        "Choose *the same place in every window*: do all windows look alike, as a pattern of positions, or does each "
        "follow what is in its part of the photograph?",
        "Choose a shifted block and click a place in the last row. Why does its part of the window end there?",
        "Take more patches on a side. What of a head's pattern stays, and what was only there because of the coarse "
        "grid?",
    ),
    references=(SWIN_TRANSFORMER, DOSOVITSKIY),
)
