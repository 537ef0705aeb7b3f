"""Efficient attention: what the page says; each section's notes are those of the page with its own references."""

from dataclasses import replace

from core.results import HIDDEN, NEXT
from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

PAGE = PageWords(
    question="What may be left out?",
    lead="BigBird, Linformer and Performer skip part of the work: see each beside the exact attention of a head.",
    about=(
        "Exact attention compares every token with every other: twice the text, four times the work. Sliding windows, "
        "BigBird, Linformer and Performer leave something out. Here each of them stands beside the exact map of a real "
        "head that reads your text, with the error that it makes and the work that it takes."
    ),
    try_this=(),
    references=(),
)

# The model and the text that it reads.
OWN_TEXT_HELP = (
    "What the model writes by itself is sampled token by token from its predictions, always with the same seed. Your "
    "own text may be as long as the model's context; a file may be opened, too."
)
NO_SAMPLE = "This model cannot write an example here: type or open a text of your own."
WRITING = "The model writes its example, one token after the other …"
READING = "Reading …"
MOST_HELP = (
    "Longer texts take longer: with four times the tokens, exact attention has sixteen times the pairs. 16,384 tokens "
    "take about a minute on two cores."
)
TOO_SHORT = "A map needs at least 2 tokens; this text has {count}. Write a few words more."

# The methods.
METHOD_HELP = {
    "Sliding window": "Every token looks at its nearest neighbours only.",
    "BigBird": "A window, some random blocks, and a few tokens that see all and are seen by all; in blocks of tokens.",
    "Linformer": "Keys and values are projected to fewer; nothing is trained here.",
    "Performer": "The exponential of the softmax is estimated from random features of queries and keys.",
    "Clustered": "Queries that are alike share one row of weights.",
    "Low rank": "The nearest map of rank k: not a method, but the limit for any map of that rank.",
}
PROJECTION_HELP = "The mean of neighbours, or random numbers as of Johnson and Lindenstrauss. The paper trains it."
SETTINGS = {
    "Sliding window": "window",
    "BigBird": "blocks in the window",
    "Linformer": "rank",
    "Performer": "features",
    "Clustered": "clusters",
    "Low rank": "rank",
}

# Maps.
AHEAD = (
    "*{method}* as it is here lets later tokens influence a row: its map can be compared, but it cannot be swapped "
    "into a model that predicts them."
)
CAUSAL_LINFORMER = (
    "Linformer's projection mixes all tokens and has no causal form in its paper. Here, blocks of {block} tokens are "
    "projected one by one to {rows}, and a query sees its own block exactly and only the projections of those before."
)
SAMPLED = "{rows} of {tokens:,} rows are compared, evenly spread. The maps, the errors and the curve show those."
POOLED = "A cell is the mean of up to {rows} × {keys} weights; the scale of the two maps ends at {end}."
SCALE = "Both maps have one scale, which ends at {end}; stronger weights are drawn as strong as that."
NO_MASK = (
    "*{method}* leaves no pair out: within one layer every token gets something from every token before it, but not "
    "exactly."
)
NO_MASK_BOTH = (
    "*{method}* leaves no pair out: within one layer every token gets something from every other, but not exactly."
)
TOO_LONG_FOR_RANK = (
    "The nearest map of rank k needs a decomposition of the whole {tokens:,} × {tokens:,} map, which takes too long "
    "beyond {most:,} tokens. Choose another method, or a shorter text."
)
LINKS = "What is lost: the strongest weights that fall"
NO_LINKS = "No weight falls by more than a rounding error."
NUMBERS = {
    "Error of the output": "The norm of the difference, divided by the norm of the exact output (Frobenius).",
    "Attention moved": "Half of the summed difference of a row, mean of all rows.",
    "On dropped links": "The share of the exact attention that falls where the approximation has none.",
    "KL divergence": "Of the exact rows from the approximate ones, mean.",
    "Infinite KL, rows": "A row that drops a link is infinitely far, however little it drops: see the share on dropped "
    "links.",
    "Work": "Multiplications, compared with the exact kernel's.",
}
COMPARE = "Draw the other methods, too"
ALONG = (
    "Each point is one setting: {setting} from {least:,} to {most:,}, everything else as chosen above. Work counts "
    "multiplications; 1 is the fused exact kernel. Dotted: the nearest maps of rank k, as if they were found at no "
    "cost; the nearest map need not have the nearest output."
)
FOLLOWING = "Following the links …"
REACH_ONE = "The last token, layer by layer: what can have reached it is dark. A cell is {keys} tokens."
REACH_ALL = "After how many layers something of a token (column) can reach another (row); blank: not within {layers}."
RATIO = (
    "The relative error of the output compares what the head hands on; work is the number of multiplications of the "
    "approximation, as a share of the exact kernel's (with a causal mask, half of the pairs)."
)
MAPS_NOTES = replace(
    PAGE,
    try_this=(
        "Find the smallest window that keeps the output of this head within 10%. Then choose another layer.",
        "BigBird without random blocks and global tokens is a window in blocks. What does each part buy here?",
        "Give Performer four times the features. By how much does the error fall, and what does the work come to?",
    ),
    references=references("BELTAGY", "ZAHEER", "LINFORMER", "CHOROMANSKI", "VYAS", "DAO"),
)

# Swapped in.
ABOUT = (
    "The model was trained with exact attention. Here its layers run with another one in its place, and nothing is "
    "trained: the weights stay as they are."
)
NOT_CAUSAL = (
    "Clustered attention and the low-rank maps are not offered here: they let later tokens influence a row, and a "
    "model that predicts those tokens could be shown the answer."
)
SWEEP = "Measure every method at every setting"
NOT_ALL = "{done} of {total} settings measured: the button goes on with the rest."
NOTHING_TO_SAVE = (
    "Such a short text leaves nothing to save: every setting costs more than twice the exact kernel. Read a longer one."
)
SWEPT = (
    "Loss on this text with each method in {layers}, a point for each setting; the line is the loss with exact "
    "attention. Work counts multiplications of one head on this text; 1 is the fused exact kernel."
)
POSITIONS = (
    "Surprise by position, the mean of {width} tokens around it. The distance between the lines is what the "
    "approximation costs there."
)
RISES = "Where the loss rises most"
LOSS_FORMULA = (
    "The loss is the mean surprise of the tokens after the first, given those before; bits are nats divided by ln 2. "
    "The only difference between the two runs is the product that mixes the values in the chosen layers."
)
SWAPPED_NOTES = replace(
    PAGE,
    try_this=(
        "Swap one layer at a time. Which layer needs its far links most?",
        "Give every method the same share of the work. Which loses least without training, and which would you train?",
        "Set the window to 8 tokens and look where the loss rises first: what do those tokens need?",
    ),
    references=references("BELTAGY", "ZAHEER", "LINFORMER", "CHOROMANSKI"),
)

# From scratch.
SCRATCH_LEAD = (
    "A model trained with exact attention was never made for less. What if it was trained with less from the start? "
    "Here the same small model was trained from the same first weights with each kind of attention: {parameters} "
    "parameters that read Shakespeare letter by letter, {context} at a time, {steps:,} steps each."
)
TASK = "What the model learns"
TASKS = {HIDDEN: "To fill in hidden letters", NEXT: "To predict the next letter"}
TASK_HELP = "The two kinds of language model: BERT fills in, GPT goes on."
TASK_TOLD = {
    HIDDEN: (
        "One letter in four is hidden, as in `To _e, or n_t _o b_`, and the model may look to both sides. That is much "
        "as BERT learns, and the kind of task on which Linformer and BigBird were first measured."
    ),
    NEXT: (
        "Each letter is predicted from those before it; none may look ahead. That is how GPT learns. Clustered and "
        "low-rank attention have to be left out here: both let later letters influence a row of the map, so a model "
        "could learn to read the next letter there instead of predicting it."
    ),
}
HOW = (
    "Held-out loss on the last tenth of the text, in bits a {letter}: lower is better. Made by `{source}` on "
    "{hardware}, one seed each: how much of a small difference is chance was not measured. The text is short and the "
    "windows are small: the saving at {context} letters is small compared with that in a long text."
)
LETTER = {HIDDEN: "hidden letter", NEXT: "letter"}
YARDSTICK = (
    "**Low rank** is not a method but a yardstick: in every step the nearest map of its rank is computed from the "
    "exact one, so nothing is saved. With {against} it says what the nearest map of rank {rank} can still do."
)
BETTER = (
    "Better than exact is not a misprint: this was measured after {steps:,} steps, with one seed. What exact attention "
    "reaches in a longer training was not measured."
)
LOSS = {
    NEXT: r"\text{loss} = -\frac{1}{n}\sum_{t=1}^{n} \log_2 p(c_t \mid c_1 \ldots c_{t-1})",
    HIDDEN: r"\text{loss} = -\frac{1}{|H|}\sum_{t \in H} \log_2 p(c_t \mid c_s,\; s \notin H)",
}
HIDDEN_LETTERS = "H: the letters that are hidden together, a quarter of them; each is hidden exactly once."
SCRATCH_NOTES = replace(
    PAGE,
    try_this=(
        "Which kind of attention loses least for what it saves? Is it the same one for both tasks?",
        "To fill in, Linformer sees blends of letters only; to go on, it sees those of its own block as they are. What "
        "is that worth?",
        "Compare with *Swapped in*: how much of the loss there does training win back?",
    ),
    references=references("KARPATHY", "MASKED", "BELTAGY", "ZAHEER", "LINFORMER", "CHOROMANSKI", "VYAS"),
)

# Cost.
COST_LEAD = (
    "One head of {each} channels mixes the values of *n* tokens, with random numbers: what it costs does not depend on "
    "them. Both scales are logarithmic, so a power of *n* is a straight line, and its exponent the slope."
)
COST_SETTINGS = (
    "Sliding window of {Sliding window.window} keys; BigBird with blocks of {BigBird.block}, a window of "
    "{BigBird.window} blocks, {BigBird.random} random ones, {BigBird.global_tokens} global tokens; Linformer with rank "
    "{Linformer.rank}, in its own form, which looks ahead; Performer with {Performer.features} features; "
    "{Clustered.clusters} clusters. All but Linformer look back only."
)
KEPT = "Measured with `{source}` on {hardware}; medians of {repeats} passes or more."
HERE = "Measured on this machine just now, with {threads} threads; medians of {repeats} passes or more."
EXPONENTS = "Exponents: least squares over the logarithms, from {least:,} tokens on. Never: not up to {most:,} tokens."
FORMULAS = (
    "Numbers multiplied for one head, with *n* tokens of *d* channels: window *w* and its blocks *b*; *w*, *r* and *g* "
    "blocks of window, random and global links; rank *k*; *m* features, causally in chunks of *c*; *s* steps to find "
    "*c* clusters. What is gathered and then masked is multiplied, too, and counted."
)
COST_NOTES = replace(
    PAGE,
    try_this=(
        "Compare the time of *Exact, fused* with its memory: which of them still grows with n²?",
        "From how many tokens on would you take a sliding window on this machine?",
        "Measure on your own machine: do the curves cross at the same places?",
    ),
    references=references("DAO", "BELTAGY", "ZAHEER", "LINFORMER", "CHOROMANSKI"),
)
