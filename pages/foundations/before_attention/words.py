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
    lead="Five small models read your line one character at a time: how far back does each still see?",
    about=(
        "Before attention, a network read a text step by step, keeping all of it in a vector or two, or through a "
        "window of a few letters. Here five small models of about the same size read your line. How far back does each "
        "of them still see?"
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
            "even before that, and which is the last one left at 24?",
            "Ask the same digits with other letters in between, at distance 20. Which model changes its mind?",
            "Change the first digit a few times, then the last. Which of the two do the RNN's answers depend on?",
        ),
        references=references("HOCHREITER", "BENGIO", "PASCANU", "GEHRING", "TABLE_1"),
    ),
    WAYS: replace(
        BEFORE,
        try_this=(
            "Move n past d. Which of the ways needs the fewest operations before, and which after?",
            "Choose *Path length*. Which ways stay short for a whole book (n = 131,072)?",
            "Measure on this machine. Which layer grows with the square of n, and which only by as much as n?",
        ),
        references=references("TABLE_1", "GEHRING"),
    ),
    MODELS: replace(
        BEFORE,
        try_this=(
            "Sort the table by bits, then by half-life: is the model that sees farthest the one that predicts best?",
            "Compare the seconds. The recurrent networks go character by character, and are the fastest here, where "
            "one thread reads 64 windows at a time. What would a thousand processors change? (See *Three ways*.)",
        ),
        references=references("KARPATHY", "ELMAN", "HOCHREITER", "CHO", "GEHRING", "TABLE_1", "KHANDELWAL"),
    ),
}

# What each of the five is, in one sentence.
ABOUT = {
    "rnn": "One vector, computed anew at each character from its former value and the character.",
    "lstm": "A cell beside the vector; three gates decide what it keeps, takes in and shows.",
    "gru": "Two gates decide how much of the vector stays, and how much of it goes into what is new.",
    "convolution": "Six layers, each a window of five characters; all characters at once.",
    "self_attention": "Three layers in which each character looks at itself and all before it; all characters at once. "
    "Positions are encoded by rotating queries and keys (rotary).",
}

TINTED = "A character's share of the model's reach"
EXPECTS = "expects next"
REACH_FORMULA = (
    "$x_t$ is the vector that stands for character $t$, $c$ the character that the model expects most after the last "
    "one, $x_n$. The gradient says how much a very small change of $x_t$ would change that expectation: one backward "
    "pass gives it for all characters. In a recurrent network it is a product with one factor for each step on the "
    "way, so it usually fades, or grows, exponentially with the distance. The half-life comes from the straight line "
    "that best fits the logarithm of the curve."
)
COPY_FORMULA = (
    "Five digits, then meaningless letters, then five question marks, at which the model must repeat the digits in "
    "order: every digit is equally far from its answer. Five models of about 100,000 parameters were trained on "
    "nothing else, at distances from 5 to 100; the curve counts their right answers to 1,000 new questions at each "
    "distance. Guessing gives 10%."
)
WAYS_FORMULA = (
    "For each layer, with $n$ tokens of $d$ channels: the multiplications; how many operations must wait for one "
    "another; and how many steps a signal needs between the two tokens that are farthest apart. The shorter that path, "
    "Vaswani et al. argue, the easier it is to learn what depends on something far away. $k$ is the kernel of a "
    "convolution, $r$ the neighbourhood of restricted self-attention. Constants are left out, as in the paper."
)
MEASURED = (
    "One layer of each kind with {width} channels ({heads} heads; kernel {kernel}), one forward pass over n tokens on "
    "{threads} threads of this machine. Time: the median of {repeats} passes, the layers taking turns. Memory: the "
    "most that was held at once beyond the layer and its input, from the record that torch's profiler keeps of every "
    "allocation."
)
MODELS_FORMULA = (
    "Bits per character: the mean of −log₂ of the probability that the model gave to the character that actually came, "
    "over a tenth of Shakespeare's lines that it never read. Half-life: the number of characters in which the mean "
    "gradient falls to half, from the line that fits its logarithm best. Sees back: how far before the last character "
    "the gradient is not yet exactly 0, in passages of 128. Copies up to: the longest distance at which more than half "
    "of the digits came back right, there and at all shorter ones; 0 if at none."
)
