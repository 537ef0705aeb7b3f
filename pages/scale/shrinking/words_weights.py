"""What Weights says."""

from dataclasses import replace

from dashboard.frame.references import references
from pages.scale.shrinking import words

LEAD = (
    "The smallest single weights of all matrices are set to zero. Or, under Settings, whole neurons of the "
    "feed-forward layers are removed, those with the shortest incoming weights, and the matrices really become smaller."
)
SINGLE, NEURONS = "single weights", "whole neurons"
TIMES, MATRIX, MEASURED = (
    "Are zeros faster?",
    "Which weights are small?",
    "How much can go?",
)
KINDS = {
    "whole": "as it is",
    "full": "zeros in full matrices",
    "rows": "compressed rows (CSR)",
    "neurons": "neurons taken out",
}
TIMES_CAPTION = (
    "Median of nine passes each, in turns, on this machine. A product with full matrices multiplies by every zero. "
    "Compressed rows skip them, but every weight that is left needs the number of its column beside it (4 bytes more), "
    "and the processor cannot take many neighbours at once. Smaller matrices are simply less work."
)
HISTOGRAM_CAPTION = (
    "Weights of the matrix by value. The threshold is one for all matrices, so that some lose more than others."
)
LINES = {"weights": "single weights set to zero", "neurons": "neurons taken out"}
TABLE = (
    "MB on disk: of zeros only a bit is written, and the weights that are left in float32. Time: in turns with the "
    "whole network, on one thread; nothing was trained afterwards. Dashed: 1% and 5% of the quality lost."
)
NOTES = replace(
    words.PAGE,
    try_this=(
        "Remove half of the single weights, then half of the neurons. Which is faster, and which answers better?",
        "From which share on do compressed rows take less time than full matrices on this machine?",
        "Look for the matrix that loses most at 50 %. Is it near the input or near the output?",
    ),
    references=references("HAN", "FRANKLE"),
)
FORMULA = "With a threshold $t$ so that a share of all weights lies below it:"
FORMULA_BYTES = "On disk, of $n$ weights of which $k$ are left (a bit for each, 4 bytes for those):"
