"""Measured."""

from dataclasses import replace

from dashboard.references import DOSOVITSKIY, HE, PETSIUK, SWIN_TRANSFORMER
from pages.vision.vision_transformer.words import VISION

MODELS = {
    "vit-tiny-imagenet": "Vision transformer",
    "swin-tiny-imagenet": "Swin transformer",
    "resnet-tiny-imagenet": "Residual network",
    "plain-tiny-imagenet": "Plain convolutions",
}
RANDOM = "At random"
NOT_YET = "Not measured yet: {names}."
NOTHING = (
    "No model has been measured yet: `make train-resnet-tiny-imagenet` trains one, and says what it is worth in "
    "`weights/resnet-tiny-imagenet/results.json`."
)
NOT_FAITHFUL_YET = (
    "The explanations have not been measured yet: `python -m training.vision_faithfulness --data PATH` does it in a "
    "few minutes."
)
MEASURED_ON = (
    "Top-1 and top-5: how often the right class is the most probable one, or among the five most probable, of "
    "{pictures:,} validation pictures of 100 classes (Tiny ImageNet, 64 × 64 pixels). MACs: multiplications with "
    "addition for one picture."
)
FAITHFUL_ON = (
    "Means of {pictures} validation pictures, two of each class, with their standard errors; explained is the class "
    "that the model itself finds most probable. Patches of 8 × 8 pixels are taken away, or put back into a blurred "
    "copy, four at a time. Compare explanations of one model: how large an area is at all depends on how sure that "
    "model is of itself."
)
ERROR_FORMULA = (
    "Every share comes from finitely many pictures: twice its standard error either way is where the true value "
    "probably lies. For *{model}*, top-1:"
)
AREA_FORMULA = (
    "*p* is the probability of the class after a share *s* of the patches was taken away, or put back, in the order of "
    "an explanation; the area is computed by the trapezoid rule over 16 steps and averaged over the pictures."
)
NOTES = replace(
    VISION,
    try_this=(
        "Compare the two networks without attention: all that the plain one lacks are the shortcuts.",
        "Which model would you take where pictures per second count, and which where memory counts?",
        "Open *Explanations* for a photograph on which the best explanation of this table loses.",
    ),
    references=(DOSOVITSKIY, SWIN_TRANSFORMER, HE, PETSIUK),
)
