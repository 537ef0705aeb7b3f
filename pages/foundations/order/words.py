"""Order."""

from dataclasses import replace

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

QUESTION = "How does a set know its order?"

ORDER = PageWords(
    question=QUESTION,
    lead="",
    about=(
        "Attention compares every token with every other, wherever they stand: for attention a sentence is a set. "
        "Whatever a transformer knows about order, it has to be told: by vectors, angles, biases or a mask."
    ),
    try_this=(),
    references=(),
)
SHUFFLE = replace(
    ORDER,
    lead="Shuffle the tokens and compare what comes out with what came out before.",
    try_this=(
        "Choose *Positions*. Which tokens change most: those that moved far, or those that moved at all?",
        "Choose *Causal mask*, and no positions. Which token may see nothing but itself, before and after?",
        "Write a sentence in which a word stands twice with two roles: “the man saw the man”. Follow its strips.",
    ),
    references=references("VASWANI", "HAVIV"),
)
WAVES = replace(
    ORDER,
    lead="Every position gets a vector of sines and cosines of many lengths, like the hands of many clocks.",
    try_this=(
        "Set the base to 10. How far apart must two positions be to look alike again?",
        "Go through the pairs: which of them tells neighbours apart, which tells the beginning from the end?",
        "Move the position under *A step is a turn* and keep the step: what changes in the matrix?",
    ),
    references=references("VASWANI_POSITIONS", "SU"),
)
LEARNED = replace(
    ORDER,
    lead="Or every position gets a vector of its own, and training decides what it holds.",
    try_this=(
        "Choose an image model and click patches near the edge: do their rows and columns still show?",
        "Name a larger model, for instance `google-bert/bert-base-uncased` or `openai-community/gpt2`.",
        "Name one that learned no table, for instance `HuggingFaceTB/SmolLM2-135M`: what does it do instead?",
    ),
    references=references("RADFORD", "DOSOVITSKIY"),
)
ROTARY = replace(
    ORDER,
    lead="Query and key are rotated by an angle for each place: their product depends on the distance alone.",
    try_this=(
        "Click along a diagonal of the map. The arrows turn together; what stays the same between them?",
        "Look at pair 0, then at the last: which one hardly moves over 32 places?",
        "Lower the base to 10: does the score still tell far from near?",
    ),
    references=references("SU", "VASWANI_POSITIONS"),
)
ALIBI = replace(
    ORDER,
    lead="Take something off the score for every token of distance. No vectors, nothing to learn.",
    try_this=(
        "Find a head that looks far back, and see how much of that its slope would leave.",
        "Compare head 3 with head 4: which of them could still see the beginning of a long text?",
    ),
    references=references("PRESS", "HAVIV"),
)
BUCKETS = replace(
    ORDER,
    lead="Sort distances into buckets, fine nearby and coarse far away; each head learns one number for each bucket.",
    try_this=(
        "Halve the buckets. Which distances lose their own first?",
        "Compare *Both ways* with *Back only*: who can tell 20 from 30 tokens back?",
        "Name `google-t5/t5-small` and compare its encoder with its decoder.",
    ),
    references=references("RAFFEL", "PRESS"),
)
WINDOWS = replace(
    ORDER,
    lead="In a picture distance has two directions: a head learns a number for each difference of rows and columns.",
    try_this=(
        "Click a row of the large map, then the next one: how does the window move over the same numbers?",
        "Make the window larger: how much faster do its pairs grow than its biases?",
    ),
    references=references("LIU", "RAFFEL"),
)
BEYOND = replace(
    ORDER,
    lead="Six small models that differ only in how they encode order read on beyond their training length.",
    try_this=(
        "Leave only *Rotary* and *ALiBi*. At what length do they part?",
        "Which is better within the training length: the one that is best beyond it, or another?",
        "Look at *None*: how much does a model lose when it is told nothing at all?",
    ),
    references=references("PRESS", "KAZEMNEJAD", "HAVIV", "SU", "RAFFEL"),
)

# How a model knows the order where it has a table of positions; other ways: dashboard/output/position_kinds.py.
TABLE_TOLD = "it learned a vector for each of {count} positions"
TABLE_OF_WAVES = "it keeps a table of waves for {count} positions"

WHAT_IF = (
    "The vectors are real ones of head {head} in layer {layer} of gpt-books, but it was trained with learned "
    "positions: rotating its queries is a *what if*."
)
BASE_HELP = "The more channels there are, the nearer the slowest wave comes to base × 2π positions."
BUCKETS_HELP = "The buckets grow wider up to this distance; the last one begins before it."

# The six ways as they are called in a legend, by their names in the file of measurements.
TITLES = {
    "none": "None",
    "learned": "Learned",
    "sinusoidal": "Waves",
    "rotary": "Rotary",
    "alibi": "ALiBi",
    "relative": "T5",
}
BY_CONSTRUCTION = {
    "none": "Only the mask tells the order, and it now shows more characters than it ever did.",
    "learned": "No vector was learned there: the model cannot be run.",
    "sinusoidal": "The slow waves reach phases that the model never saw in training.",
    "rotary": "Distances that the model never saw in training, and in slow pairs angles that it never saw.",
    "alibi": "The same slope continues: what is far away counts less, as before.",
    "relative": "Everything far shares the last bucket; a bucket that was never used has learned nothing.",
}
