"""What the section Forgetting says."""

from dashboard.frame.layout import PageWords

READING = "Reading …"
TOO_SHORT = "A cache forgets something from {fewest} tokens on; this text has {count}. Write a few words more."
OWN = "Your own"
RULES_HELP = (
    "**Window**: the newest keys stay. **Window and sinks**: and the first 4 of the text. **Heavy hitters**: the "
    "newest, and those that have received the most attention so far. **Small norms**: the newest, and those with the "
    "smallest norm. **Random**: the newest, and a random sample of the earlier ones."
)
BUDGET_HELP = "Keys that a head may attend to at once, its own included. The same number for all rules."
NEWEST_HELP = (
    "The share of the budget for the newest keys in heavy hitters, small norms and random: half in Zhang et al. 2023, "
    "nothing in Devoto et al. 2024."
)
POSITIONS = (
    "The mean over {width} tokens around each position. Nothing is dropped before position {budget:,} (dotted). Keys "
    "keep the positions of their tokens; Xiao et al. number them anew within the cache."
)
MAP = "What is kept, while the text goes on"
MAP_ABOUT = (
    "Each row is a step: a query and the keys in its cache (tinted). Orange: attention of the full map on keys that "
    "were dropped. A cell covers {block}; full ink stands for {end} of a query's attention or more."
)
STEP = "What is in the cache at a step"
STEP_ABOUT = (
    "Highlighted: the {kept:,} keys that the query at position {step:,} attends to. Grey: the {gone:,} dropped ones."
)
NOTHING_DROPPED = (
    "Nothing is dropped: the text has {count:,} tokens and the budget holds {budget:,}. Choose a smaller budget "
    "or more tokens."
)
NOTES = PageWords(
    question="",
    lead="",
    try_this=(
        "Choose `gpt-books` with a budget of 32: what do the first 4 tokens save there, and what here?",
        "Give the newest keys no share of the budget (*Settings*). Which rule needs them most?",
        "Double the budget again and again: from which size on can no rule be told from the full cache?",
    ),
    references=(
        "Xiao et al. 2023, [Efficient Streaming Language Models with Attention Sinks]"
        "(https://arxiv.org/abs/2309.17453), section 3: a window collapses when the first tokens leave it, and four of "
        "them, kept, repair it.",
        "Zhang et al. 2023, [H2O: Heavy-Hitter Oracle for Efficient Generative Inference of Large Language Models]"
        "(https://arxiv.org/abs/2306.14048), section 4: keys with the most accumulated attention stay.",
        "Devoto et al. 2024, [A Simple and Effective L2 Norm-Based Strategy for KV Cache Compression]"
        "(https://arxiv.org/abs/2406.11430): keys with small norms stay.",
    ),
)
FORMULA = (
    "Key *j* is visible to the queries *i* with j ≤ i < dⱼ, where dⱼ is the step at which it is dropped. The softmax "
    "is computed over visible keys only, in every layer and head at once. Lost is the attention that the full map, of "
    "the run with all keys, gives to keys that the rule has dropped. After each step at which the cache is full, one "
    "key goes: the oldest, that with the least attention summed over all queries so far, with the largest norm, or "
    "with the smallest of random numbers."
)
