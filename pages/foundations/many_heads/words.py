"""What the page Many heads says: of measures, of what an ablated head costs, of sums, of maps taken together."""

from dataclasses import dataclass, replace

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

ABLATED = "Ablated heads"
FORMER_NAMES = {"Silenced": ABLATED}  # of sections, as old links know them

HEADS = PageWords(
    question="What is each head for?",
    lead="Each head divides attention in its own way: measure all heads of a model, then ablate some.",
    about=(
        "A layer has several heads, and each divides its attention in its own way. Measure all heads of a model on "
        "your own text or picture, click a cell to see its map, then ablate some heads: what did the model lose?"
    ),
    try_this=(),
    references=(),
)
MEASURED = replace(
    HEADS,
    try_this=(
        "Sort the table by *induction*, and look at the strongest head on a text that says something twice. Does the "
        "second occurrence attend to what followed the first?",
        "Choose *entropy*: do the first layers attend to everything, and the later ones to less?",
        "Find the head with the largest share of the output, then ablate it. Is it also the one that costs most?",
    ),
    references=references("VASWANI", "CLARK", "VOITA", "OLSSON", "XIAO", "DOSOVITSKIY", "KOBAYASHI"),
)
SILENCED = replace(
    HEADS,
    try_this=(
        "Ablate the head that costs most. Which predictions change, and do they become worse or only different?",
        "Ablate all heads of one layer, then those of another. Can the model do without a layer?",
        "Ablate two heads that each cost nearly nothing. Do both together cost nothing too?",
    ),
    references=references("MICHEL", "VOITA", "VASWANI", "OLSSON"),
)


@dataclass(frozen=True)
class MeasureWords:
    """A measure by its name: the formula, where it comes from, what a high and a low value mean, the unit."""

    name: str
    formula: str
    source: str
    high: str
    low: str
    unit: str = "of the attention"

    @property
    def share(self) -> bool:
        """Whether it lies between 0 and 1, and is written in percent."""
        return self.unit.startswith("of ")

    def value(self, value: float) -> str:
        """A number with its unit."""
        return f"{value:.0%}" if self.share else f"{value:.2f} {self.unit}"


JOBS = (
    "**Job**: what a head does for nearly every token. Three jobs have names; a head with two of them counts for the "
    "larger share.\n\n"
    "**Previous token**: the token before gets more than half of the attention, and at least twice what uniform "
    "attention would give it (Clark et al. 2019, section 3.1).\n\n"
    "**First token**: the first token gets as much, wherever one stands: an attention sink (Xiao et al. 2023, section "
    "3.1).\n\n"
    "**Induction**: on random tokens said twice, the token that came next the first time gets {induction:.0%} of the "
    "attention or more, and more than other tokens in its place by {errors} standard errors (Olsson et al. 2022)."
)


# By the name of the function in `core.heads.measures` or `core.heads.head_table`; the order is that of the page.
MEASURES = {
    "entropy": MeasureWords(
        name="Entropy",
        unit="bits",
        formula=r"\frac{1}{n}\sum_i\Big(-\sum_j A_{ij}\log_2 A_{ij}\Big)",
        source="Shannon 1948; Clark et al. 2019, section 3.3",
        high="Each token spreads its attention over many tokens.",
        low="Each token attends to one token, or to very few.",
    ),
    "mean_distance": MeasureWords(
        name="Distance",
        unit="tokens",
        formula=r"\frac{1}{n}\sum_i\sum_j A_{ij}\,|i-j|",
        source="Vig and Belinkov 2019, “attention distance”",
        high="The head attends to tokens far away.",
        low="It attends to the token itself and its neighbours.",
    ),
    "mean_distance_in_plane": MeasureWords(
        name="Distance",
        unit="patches",
        formula=r"\frac{1}{n}\sum_i\frac{\sum_j A_{ij}\,\lVert x_i-x_j\rVert}{\sum_j A_{ij}}",
        source="Dosovitskiy et al. 2020, figure 7; $x$ is a patch's place, tokens without one are left out",
        high="The head attends across the whole picture.",
        low="It attends to nearby patches, as a convolution does.",
    ),
    "previous_token": MeasureWords(
        name="Previous token",
        formula=r"\frac{1}{n-1}\sum_{i>1} A_{i,\,i-1}",
        source="Clark et al. 2019, section 3.1; Voita et al. 2019 call such heads positional",
        high="Each token attends mainly to the one before it.",
        low="The previous token gets almost no attention.",
    ),
    "same_token": MeasureWords(
        name="Same token",
        formula=r"\frac{1}{n}\sum_i A_{ii}",
        source="Clark et al. 2019, section 3.1",
        high="Each token attends mainly to itself.",
        low="Each token attends to others.",
    ),
    "first_token": MeasureWords(
        name="First token",
        formula=r"\frac{1}{n-1}\sum_{i>1} A_{i1}",
        source="Xiao et al. 2023, section 3.1: the attention sink",
        high="Most of the attention goes to the first token, wherever one stands (an attention sink).",
        low="The first token gets almost no attention.",
    ),
    "class_token": MeasureWords(
        name="Class token",
        formula=r"\frac{1}{n}\sum_{i\,\in\,\mathrm{patches}} A_{i,\,\mathrm{class}}",
        source="the attention sink of Xiao et al. 2023, for pictures",
        high="The patches give much of their attention to the class token.",
        low="The patches attend to one another.",
    ),
    "punctuation": MeasureWords(
        name="Punctuation",
        formula=r"\frac{1}{n}\sum_i\sum_{j\,\in\,P} A_{ij}",
        source="Clark et al. 2019, section 3.2; $P$ holds the tokens without a letter or a digit",
        high="Much of the attention goes to commas, full stops and their like.",
        low="They get almost no attention (or this text has none).",
    ),
    "induction": MeasureWords(
        name="Induction",
        formula=r"\frac{1}{p}\sum_{i=p+1}^{2p} A_{i,\,i-p+1}",
        source="Olsson et al. 2022, “prefix matching”; on $p$ random tokens said twice, not on your text",
        high="At a repetition the head attends to what came next the first time, which continues the pattern.",
        low="What came next the first time gets almost no attention.",
    ),
    "output_shares": MeasureWords(
        name="Share of the output",
        unit="of the norm",
        formula=r"\frac{1}{n}\sum_i\frac{\lVert\mathrm{head}_h(i)\,W_O^h\rVert}"
        r"{\sum_{h'}\lVert\mathrm{head}_{h'}(i)\,W_O^{h'}\rVert}",
        source="after Kobayashi et al. 2020, section 3: what is looked at counts by what is then written",
        high="Much of the layer's output comes from this head.",
        low="Its output is small beside that of the other heads of its layer.",
    ),
}

# Why a cell or a whole measure is empty.
NO_VALUE = "Hatched: the measure does not apply here, no row has attention, or the layer has no such head."
WINDOWS = (
    "This layer looks through {windows} windows of {length} patches each. The map is the mean over {shown} of them: "
    "rows and columns are places within a window."
)
PIECES_OF_A_MAP = "This layer computes {rows} of {all} rows, in an order of their own: its map is not drawn."
SAMPLED = "The text is long: {rows} of {all} rows of each map were measured, evenly spread."
NO_SHARES = (
    "Left out: the share of the output. It takes whole maps, and is measured for at most {most:,} tokens; this input "
    "has {count:,}."
)

LOSS = {
    "next token": (
        "Loss on this text: how surprised the model is by each next token, on average. 0 would be certainty; each nat "
        "more means a probability 2.7 times smaller."
    ),
    "own answer": (
        "This model does not predict a next token, so the loss is about its own answer: how improbable it finds the "
        "answer that it gives with all heads active (the mean over the tokens, if it fills or writes a text)."
    ),
}

ADDED_UP = replace(
    HEADS,
    try_this=(
        "Go through the layers: does the same head always write most, or do they take turns?",
        "Choose the first token. In a model that reads from left to right all heads look at the same place there; do "
        "they still write different things?",
        "Find two heads that cancel each other, then ablate one of them in *Ablated heads*. Does the other cost more "
        "now?",
    ),
    references=references("VASWANI", "ELHAGE", "KOBAYASHI"),
)
TOGETHER = replace(
    HEADS,
    try_this=(
        "Compare *Rollout* after the first layer and after the last: how much of the differences is left?",
        "Follow one token through *Strongest path*, layer by layer: when does it leave its own place?",
        "Take a mean that looks convincing, then look for it in *Measured*: is there any head that has this map?",
    ),
    references=references("ABNAR", "JAIN", "BASTINGS", "CLARK"),
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
        "No single head needs to look like this. Two heads with one job each are blended into one map, and a head that "
        "writes next to nothing counts as much as the one that writes most.",
        r"\bar A^{(l)} = \frac{1}{H}\sum_h A^{(l,h)}",
        "Two maps may differ and lead to the same prediction (Jain and Wallace 2019): a mean is no explanation.",
    ),
    "Largest over heads": Aggregate(
        "For each pair of tokens the largest weight that any head of the layer gives it.",
        "Rows may sum to more than 1, and neighbouring cells may come from different heads: the map says that some "
        "head looks, not which one, nor what came of it.",
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
        "From a token after the chosen layer back to the input, along all paths.",
        "It ignores values, $W_O$, MLPs and norms, and counts the residual connection as one half in every layer. Each "
        "layer averages once more, so the rows tend to become more alike.",
        r"R^{(l)} = \tilde A^{(l)} R^{(l-1)},\quad \tilde A = \tfrac12 \bar A + \tfrac12 I",
        "Abnar and Zuidema 2020, section 3.",
    ),
    "Strongest path": Aggregate(
        "The single best of all the paths that rollout adds up: the product of its weights, from the input to a layer.",
        "It is one path of very many, and what the others carry is left out. It ignores values, $W_O$, MLPs and norms, "
        "and counts the residual connection as one half.",
        r"P^{(l)}_{ij} = \max_k \tilde A^{(l)}_{ik} P^{(l-1)}_{kj} \;\le\; R^{(l)}_{ij}",
        "The graph is that of Abnar and Zuidema 2020, section 3; the sum is replaced by a maximum.",
    ),
    "Widest path": Aggregate(
        "The path whose narrowest link is widest, and how wide that is: no link on it has a smaller weight.",
        "A lower bound of *attention flow*, which would use all paths at once and takes too long here. It is neither a "
        "share nor a probability, and ignores values, $W_O$, MLPs and norms.",
        r"W^{(l)}_{ij} = \max_k \min\big(\tilde A^{(l)}_{ik},\, W^{(l-1)}_{kj}\big) \;\le\; \mathrm{flow}",
        "Attention flow: Abnar and Zuidema 2020, section 3.",
    ),
}

PIECES = (
    "Pieces of a word are one word: what goes to its pieces is added up, what comes from them is averaged (Clark et "
    "al. 2019, section 4.1)."
)
PIECES_OF_THE_BEST = "Pieces of a word are one word: the largest value between any two of their pieces counts."
ENCODER_ONLY = "Only the encoder of this model is taken together: its decoder reads another sequence."
LEFT_OUT = "Left out: {layers}, where not every token can look at every other."
