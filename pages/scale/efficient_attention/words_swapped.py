"""Swapped in."""

from dataclasses import replace

from dashboard.references import BELTAGY, CHOROMANSKI, LINFORMER, ZAHEER
from pages.scale.efficient_attention.words import EFFICIENT

ABOUT = (
    "The model was trained with exact attention. Here its layers run with another one in its place, and nothing is "
    "trained: the weights stay as they are."
)
ALL = "all layers"
SWEEP = "Measure every method at every setting"
SWEEP_AGAIN = "Measure again"
NOT_ALL = "{done} of {total} settings measured: the button goes on with the rest."
TOO_SHORT = (
    "So short a text has nothing to save: every setting costs more than twice the exact kernel. Read a longer one."
)
SWEPT = (
    "Loss on this text with each method in {layers}, from its cheapest setting to its dearest; the line is the loss "
    "with exact attention. Work counts multiplications of one head on this text; 1 is the fused exact kernel."
)
POSITIONS = (
    "Surprise by position, mean of {width} tokens around it. The gap between the two lines is what the approximation "
    "costs there."
)
MOST = "Where the loss rises most"
NOT_CAUSAL = (
    "Clustered attention and the low-rank bound are not on offer here: they let later tokens have a say in a row, and "
    "a model that predicts those tokens would be told the answer."
)
FORMULA = (
    "The loss is the mean surprise of the tokens after the first, given those before; bits are nats divided by ln 2. "
    "The only difference between the two runs is the product that mixes the values."
)
NOTES = replace(
    EFFICIENT,
    try_this=(
        "Swap one layer at a time. Which layer needs its far links most?",
        "Give every method the same share of the work. Which loses least without training, and which would you train?",
        "Set the window to 8 tokens and look where the loss rises first: what do those tokens need?",
    ),
    references=(BELTAGY, ZAHEER, LINFORMER, CHOROMANSKI),
)
