"""Before attention: all that the page says, but for the sentences that are computed."""

from dataclasses import replace

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references
from dashboard.inputs import example_texts

LINES = example_texts.examples("characters")
LINE = next(iter(LINES.values()))

# The sections of the page, as they stand in the address.
REACH, COPY, WAYS, MODELS = "Reach", "Copy", "Three ways", "The five models"

# The five models by the names of their files.
TITLES = {"rnn": "RNN", "lstm": "LSTM", "gru": "GRU", "convolution": "Convolution", "self_attention": "Self-attention"}

BEFORE = PageWords(
    question="What did RNN, LSTM, GRU and convolution see?",
    lead="Five small models read the same text: how many characters back does each still use?",
    about=(
        "Before attention, a recurrent network read a text step by step and kept all of it in one or two vectors; a "
        "convolution read it through a window of a few letters. Here five small models of about the same size read "
        "your line. How many characters back does each of them still use?"
    ),
    try_this=(
        "Type a line that says something twice: `My lord, the queen is dead. My lord, the qu`. Which models look back "
        "at the first occurrence?",
        "Change a character near the beginning. Which models then expect something else, and which do not?",
        "Make the line longer than 25 characters, one at a time, and watch the first character in the row of the "
        "convolution.",
    ),
    references=references(
        "ELMAN", "BENGIO", "HOCHREITER", "PASCANU", "CHO", "KARPATHY", "GEHRING", "TABLE_1", "KHANDELWAL"
    ),
)
NOTES = {
    REACH: BEFORE,
    COPY: replace(
        BEFORE,
        try_this=(
            "Move the distance from 15 to 25. The convolution's window holds 25 characters: which digits does it lose "
            "before that, and which digit is the last one left at 24?",
            "Ask for the same digits with other letters in between, at distance 20. Which model changes its answer?",
            "Change the first digit a few times, then the last. On which of the two do the RNN's answers depend?",
        ),
        references=references("HOCHREITER", "BENGIO", "PASCANU", "GEHRING", "TABLE_1"),
    ),
    WAYS: replace(
        BEFORE,
        try_this=(
            "Move n past d. Which layer needs the fewest operations before, and which after?",
            "Choose *path length*. In which layers does the path stay short for a whole book (n = 131,072)?",
            "Measure on this machine. Which layer's time grows with the square of n, and which layer's with n?",
        ),
        references=references("TABLE_1", "GEHRING"),
    ),
    MODELS: replace(
        BEFORE,
        try_this=(
            "Sort the table by bits, then by half-life: does the model that sees farthest predict best?",
            "Compare the seconds. The recurrent networks read character by character, and are the fastest here, where "
            "one thread reads 64 windows at a time. What would a thousand processors change? (See *Three ways*.)",
        ),
        references=references("KARPATHY", "ELMAN", "HOCHREITER", "CHO", "GEHRING", "TABLE_1", "KHANDELWAL"),
    ),
}

# What each of the five is, in one sentence.
ABOUT = {
    "rnn": "One vector, recomputed at each character from its previous value and the character.",
    "lstm": "A cell beside the vector; three gates decide what the cell keeps, what it takes in and what it outputs.",
    "gru": "Two gates decide how much of the vector stays, and how much of it goes into the new value.",
    "convolution": "Six layers, each a window of five characters; all characters are computed at once.",
    "self_attention": "Three layers in which each character attends to itself and all characters before it; all "
    "characters are computed at once. Positions are encoded by rotating queries and keys (rotary).",
}

TINTED = "A character's share of the model's gradient"
EXPECTS = "expects next"
REACH_FORMULA = (
    "$x_t$ is the embedding of character $t$, $c$ the most probable character after the last one, $x_n$. The gradient "
    "says how much a very small change of $x_t$ would change that probability; one backward pass gives it for all "
    "characters. In a recurrent network it is a product with one factor for each step between the two characters, so "
    "it usually fades, or grows, exponentially with the distance. The half-life comes from the straight line that best "
    "fits the logarithm of the curve."
)
COPY_FORMULA = (
    "Five digits, then meaningless letters, then five question marks, at which the model must repeat the digits in "
    "order: every digit is equally far from its answer. Five models of about 100,000 parameters were trained on "
    "nothing else, at distances from 5 to 100; the curve counts their right answers to 1,000 new questions at each "
    "distance. Guessing gives 10%."
)
WAYS_FORMULA = (
    "The table counts, for each layer with $n$ tokens of $d$ channels: the multiplications; the operations that must "
    "wait for one another; and the steps of a signal between the two tokens that are farthest apart. The shorter that "
    "path, Vaswani et al. argue, the easier it is to learn long-range dependencies. $k$ is the kernel of a "
    "convolution, $r$ the neighbourhood of restricted self-attention. Constants are left out, as in the paper."
)
MEASURED = (
    "One layer of each kind with {width} channels ({heads} heads; kernel {kernel}), one forward pass over n tokens on "
    "{threads} threads of this machine. Time: the median of {repeats} passes, the layers taking turns. Memory: the "
    "peak beyond the layer and its input, from the allocations that torch's profiler records."
)
MODELS_FORMULA = (
    "Bits per character: the mean of −log₂ of the probability that the model gave the next character, over a tenth of "
    "Shakespeare's lines, which it never read. Half-life: the number of characters over which the mean gradient "
    "halves, from the straight line that best fits its logarithm. Sees back: the largest distance from the last "
    "character at which the gradient is not exactly 0, in passages of 128. Copies up to: the longest distance at "
    "which, as at all shorter ones, the model repeated more than half of the digits; 0 if there is none."
)
