"""Many heads: what each measure means, what a silenced head costs."""

from dataclasses import dataclass, replace

from dashboard.layout import PageWords
from dashboard.references import CLARK, DOSOVITSKIY, KOBAYASHI, MICHEL, OLSSON, VASWANI, VOITA, XIAO

HEADS = PageWords(
    question="What is each head for?",
    lead=(
        "A layer does not look once but several times at once: each head has its own way of choosing what to look at. "
        "Measure all heads of a model on your own text or picture, click a cell to see its map, then silence some: "
        "what did the model lose?"
    ),
    try_this=(),
    references=(),
)
MEASURED = replace(
    HEADS,
    try_this=(
        "Sort the table by *induction*, and look at the strongest head on a text that says something twice. Does the "
        "second time look at what came after the first?",
        "Choose *entropy*: do the first layers look at everything, and the later ones at less?",
        "Find the head with the largest share of the output, then silence it. Is it also the one that costs most?",
    ),
    references=(VASWANI, CLARK, VOITA, OLSSON, XIAO, DOSOVITSKIY, KOBAYASHI),
)
SILENCED = replace(
    HEADS,
    try_this=(
        "Silence the head that costs most. Which predictions change, and do they become worse or only different?",
        "Silence all heads of one layer, then those of another. Can the model do without a layer?",
        "Silence two heads that cost nearly nothing alone. Do both together cost nothing too?",
    ),
    references=(MICHEL, VOITA, VASWANI, OLSSON),
)


@dataclass(frozen=True)
class MeasureWords:
    """A measure by its name: the unit, the formula, where it comes from, what a high and a low value mean.

    `share` marks shares of attention, which are written in percent and lie between 0 and 1.
    """

    name: str
    unit: str
    formula: str
    source: str
    high: str
    low: str
    share: bool = True

    def value(self, value: float) -> str:
        """A number with its unit."""
        return f"{value:.0%}" if self.share else f"{value:.2f} {self.unit}"


# By the name of the function in `core.heads.measures` or `core.heads.head_table`; the order is that of the page.
MEASURES = {
    "entropy": MeasureWords(
        name="Entropy",
        unit="bits",
        formula=r"\frac{1}{n}\sum_i\Big(-\sum_j A_{ij}\log_2 A_{ij}\Big)",
        source="Shannon 1948; Clark et al. 2019, section 3.3",
        high="The head looks at many tokens at once, and takes a little of each.",
        low="It decides: each token looks at one other, or at very few.",
        share=False,
    ),
    "mean_distance": MeasureWords(
        name="Distance",
        unit="tokens",
        formula=r"\frac{1}{n}\sum_i\sum_j A_{ij}\,|i-j|",
        source="Vig and Belinkov 2019, “attention distance”",
        high="The head looks far away.",
        low="It looks at the token itself and its neighbours.",
        share=False,
    ),
    "mean_distance_in_plane": MeasureWords(
        name="Distance",
        unit="patches",
        formula=r"\frac{1}{n}\sum_i\frac{\sum_j A_{ij}\,\lVert x_i-x_j\rVert}{\sum_j A_{ij}}",
        source="Dosovitskiy et al. 2020, figure 7; $x$ is a patch's place, tokens without one are left out",
        high="The head looks across the whole picture.",
        low="It looks nearby, as a convolution does.",
        share=False,
    ),
    "previous_token": MeasureWords(
        name="Previous token",
        unit="of the attention",
        formula=r"\frac{1}{n-1}\sum_{i>1} A_{i,\,i-1}",
        source="Clark et al. 2019, section 3.1; Voita et al. 2019 call such heads positional",
        high="The head copies from the token just before: it puts neighbours together.",
        low="The token before means no more to it than any other.",
    ),
    "same_token": MeasureWords(
        name="Same token",
        unit="of the attention",
        formula=r"\frac{1}{n}\sum_i A_{ii}",
        source="Clark et al. 2019, section 3.1",
        high="Each looks mainly at itself: the head moves little between places.",
        low="It looks at others.",
    ),
    "first_token": MeasureWords(
        name="First token",
        unit="of the attention",
        formula=r"\frac{1}{n-1}\sum_{i>1} A_{i1}",
        source="Xiao et al. 2023, section 3.1: the attention sink",
        high="The head rests: the first token takes what nobody needs.",
        low="It finds something to look at nearly everywhere.",
    ),
    "class_token": MeasureWords(
        name="Class token",
        unit="of the attention",
        formula=r"\frac{1}{n}\sum_{i\,\in\,\mathrm{patches}} A_{i,\,\mathrm{class}}",
        source="the attention sink of Xiao et al. 2023, for pictures",
        high="The patches read from the class token, or rest on it.",
        low="The patches look at one another.",
    ),
    "punctuation": MeasureWords(
        name="Punctuation",
        unit="of the attention",
        formula=r"\frac{1}{n}\sum_i\sum_{j\,\in\,P} A_{ij}",
        source="Clark et al. 2019, section 3.2; $P$ holds the tokens without a letter or a digit",
        high="The head rests on commas and full stops, or looks for where sentences end.",
        low="It passes over them (or this text has none).",
    ),
    "induction": MeasureWords(
        name="Induction",
        unit="of the attention",
        formula=r"\frac{1}{p}\sum_{i=p+1}^{2p} A_{i,\,i-p+1}",
        source="Olsson et al. 2022, “prefix matching”; on $p$ random tokens said twice, not on your text",
        high="At a repetition the head looks at what came next the first time: it can continue a pattern.",
        low="Repetitions mean nothing to it.",
    ),
    "output_shares": MeasureWords(
        name="Share of the output",
        unit="of the norm",
        formula=r"\frac{1}{n}\sum_i\frac{\lVert\mathrm{head}_h(i)\,W_O^h\rVert}"
        r"{\sum_{h'}\lVert\mathrm{head}_{h'}(i)\,W_O^{h'}\rVert}",
        source="after Kobayashi et al. 2020, section 3: what is looked at counts by what is then written",
        high="Much of what the layer writes comes from this head.",
        low="Wherever it looks, it hardly says anything.",
    ),
}

# Why a cell or a whole measure is empty.
NO_VALUE = "Hatched: here the measure does not apply, or there is no such head."
WINDOWS = (
    "This layer looks through {windows} windows of {length} patches each. The map is the mean over {shown} of them: "
    "rows and columns are places within a window."
)
SAMPLED = "The text is long: {rows} of {all} rows of each map were measured, evenly spread."
NO_SHARES = (
    "Left out: the share of the output. It takes whole maps, and is measured for at most {most:,} tokens; this input "
    "has {count:,}."
)

LOSS = {
    "next token": (
        "Loss on this text: how surprised the model is by each next token, on average. 0 would be certainty; "
        "each nat more means a probability 2.7 times smaller."
    ),
    "own answer": (
        "This model has no next token to guess, so the loss is about its own answer: how improbable it finds what it "
        "says itself while all heads speak (for each token of a text that it fills or writes, on average)."
    ),
}
