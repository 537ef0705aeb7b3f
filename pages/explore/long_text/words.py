"""What the page Long text says."""

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

TOO_SHORT = "This text has {count} token; a map needs at least 2. Write some words more."
LENGTH_HELP = (
    "The work grows with the square of the length: on two cores 4,096 tokens take a few seconds, 16,384 about 15, and "
    "131,072 some 15 minutes. Layers that are read can be looked at meanwhile."
)

MAP = PageWords(
    question="What is far away and still attended to?",
    lead="Zoom from the map of the whole text down to one word; every cell is exact.",
    about=(
        "The model reads the text layer by layer. Of each head its queries and keys are kept, and the sum that "
        "normalises each row: so any part of its map can be computed when you look at it, at any depth. A cell that "
        "covers many tokens shows which share of their attention these queries give to these keys together."
    ),
    try_this=(
        "Follow the dark column at the left edge: how much attention rests on the first token?",
        "Search for a name, click it in the text, and see on the map who attends to it, chapters later.",
        "Leave out near links: what do the strongest far links of a head have in common?",
    ),
    references=references("SU", "PENG", "XIAO", "DAO", "RABE", "WU_RETRIEVAL"),
)

HOW_FAR = PageWords(
    question=MAP.question,
    lead="How many tokens back each head looks on average, and where the model still understands the text.",
    about=(
        "For each head {rows} rows, spread evenly over the text, are computed exactly, and their weights summed by the "
        "distance between query and key. The first token is left out of the averages: attention often rests there that "
        "is needed nowhere else."
    ),
    try_this=(
        "Read 16,384 tokens instead of 4,096: do the heads that looked farthest look farther still?",
        "Compare the loss below 1,024 tokens, the length of the model's training, with the loss beyond.",
    ),
    references=references("SU", "PENG", "XIAO"),
)

EXACT = (
    "The map of one head has {pairs:,} weights over {tokens:,} tokens. None of them is kept: queries and keys are, "
    "{width} numbers each, and the logarithm of the sum that normalises each row."
)
EXAMPLE = (
    "In layer 0, head 0, the last token (query {query:,}) attends most to key {key:,}: its weight is {weight}. The "
    "logarithm of its row's sum is {normaliser:.2f}."
)
MEAN = (
    "Head {head} of layer {layer}: {mean:,.1f} tokens on average, with a standard error of {error:,.1f} over the rows."
)
