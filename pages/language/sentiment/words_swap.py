"""What Swap it says."""

from dataclasses import replace

from dashboard.frame.references import references
from pages.language.sentiment import words

VERDICTS, MEASURED = "Its prediction under each set of weights", "Over held-out texts"
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
ALLOWED = "May move the prediction by"
ALLOWED_HELP = "How much probability the most different weights may move; Jain and Wallace allow 1%."

SHOWS = (
    "**What this shows** (Jain and Wallace). The network's weights are not the only ones that lead to its prediction: "
    "weights that point elsewhere can lead there too. So “it looked at these words” does not yet tell why.\n\n"
    "**What it does not show** (Wiegreffe and Pinter). The most different weights are searched for one text after the "
    "other, after training: no network here has learnt to give them. They trained networks for that, and found that "
    "weights far from the original ones were of less use to a simple network that reads each word alone; that test is "
    "not repeated here. The words' vectors stay, and a recurrent network may carry the rest of the text into each of "
    "them. And where a network trained with uniform weights does as well, the task says little about attention."
)
TABLE = (
    "Each text was read with its own weights and with others; a flip is a prediction that changes. “{trained}” is "
    "another network: the same, trained with its pooling weights fixed at uniform. These texts are a sample drawn at "
    "random, so shares differ from those of all held-out texts."
)

NOTES = replace(
    words.PAGE,
    about=(
        "The recurrent network joins its words by a weighted mean. Here its weights are exchanged and the trained "
        "network runs with the new ones: if attention were the reason for the prediction, other weights would change "
        "it."
    ),
    try_this=(
        "Type a text of three words. How far away can weights be now, with so few words?",
        "Allow the prediction to move by 10%: do the most different weights get any further?",
        "Choose Spanish tweets: permutations flip more predictions there. Does the network also gain more from "
        "attention?",
    ),
    references=references("JAIN", "YANG", "BASTINGS"),
)
FORMULA_OUTPUT = (
    "The prediction is computed from a mean of the words' vectors $h_t$, weighted by attention $a_t$; only $a$ is "
    "exchanged."
)
FORMULA_DIVERGENCE = (
    "How different two sets of weights are: the Jensen-Shannon divergence, from 0 to $\\ln 2$. Here for {kind} weights:"
)
FORMULA_SEARCH = (
    "The most different weights are found by Adam, from {tries} random starts: they maximise the divergence while the "
    "prediction moves by at most $\\epsilon$, half the sum of the absolute differences of its probabilities."
)
