"""By year."""

from dataclasses import replace

from dashboard.references import EPOCH, GPT3, SEVILLA
from pages.scale.scaling_comparison.words import SCALING

TITLE = "How fast did models grow?"
ABOUT = (
    "Notable models since 1950, as Epoch AI collected them: parameters, the floating point operations of their "
    "training, and their data. The line is fitted to what you leave in the picture: move the years, choose "
    "a field, and read the doubling time."
)
NOTHING = "Nothing is shown, so there is nothing to notice: take a filter away."
NO_FIT = (
    "A line is fitted where years stand across, a size stands up, and three models of two years at least are shown."
)
NOTABLE = (
    "“Notable” was chosen by Epoch AI: state of the art, many citations, historical relevance, much use or a large "
    "budget. Ordinary models are missing in every year, and of the newest ones many figures are secret or estimated."
)
FORMULA = (
    "*t* is the day of publication in years, its mean in brackets; *a* and *b* are least squares over {count} models. "
    "At the mean day the line stands at {middle} ({measure}). The interval is Student's *t*, as if models were "
    "independent draws, which siblings of one family are not."
)
NOTES = replace(
    SCALING,
    try_this=(
        "Let the years begin at 2012, then end in 2010: the doubling time before and after deep learning.",
        "Choose *language* alone, then *vision*: which grew faster?",
        "Put *Parameters* up. Do they grow as fast as the compute?",
        "Leave only figures that Epoch is *Confident* of. Does the doubling time change?",
        "Put *Parameters* across and *Data points* up: did the data keep up?",
    ),
    references=(EPOCH, SEVILLA, GPT3),
)
