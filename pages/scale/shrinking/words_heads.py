"""What Heads says."""

from dataclasses import replace

from dashboard.references import references
from pages.scale.shrinking import words

LEAD = (
    "Here heads are really taken out of a network: their rows of W_Q, W_K and W_V and their columns of W_O are gone, "
    "and it computes with smaller matrices. Nothing is trained afterwards."
)
MODELS = {
    "GPT": "gpt-books",
    "BERT, praise or blame": "bert-tasks",
    "Vision transformer": "vit-tiny-imagenet",
    "Translator": "translation",
}
ORDERS = {"gradient": "least important first, by gradient", "alone": "least costly alone first", "random": "at random"}
MEASURES = {"bits": "bits a token (less is better)", "accuracy": "share of right answers", "BLEU": "BLEU"}
SUBJECTS = {
    "gpt-books": "a book that it has not read",
    "bert-tasks": "the 872 sentences of SST-2's dev part",
    "vit-tiny-imagenet": "1,000 pictures of the validation part",
    "translation": "200 sentences that it has not read",
}
ASKED = {"bert-tasks": 872, "vit-tiny-imagenet": 1_000}  # questions that are answered rightly or not
EXAMPLES = {
    "A dull film": "A dull film with a wonderful cast, and I would not watch it again.",
    "By the fire": "The old man sat down by the fire and lit his",
    "The garden": "The children were playing in the garden when it began to rain.",
}
SENTENCE = next(iter(EXAMPLES.values()))

OWN, SAYS, MEASURED = "Its heads, on your input", "What it says without them", "How many can go?"
GRID = (
    "Importance of each head on your own input, by the gradient of a gate at it; each row is scaled to length 1. "
    "Outlined heads are taken out. Click a head to take it out, or to put it back."
)
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
        "Compare the orders for the translator: what is it worth to know which heads matter?",
    ),
    references=references("MICHEL", "VOITA"),
)
FORMULA = (
    "A head's importance is how fast the loss moves with a gate $\\xi_h$ at what it adds (Michel et al., equation 2). "
    "On your input it is the loss of the network's own answer:"
)
FORMULA_SIZE = "Without a head its part of four matrices is gone, with the biases:"
