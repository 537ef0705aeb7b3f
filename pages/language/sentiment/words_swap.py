"""What Swap it says."""

from dataclasses import replace

from dashboard.references import references
from pages.language.sentiment import words

LEAD = (
    "The recurrent network joins its words by a weighted mean. Here the weights are exchanged in the trained network, "
    "and it really runs with them: if they were the reason for the verdict, other weights would give another one."
)
TINTED, VERDICTS, MEASURED = "The same words under other weights", "What it says then", "Over held-out texts"
SCALE = "Weight of a word, up to the largest that the network itself gives"

KINDS = {
    "own": "As it is",
    "permuted": "Permuted",
    "uniform": "Uniform",
    "different": "Most different",
    "trained": "Trained uniform",
}
SEED = "Draw"
SEED_HELP = "Which permutation is shown: another number gives the weights to the words in another order."
ALLOWED = "May move the verdict by"
ALLOWED_HELP = "How much probability the most different weights may move; Jain and Wallace allow 1%."

SHOWS = (
    "**What this shows.** The network's weights are not the only ones that lead to its verdict: weights that point "
    "elsewhere lead there too. So “it looked at these words” does not yet tell why.\n\n"
    "**What it does not show.** The exchanged weights are made for one text after the other; no network is known that "
    "would produce them, as Wiegreffe and Pinter object. The words' vectors stay, and a recurrent network has read the "
    "whole text into each of them. And where a network with uniform weights does as well, attention was not needed for "
    "the task in the first place: then there was nothing to explain by it."
)
TABLE = (
    "Each text was read with its own weights and with others; a flip is a verdict that changes. “{trained}” is another "
    "network: the same, trained with the weights of its pooling frozen uniform."
)

NOTES = replace(
    words.PAGE,
    try_this=(
        "Type a text of three words. How far away can weights be now, when there are so few words to hide behind?",
        "Allow the verdict to move by 10%: do the most different weights get any further?",
        "Choose Spanish tweets, where attention does matter: compare the share of flips.",
    ),
    references=references("JAIN", "YANG", "BASTINGS"),
)
FORMULA_OUTPUT = (
    "The verdict is read off a mean of the words' vectors $h_t$, weighted by attention $a_t$; only $a$ is exchanged."
)
FORMULA_DIVERGENCE = (
    "How different two sets of weights are: the Jensen-Shannon divergence, from 0 to $\\ln 2$. Here for {kind} weights:"
)
FORMULA_SEARCH = (
    "The most different weights are found by Adam, from {tries} random starts: they maximise the divergence while the "
    "verdict moves by at most $\\epsilon$, half the sum of the absolute differences of its probabilities."
)
