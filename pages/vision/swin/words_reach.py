"""Reach and cost."""

from dataclasses import replace

from dashboard.references import ABNAR, DOSOVITSKIY, SWIN_TRANSFORMER
from pages.vision.swin.words import SWIN

BACK_HELP = (
    "Backwards: of what the chosen place is made after a block. Forwards: how much of each place, after a block, is "
    "the chosen patch."
)
TELL = {
    "back": "{title}, after {label}: {value} of the chosen place comes from row {row}, column {column}.",
    "forth": "{title}, after {label}: {value} of the place in row {row}, column {column} is the chosen patch.",
}
NEVER = {
    "back": "{title}, after {label}: row {row}, column {column} cannot have reached the chosen place yet.",
    "forth": "{title}, after {label}: the chosen patch cannot have come to row {row}, column {column} yet.",
}
COST = (
    "One attention block over the finest grid of this model: {width} channels in {heads} heads, a place for every "
    "{patch} × {patch} pixels, windows of {high} × {wide} places. Lines are counted multiply-adds (equations 1 "
    "and 2 of the paper). The measurement times a block with these sizes on this machine, once in windows and once "
    "over the whole grid, both with torch's fused kernel. Lines and points are each relative to the block in windows "
    "at {least} pixels."
)
FORMULA = (
    "As in attention rollout: each block keeps one half of a place and takes the other half by its weights, whatever "
    "the model really keeps; where stages begin, a merged place takes its 2 × 2 places equally. Values, W_O, norms and "
    "the MLP are left out, so a share says through which links information can have come, and how strong the links "
    "are, not what the model makes of it. Where nothing of the photograph is to be seen, nothing can have come from: "
    "windows, shifts and masks forbid it."
)
NOTES = replace(
    SWIN,
    try_this=(
        "Choose a patch in the middle of a window of the first block, then one in a corner. Which of them meets its "
        "neighbours earlier?",
        "Raise the patches on a side. After how many blocks is the whole picture within reach now, and what does the "
        "vision transformer pay for needing only one?",
        "Look forwards: where has a patch come to after the last block, and where most of it?",
        "Measure the cost on this machine. From which size on are windows really faster, and why not from the "
        "smallest?",
    ),
    references=(SWIN_TRANSFORMER, ABNAR, DOSOVITSKIY),
)
