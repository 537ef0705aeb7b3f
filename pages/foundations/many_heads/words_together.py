"""Many heads: what is said of heads that are added up, and of maps that are taken together."""

from dataclasses import dataclass, replace

from dashboard.references import ABNAR, BASTINGS, CLARK, ELHAGE, JAIN, KOBAYASHI, VASWANI
from pages.foundations.many_heads.words import HEADS

ADDED_UP = replace(
    HEADS,
    try_this=(
        "Go through the layers: does the same head always write most, or do they take turns?",
        "Choose the first token. In a model that reads from left to right all heads look at the same place there; do "
        "they still write different things?",
        "Find two heads that cancel each other, then silence one of them in *Silenced*: does the other cost more now?",
    ),
    references=(VASWANI, ELHAGE, KOBAYASHI),
)
TOGETHER = replace(
    HEADS,
    try_this=(
        "Compare *Rollout* after the first layer and after the last: where did all the differences go?",
        "Follow one token through *Strongest path*, layer by layer: when does it leave its own place?",
        "Take a mean that looks convincing, then look for it in *Measured*: is there any head that has this map?",
    ),
    references=(ABNAR, JAIN, BASTINGS, CLARK),
)

EXACT = (
    "Each contribution is a head's output times that head's own rows of $W_O$. Their sum and the bias is compared with "
    "what the model itself returned: over all {tokens} tokens and {channels} channels the largest difference is "
    "**{difference}**, {relative} of the largest number."
)
NOT_WHOLE = "{title} looks through windows here, not at the whole input at once. Choose another layer or model."


@dataclass(frozen=True)
class Aggregate:
    """One way of making one map of many: what it is, what it does not mean, and its formula with its source."""

    what: str
    warning: str
    formula: str
    source: str


AGGREGATES = {
    "Mean over heads": Aggregate(
        "The mean map of each layer, all heads counting alike.",
        "No head looks like this. Two heads that each know one thing become one that knows both by halves, and a head "
        "that writes next to nothing counts as much as the one that writes most.",
        r"\bar A^{(l)} = \frac{1}{H}\sum_h A^{(l,h)}",
        "Two maps may differ and lead to the same prediction (Jain and Wallace 2019): a mean is no explanation.",
    ),
    "Largest over heads": Aggregate(
        "For each pair of tokens the largest weight that any head of the layer gives it.",
        "Rows no longer sum to 1, and neighbouring cells may come from different heads: it says that somebody looks, "
        "not who, nor what came of it.",
        r"M^{(l)}_{ij} = \max_h A^{(l,h)}_{ij}",
        "Of use for finding a link; then look at the head itself, in *Measured*.",
    ),
    "Mean over layers": Aggregate(
        "The mean over all heads of all layers.",
        "A later layer looks at mixtures of tokens that earlier ones have made, so the mean adds up weights that are "
        "about different things. No computation of the model has this map.",
        r"\bar A = \frac{1}{L\,H}\sum_{l,h} A^{(l,h)}",
        "Attention weights are weak evidence of what an input contributed (Bastings and Filippova 2020).",
    ),
    "Rollout": Aggregate(
        "From a token after a layer down to the input, along all paths: the choice of layer says up to where.",
        "It knows nothing of values, $W_O$, MLPs and norms, and takes the residual connection to be worth one half in "
        "every layer. With depth all rows grow alike, as averaging again and again makes them.",
        r"R^{(l)} = \tilde A^{(l)} R^{(l-1)},\quad \tilde A = \tfrac12 \bar A + \tfrac12 I",
        "Abnar and Zuidema 2020, section 3.",
    ),
    "Strongest path": Aggregate(
        "Of all paths that rollout adds up the single best one: the product of its weights, from the input to a layer.",
        "One path of very many, and what the others carry is left out. It knows nothing of values, $W_O$, MLPs and "
        "norms, and takes the residual connection to be worth one half.",
        r"P^{(l)}_{ij} = \max_k \tilde A^{(l)}_{ik} P^{(l-1)}_{kj} \;\le\; R^{(l)}_{ij}",
        "The graph is that of Abnar and Zuidema 2020, section 3; a sum became a maximum.",
    ),
    "Widest path": Aggregate(
        "The path whose narrowest link is widest, and how wide that is: no link on it has a smaller weight.",
        "A lower bound of *attention flow*, which would use all paths at once and takes too long here. It is neither a "
        "share nor a probability, and knows nothing of values, $W_O$, MLPs and norms.",
        r"W^{(l)}_{ij} = \max_k \min\big(\tilde A^{(l)}_{ik},\, W^{(l-1)}_{kj}\big) \;\le\; \mathrm{flow}",
        "Attention flow: Abnar and Zuidema 2020, section 3.",
    ),
}

PIECES = (
    "Pieces of a word are one word: what goes to its pieces is added up, what comes from them is averaged (Clark et "
    "al. 2019, section 4.1)."
)
PIECES_OF_THE_BEST = "Pieces of a word are one word: the best between any two of their pieces counts."
ENCODER_ONLY = "Of this model only the encoder is taken together: its decoder reads another sequence."
LEFT_OUT = "Left out: {layers}, where not all tokens look at all."
TOO_LONG = (
    "Maps of up to {most:,} tokens are taken together, and this input has {count:,}: the work grows with the cube of "
    "their number. Choose a shorter text or fewer patches."
)
