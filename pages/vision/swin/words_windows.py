"""Windows."""

from dataclasses import replace

from dashboard.references import DOSOVITSKIY, SWIN_TRANSFORMER
from pages.vision.swin.words import SWIN

AS_IT_IS = "**On the photograph.** White lines are the borders of windows: nobody looks across one."
AS_CUT_SHIFTED = "**After the cyclic shift**, as the block cuts it: in a window nobody looks at places of another tint."
AS_CUT = "**As the block cuts it**: it does not shift its windows, so every place may look at all of its window."
CHOOSE = "**All windows**: the share of pairs that may look at one another. Click one."
MASK = "**The mask of window {window}**: which query may look at which key."
MERGING = (
    "Between two stages 2 × 2 neighbours become one place. Their vectors are laid side by side, normalised and mapped "
    "to twice the width. Choose a place of the stage, and see the real numbers."
)
FORMULA = (
    "Swin's even blocks cut the grid into windows from the upper left corner; odd blocks move all windows by half a "
    "window. Instead of smaller windows at the edges, the whole grid is rolled, and a mask of −100 keeps apart what "
    "was not neighbours before. What the grid lacks to a whole number of windows is padding: zeros that are looked at "
    "like any other key, because only the mask is subtracted from scores."
)
NOTES = replace(
    SWIN,
    try_this=(
        "Go from an even block to the odd one after it. Which two neighbours could not look at one another before, and "
        "can now?",
        "Choose the last window of a shifted block. How many colours has it, and how few pairs does the mask leave?",
        "Choose a resolution that does not divide evenly (24 patches on a side) and look at the last stage: how much "
        "of its windows is padding?",
        "Follow one place through merging. Which four neighbours is it made of, and how many pixels of your photograph "
        "does it stand for?",
    ),
    references=(SWIN_TRANSFORMER, DOSOVITSKIY),
)
