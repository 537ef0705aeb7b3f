"""What Bits says."""

from dataclasses import replace

from dashboard.frame.references import references
from pages.scale.shrinking import words

LEAD = (
    "A trained weight has 32 bits in memory. Here the weights of a matrix are rounded to the nearest of a few levels "
    "(255 with 8 bits, 15 with 4), and the model answers again. Below, it really computes with fewer bits."
)
ALL, ONE = "all matrices", "this matrix alone"
NO_MATRICES = "This network has no linear maps, and only their matrices are rounded here. Choose a transformer."

MATRIX, NOW, MEASURED = "The levels of one matrix", "Computed in fewer bits, on your input", "What was measured"
HISTOGRAM_CAPTION = (
    "Bars: how many weights of the matrix lie where. Ticks below: the levels that its first row is rounded to."
)
FORMATS = {
    "float32": "32 bits: float32",
    "bfloat16": "16 bits: bfloat16",
    "int8": "8 bits: int8, activations too",
    "int4": "4 bits: int4, else bfloat16",
}
FORMATS_CAPTION = (
    "Median of nine passes each, in turns, on this machine. int8: each output channel of a matrix has its step, each "
    "token gets one as it comes (dynamic quantisation), products are summed as whole numbers. int4: groups of 64 or 32 "
    "weights share a step; what is multiplied with them is bfloat16, and so is everything else. Embeddings keep their "
    "bits in int8. How much faster fewer bits are depends on the processor's instructions."
)
TABLE = (
    "Dashed: 1% and 5% of the quality lost. Rounded weights are computed with in float32 again: their bytes on disk "
    "shrink, their memory and time do not. Rows with a format compute in it. Times: in turns with the whole network, "
    "on one thread."
)
NOTES = replace(
    words.PAGE,
    try_this=(
        "Choose 4 bits per tensor, then groups of 32. What happens to the error, and what to the bytes?",
        "Round only the last matrix, then only the first: after which does the answer change more?",
        "Write a sentence that the network is unsure of. At how many bits does its answer change?",
    ),
    references=references("DETTMERS"),
)
FORMULA = "With $b$ bits and one step $s$ for each group $G$ of weights (rounding to nearest, symmetric):"
