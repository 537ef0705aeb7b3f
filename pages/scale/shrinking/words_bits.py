"""What Bits says."""

from dataclasses import replace

from pages.scale.shrinking import words

LEAD = (
    "A trained weight has 32 bits. Here the weights of a matrix are rounded to the nearest of 255 or of 15 levels, and "
    "the network answers again."
)
KINDS = {"GPT, next token": "gpt-books", "BERT, verdict": "bert-tasks", "Vision transformer": "vit-tiny-imagenet"}
EXAMPLES = {
    "A fine film": "A warm, funny and clever film.",
    "By the fire": "The old man sat down by the",
    "Not bad": "The story is not bad, but the end is too long.",
}
SENTENCE = next(iter(EXAMPLES.values()))
VERDICTS = ("blame", "praise")
ALL, ONE = "all matrices", "this matrix alone"

MOST_CASES = 1000  # of which a share of right answers was counted

SAYS, MEASURED = "What the network says", "What was measured"
HISTOGRAM_CAPTION = (
    "Bars: how many weights of the matrix lie where. Ticks below: the levels that its first row is rounded to."
)
TABLE = (
    "Held-out data: 872 sentences (SST-2), 8,000 tokens of a book, or 1,000 photographs. Bytes are those of levels, "
    "scales and everything that is not rounded, as float32. Rounded weights are computed with in float32 again: "
    "fewer bits save bytes here, not time. Times were taken in turns, on one thread."
)
NOTES = replace(
    words.PAGE,
    try_this=(
        "Choose 4 bits per tensor, then groups of 32. What happens to the error, and what to the bytes?",
        "Round only the last matrix, then only the first: after which does the answer change more?",
        "Type a sentence that the network is unsure of. How many bits does it take to turn it?",
    ),
)
FORMULA = "With $b$ bits and one step $s$ for each group $G$ of weights (rounding to nearest, symmetric):"
