"""Position bias."""

from dataclasses import replace

from dashboard.references import RAFFEL, SWIN_TRANSFORMER, SWIN_V2
from pages.vision.swin.words import SWIN

TABLE = "**The table** of head {head}: what is added at each distance. Click a distance."
ADDED = "**In a window**: the same numbers for all pairs. Click a pair of places."
HEADS = "**All heads of this block**, on one scale: the middle is the place itself."
PAIR = "One score of this photograph, number by number"
PLACE = "How much is content, how much is place?"
PLACE_ABOUT = (
    "The share of the bias in the variance of the scores, over all places of this photograph and all keys that each "
    "may look at. 0% means: only what is seen counts; 100%: only where it lies. Click a head."
)
CONTINUOUS = "From distance to bias"
CONTINUOUS_ABOUT = (
    "SwinV2 does not learn a number for each distance. It learns a small network that answers with a bias when it is "
    "asked about a distance, written on a logarithmic scale: near distances keep their resolution, and a larger window "
    "asks about distances that are hardly farther."
)
FORMULA = (
    "A window of *h* × *w* places has (*hw*)² pairs but only (2*h* − 1)(2*w* − 1) distances. Pairs at the same "
    "distance share one number for each head. *Share* is cov(bias, score) / var(score), each row of the scores taken "
    "without its mean, because adding the same to a whole row changes no weight: the shares of content and bias add up "
    "to 100%. *Moved* is the share of weight that would go to other keys if the bias were left out."
)
NOTES = replace(
    SWIN,
    try_this=(
        "Find a head that looks at its own row, one that looks at its own column, and one that looks away from itself.",
        "Click along a diagonal of the matrix: which number of the table do all these pairs share?",
        "Choose the head with the largest share. What would it look at if all patches were the same grey?",
        "Change the photograph. The tables stay; which of the shares move most?",
    ),
    references=(SWIN_TRANSFORMER, SWIN_V2, RAFFEL),
)
