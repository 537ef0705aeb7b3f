"""What the page Long text says."""

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

TOO_SHORT = "This text has {count} token; a map needs at least 2. Write some words more."
LENGTH_HELP = (
    "The work of attention grows with the square of the length: four times the tokens are sixteen times the work. The "
    "time that is left is shown while the text is read; layers that are read can be looked at meanwhile."
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

MATTERS = PageWords(
    question=MAP.question,
    lead="The strongest far links of a head: take one away, and measure what follows.",
    about=(
        "A large weight need not matter: the head's output may be small, or other heads may carry the same. So the "
        "model reads the text again, with one link taken away, or its sentence from all heads, or all that is far; the "
        "loss of the tokens after the link says what that was worth, beside links and passages drawn at random."
    ),
    try_this=(
        "Choose another link: is the strongest one worth most?",
        "Open a head that looks near (under *How far*, click its cell): do its far links matter?",
    ),
    references=references("XIAO", "JAIN", "WU_RETRIEVAL"),
)
MEASURE = "Measure what it is worth"
NO_FAR_LINK = (
    "Head {head} of layer {layer} has no link that is more than {distance:,} tokens long. Choose another head under "
    "*How far*."
)
MATTERS_HOW = (
    "The link from token {query:,} to token {key:,} is taken away before the softmax, so that the other weights of its "
    "row grow. The change is the mean over the {following} tokens after the query, with its standard error over them; "
    "for random links and passages it is the mean of {draws} draws, with its standard error over the draws. A sentence "
    "is taken from all heads of all layers, for all tokens after it."
)
UNCHANGED = "With everything in its place the {tokens} tokens cost {bits:.3f} bits each."
