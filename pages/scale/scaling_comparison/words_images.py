"""Images."""

from dataclasses import replace

from dashboard.references import BEYER, CONVNEXT, DOSOVITSKIY, HE, RECHT, SWIN_TRANSFORMER, WIGHTMAN
from pages.scale.scaling_comparison.words import SCALING

TITLE = "What does accuracy cost?"
TIMM, LEADERS = "Measured by timm", "Leaders of 2020 and 2022"
TABLES = (TIMM, LEADERS)
ABOUT = {
    TIMM: (
        "Each point is a network with its weights, tested on ImageNet by one library (timm) in one way, and timed by "
        "it on the same cards. Choose what stands across: parameters, operations, or pictures per second."
    ),
    LEADERS: (
        "The first places of the public ImageNet leaderboard in December 2020, when vision transformers had just "
        "arrived, and in September 2022."
    ),
}
NOTHING = "Nothing is shown, so there is nothing to notice: take a filter away."
ENOUGH = 5  # models of a family, before a median says anything
CHOSEN_ON_TEST = (
    "ImageNet's validation pictures served to choose among these models: ImageNet-V2, gathered later, is the fairer "
    "test."
)
_CARDS = "The speed is that of whole batches in mixed precision with PyTorch {version}: "
_NEWER = _CARDS.format(version="2.9.1") + "what the same card does with other software or one picture is not seen."
SPEED = {
    "rtx5090": _NEWER,
    "rtx4090": _NEWER,
    "rtx3090": _CARDS.format(version="2.4.0")
    + "older than that of the newer cards, so part of their lead is software.",
    "cpu": "An Intel i7-12700H ran one picture at a time, compiled, in float32: others order models otherwise.",
}
FRONT_FORMULA = (
    "*A* beats *B* if it costs no more, scores no less, and is not equal in both. The front is what nothing beats; "
    "between two of its models you get the score of the cheaper one, hence the steps. For pictures per second, more "
    "is better, and the steps turn."
)
BEATEN = "Here *{winner}* beats *{loser}*: {winner_x} against {loser_x}, {winner_y} against {loser_y}."
NOTES = replace(
    SCALING,
    try_this=(
        "Put *Pictures/s, RTX 5090* across: who is on the front now, and who has left it?",
        "Leave only *ImageNet-1k* under *Learned from*. How far do the transformers fall?",
        "Put *Top-1, ImageNet-A* up, with pictures that were chosen because a ResNet-50 fails on them.",
        "Search for `resnet50` and see what 40 ways of training do to one network.",
    ),
    references=(WIGHTMAN, DOSOVITSKIY, SWIN_TRANSFORMER, CONVNEXT, HE, RECHT, BEYER),
)
