"""What Heads says."""

from dataclasses import replace

from dashboard.frame.references import references
from pages.scale.shrinking import words

LEAD = (
    "Heads are really removed: their rows of $W_Q$, $W_K$ and $W_V$ and their columns of $W_O$ are gone, and the model "
    "computes with smaller matrices. On your own input nothing is trained afterwards."
)
ORDERS = {
    "gradient": "least important first, by gradient",
    "alone": "least costly alone first",
    "greedy": "greedily",
    "random": "at random",
    "trained": "by gradient, then trained on",
}
TRAINED = "Trained on: {steps} batches of the data that the network learned from, all of its weights."

ORDERS_HELP = (
    "By gradient: how fast the loss moves with a gate at the head. By loss alone: by how much the loss rises without "
    "the head, with all others in place. Greedy: next comes always the head that costs least, given those already gone."
)
MEASURED = "How many heads can be removed?"
GRID = (
    "Importance of each head on your own input, by the gradient of a gate at it; each row is scaled to length 1. "
    "Outlined heads are taken out. Click a head to take it out, or to put it back."
)
GRID_PLACES = (
    "When each head goes, {order} on your own input: 0 goes first, 1 last. Outlined heads are taken out. Click a head "
    "to take it out, or to put it back."
)
TELL_PLACE = "module {row}, head {column}: goes at {value} of the way"
TELL = "module {row}, head {column}: importance {value}"
MODULES = (
    "The translator's modules are those of the encoder first; in the decoder self-attention and attention to the "
    "source take turns."
)
NOTES = replace(
    words.PAGE,
    try_this=(
        "Take out eight of ten heads. Does it still say the same of your input? Of all inputs?",
        "Put all heads back and take out the single most important one: which layer is it in?",
        "Compare the orders for the translator: what is it worth to know which heads matter, and what to train on?",
    ),
    references=references("MICHEL", "VOITA"),
)
FORMULA = (
    "A head's importance is how fast the loss moves with a gate $\\xi_h$ at what it adds (Michel et al., equation 2). "
    "On your input it is the loss of the network's own answer:"
)
FORMULA_SIZE = "Without a head its part of four matrices is gone, with the biases:"
