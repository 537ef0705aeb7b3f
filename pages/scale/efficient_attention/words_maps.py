"""Maps."""

from dataclasses import replace

from dashboard.references import BELTAGY, CHOROMANSKI, DAO, LINFORMER, VYAS, ZAHEER
from pages.scale.efficient_attention.words import EFFICIENT

OWN_TEXT_HELP = (
    "What the model writes by itself is drawn token by token from what it expects, always with the same seed. Your own "
    "text may be as long as the model's context; a file may be opened, too."
)
WRITING = "The model writes its example, one token after the other …"
READING = "Reading …"
MOST_HELP = (
    "Longer texts take longer: with four times the tokens, exact attention has sixteen times the pairs. 16,384 tokens "
    "take up to a minute on two cores."
)
METHOD_HELP = {
    "Sliding window": "Every token looks at its nearest neighbours only.",
    "BigBird": "A window, some random blocks, and a few tokens that see all and are seen by all; in blocks of tokens.",
    "Linformer": "Neighbouring keys and values are projected to a few; nothing is trained here.",
    "Performer": "The exponential of the softmax is estimated from random features of queries and keys.",
    "Clustered": "Queries that are alike share one row of weights.",
    "Low rank": "The nearest map of rank k that there is: no method, but the limit for all that project.",
}
AHEAD = (
    "*{method}* as it is here lets later tokens have a say in a row: its map can be compared, but it cannot be swapped "
    "into a model that predicts them."
)
CAUSAL_LINFORMER = (
    "Linformer's projection mixes all tokens and has no causal form in its paper. Here, blocks of {block} tokens are "
    "projected one by one to {rows}, and a query sees its own block exactly and only the projections of those before."
)
SAMPLED = "Of {tokens:,} rows {rows} are compared, evenly spread: the maps, the errors and the curve stand on those."
POOLED = "A cell is the mean of {rows} × {keys} weights; the scale of the two maps ends at {end}."
SCALE = "Both maps have one scale, which ends at {end}; stronger weights are drawn as strong as that."
NO_MASK = "*{method}* has no mask: every token hears of every token before it within one layer, though not exactly."
NO_MASK_BOTH = "*{method}* has no mask: every token hears of every other within one layer, though not exactly."
TOO_LONG_FOR_RANK = (
    "The nearest map of rank k needs a decomposition of the whole {tokens:,} × {tokens:,} map, which takes too long "
    "beyond {most:,} tokens. Choose another method, or a shorter text."
)
TOO_SHORT = "A map needs at least 2 tokens; this text has {count}. Write a few words more."
NO_SAMPLE = "This model cannot write an example here: type or open a text of your own."
LINKS = "What is lost: the strongest weights that fall"
NO_LINKS = "No weight falls by more than a rounding error."
COMPARE = "Draw the other methods, too"
ALONG = (
    "Each point is one setting: {setting} from {least:,} to {most:,}, everything else as chosen above. Work counts "
    "multiplications; 1 is the fused exact kernel. Dotted: the bound for maps of rank k, found "
    "at no cost."
)
SETTINGS = {
    "Sliding window": "window",
    "BigBird": "blocks in the window",
    "Linformer": "rank",
    "Performer": "features",
    "Clustered": "clusters",
    "Low rank": "rank",
}
REACH_ONE = "The last token, layer by layer: dark is what it has heard of. A cell is {keys} tokens."
REACH_ALL = "In how many layers a token (row) hears of another (column); blank: not within {layers}."
RATIO = (
    "The relative error of the output compares what the head hands on; work is the number of multiplications of the "
    "approximation, as a share of the exact kernel's (with a causal mask, half of the pairs)."
)
NOTES = replace(
    EFFICIENT,
    try_this=(
        "Find the smallest window that keeps the output of this head within 10%. Then choose another layer.",
        "BigBird without random blocks and global tokens is a window in blocks. What does each part buy here?",
        "Give Performer four times the features. By how much does the error fall, and what does the work come to?",
    ),
    references=(BELTAGY, ZAHEER, LINFORMER, CHOROMANSKI, VYAS, DAO),
)
