"""What All together says."""

from dataclasses import replace

from dashboard.theme import HUES
from pages.scale.shrinking import words

LEAD = (
    "Fewer layers, fewer heads, fewer neurons, fewer bits: one step after the other, in this order, with no training "
    "between them. What each costs alone, and what they cost together, was measured of every combination on offer."
)
MODELS = {**words.MODELS, words.MASKED: "bert-books"}
MEASURED_ALONE = tuple(words.MODELS.values())  # those of which the other sections have tables
ALL_LAYERS = "all"
SIZES = {"half": "half (taught)", "third": "a third (taught)"}
NO_STUDENT = "Students with fewer layers come with *BERT, masked words* and with the *Vision transformer*."

WHOLE, LAYERS, HEADS, NEURONS = "whole", "fewer layers", "fewer heads", "fewer neurons"
BITS, WEIGHTS, SEVERAL, TRAINED = "fewer bits", "zeros or fewer neurons", "several steps", "fewer heads, trained on"
KINDS = {
    WHOLE: HUES[0],
    LAYERS: HUES[1],
    HEADS: HUES[2],
    NEURONS: HUES[3],
    BITS: HUES[4],
    SEVERAL: "#8a8f98",
    WEIGHTS: HUES[5],
    TRAINED: HUES[6],
}
BYTES, TIME = "bytes on disk", "time of one pass"
AXES = {BYTES: "MB on disk", TIME: "time of one pass, % of the whole network's"}
MOST_LOST = {"at most 5% lost": 0.05, "at most 20% lost": 0.2, "all": float("inf")}
USUAL = "at most 20% lost"
FRONT = "Beaten by none"

SUM, PICTURE = "One step after the other", "Every variant that was measured"
PICTURE_CAPTION = (
    "Click a mark to open its row. The line joins the variants beaten by none: no other is both smaller (or faster) "
    "and better. The ring is the combination chosen above. Rounded weights count with their bytes on disk; in these "
    "rows they are computed with in float32."
)
OWN_ORDER = (
    "Measured: heads ranked by gradient on 32 inputs of the network's own kind of data, neurons by the length of their "
    "incoming weights. On your input the heads are ranked by that input alone, so that other ones may go."
)
NOTES = replace(
    words.PAGE,
    try_this=(
        "Look for the combination with a tenth of the bytes that loses least. Which steps are in it?",
        "Take a step away and put another in its place that saves as many bytes. What is better?",
        "Which single step gives most for nothing?",
    ),
)
FORMULA = "What the steps lose alone, added up, beside what they lose together (of the whole network's quality):"
