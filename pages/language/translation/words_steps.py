"""Word by word."""

from dataclasses import replace

from dashboard.references import BAHDANAU, LUONG, SUTSKEVER, VASWANI, WU
from pages.language.translation.words import TRANSLATION

HANDED_ON = (
    "The context vector is the sum of all annotations *h*, each times its weight. All strips have one scale: what lies "
    "below one another adds up to the first."
)
HANDED_ON_BY_A_HEAD = (
    "The head's output is the sum of all values *v*, each times its weight. All strips have one scale: what lies "
    "below one another adds up to the first."
)
ONE_VECTOR = (
    "This model has no attention, so there are no scores and no weights to show. When it has read the sentence it "
    "keeps **one vector**, and writes every word from the same numbers."
)
MEMORY_FORMULA = (
    "*h* is the encoder's state when it has read the whole sentence, from the last word to the first. *c* does not "
    "depend on the step *i*: that is the bottleneck which attention was invented to open."
)
BEAM_FORMULA = (
    "Unfinished translations are compared by the sum above the line, complete ones by the score: without the line "
    "below, every word more would make a translation less probable (Wu et al. 2016, equation 14)."
)
NOTES = replace(
    TRANSLATION,
    try_this=(
        "Press **→** and watch the weights move through the sentence: where do they jump back, and at which French "
        "words?",
        "Find a step at which two words share the weight. How far apart are their scores?",
        "Set the beam to 1 and step through again. Does the translation change? At which step did the two part?",
        "Choose the transformer and go through layers and heads at one step: which of them look at the word that is "
        "being translated, and which at the end mark?",
    ),
    references=(BAHDANAU, VASWANI, LUONG, SUTSKEVER, WU),
)
