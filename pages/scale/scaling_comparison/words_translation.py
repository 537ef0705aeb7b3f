"""Translation."""

from dataclasses import replace

from dashboard.references import GEHRING, PAPINENI, POST, VASWANI, WU
from pages.scale.scaling_comparison.words import SCALING

TITLE = "What does a better translation cost?"
GERMAN, FRENCH, YEARS = "English to German", "English to French", "By year, until 2020"
TABLES = (GERMAN, FRENCH, YEARS)
_PAPER = (
    "The table with which the transformer was presented in 2017: quality on newstest2014, and what the training cost. "
    "Cheaper is to the left, better is up."
)
ABOUT = {
    GERMAN: _PAPER,
    FRENCH: _PAPER,
    YEARS: "The same test set in the years after, as NLP-progress collected it until 2020. Few papers state a cost.",
}
NOTHING = "Nothing is shown, so there is nothing to notice: take a filter away."
ESTIMATED = (
    "Nobody counted these operations: the authors of the transformer estimated them, for their rivals too, from hours, "
    "cards and what a card sustains."
)
STATED = "Each paper states its own score; NLP-progress copied them."
TOKENS = (
    "BLEU was counted on words cut up in ways that papers of these years do not state alike: differences below half a "
    "point say little."
)
FORMULA = (
    "The base and the big transformer: twelve hours and 3.5 days on eight P100 cards, each taken to sustain 9.5 "
    "teraFLOPS (Vaswani et al. 2017, section 5.2 and its footnote)."
)
NOTES = replace(
    SCALING,
    try_this=(
        "Choose *ensemble* under *Single or ensemble*: what do several networks buy, and at what price?",
        "Click *Transformer (big)* and *GNMT + RL ensemble*, and compare them in the table.",
        "Under *By year*: the paper of 2017 says 41.0 for French in its text, 41.8 in its table. Which one is where?",
    ),
    references=(VASWANI, WU, GEHRING, PAPINENI, POST),
)
