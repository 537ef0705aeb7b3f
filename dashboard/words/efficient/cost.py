"""Cost."""

from dataclasses import replace

from dashboard.words.efficient import EFFICIENT
from dashboard.words.references import BELTAGY, CHOROMANSKI, DAO, LINFORMER, ZAHEER

LEAD = (
    "One head of {each} channels mixes the values of *n* tokens, with random numbers: what it costs does not depend on "
    "them. Both scales are logarithmic, so a power of *n* is a straight line, and its exponent the slope."
)
SETTINGS = (
    "Sliding window of 128 keys; BigBird with blocks of 64, a window of 3 blocks, 2 random ones, 64 global tokens; "
    "Linformer with rank 128, in its own form, which looks ahead; Performer with 128 features; 32 clusters. All but "
    "Linformer look back only."
)
KEPT = "Measured with `{source}` on {hardware}; medians of {repeats} passes or more."
HERE = "Measured on this machine just now, with {threads} threads; medians of {repeats} passes or more."
FORMULAS = (
    "Numbers multiplied for one head, with *n* tokens of *d* channels; the curves bend where what is paid once, such "
    "as starting the kernels, is more than that."
)
NOTES = replace(
    EFFICIENT,
    try_this=(
        "Compare the time of *Exact, fused* with its memory: which of them still grows with n²?",
        "From how many tokens on would you take a sliding window on this machine?",
        "Measure on your own machine: do the curves cross at the same places?",
    ),
    references=(DAO, BELTAGY, ZAHEER, LINFORMER, CHOROMANSKI),
)
