"""Pre-training."""

from dataclasses import replace

from dashboard.references import DOSOVITSKIY, KOLESNIKOV, STEINER, XIE
from pages.scale.scaling_comparison.words import SCALING

TITLE = "What does pre-training buy, and whom?"
DUEL, COST, GAINS = "Who wins where", "Accuracy and cost", "More data, same network"
PARTS = (DUEL, COST, GAINS)
ABOUT = {
    DUEL: (
        "Models that learned from millions of pictures, then were tuned to one data set after the other (Dosovitskiy "
        "et al. 2020, Table 2). Choose any two: a vision transformer against a convolutional network, or the same "
        "transformer after different data."
    ),
    COST: "The same results against what the pre-training cost: days of one TPUv3 core.",
    GAINS: (
        "Networks that timm has twice: trained on ImageNet-1k alone, and with more pictures before. Whom do more data "
        "help most?"
    ),
}
DUEL_AXIS = "points ahead (right) or behind (left)"
VARIANTS = "The sizes of the vision transformer that these names mean; */16* and */14* are pixels on a side of a patch."
SAME = "A model against itself: choose another one."
NOTHING = "Nothing is shown, so there is nothing to notice: take a filter away."
DUEL_FORMULA = (
    "Whiskers are twice the error of the difference, from the standard deviations of three runs that the paper prints. "
    "Noisy Student has none: its figures come from other papers."
)
MIXED_SETS = "Seven data sets are not equally hard: choose one under *Tested on* to see what a core-day buys."
ONE_TABLE = (
    "The authors of the vision transformer measured, and chose the rivals; Noisy Student's figures are other papers'."
)
COST_FORMULA = "{model}, as if it had been trained on 512 cores at once. Tuning to the data set is not counted."
RECIPES = (
    "The recipes of the two trainings differ in more than their data: later ones, with better augmentation, are often "
    "those with more data."
)
GAIN_FORMULA = "The best that timm has on each side, at one resolution."
NOTES = replace(
    SCALING,
    try_this=(
        "Let *ViT-L/16 (JFT)* stand against *ViT-L/16 (ImageNet-21k)*: the same network, twenty times the pictures.",
        "Let *ViT-L/16 (ImageNet-21k)* stand against BiT-L: with less data, who wins?",
        "Under *More data, same network*, choose *transformer*, then *convolutional*: who gains more?",
    ),
    references=(DOSOVITSKIY, KOLESNIKOV, XIE, STEINER),
)
