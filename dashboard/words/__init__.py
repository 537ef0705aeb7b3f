"""The prose of the pages, in one place: a module for each page or group."""

from dashboard.words.before import BEFORE
from dashboard.words.efficient import EFFICIENT
from dashboard.words.explore import HOME, IMAGE, OWN, PREDICTIONS, TEXT
from dashboard.words.heads import HEADS
from dashboard.words.inside import INSIDE
from dashboard.words.order import ORDER
from dashboard.words.page_words import PageWords
from dashboard.words.scaling import SCALING
from dashboard.words.steps import STEPS
from dashboard.words.swin import SWIN
from dashboard.words.translation import TRANSLATION
from dashboard.words.vision import VISION

__all__ = [
    "BEFORE",
    "EFFICIENT",
    "HEADS",
    "HOME",
    "IMAGE",
    "INSIDE",
    "ORDER",
    "OWN",
    "PREDICTIONS",
    "SCALING",
    "STEPS",
    "SWIN",
    "TEXT",
    "TRANSLATION",
    "VISION",
    "PageWords",
]
