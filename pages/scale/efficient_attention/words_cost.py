"""Cost."""

from dataclasses import replace

from dashboard.references import BELTAGY, CHOROMANSKI, DAO, LINFORMER, ZAHEER
from pages.scale.efficient_attention.words import EFFICIENT

LEAD = (
    "One head of {each} channels mixes the values of *n* tokens, with random numbers: what it costs does not depend on "
    "them. Both scales are logarithmic, so a power of *n* is a straight line, and its exponent the slope."
)
SETTINGS = (
    "Sliding window of {Sliding window.window} keys; BigBird with blocks of {BigBird.block}, a window of "
    "{BigBird.window} blocks, {BigBird.random} random ones, {BigBird.global_tokens} global tokens; Linformer with rank "
    "{Linformer.rank}, in its own form, which looks ahead; Performer with {Performer.features} features; "
    "{Clustered.clusters} clusters. All but Linformer look back only."
)
KEPT = "Measured with `{source}` on {hardware}; medians of {repeats} passes or more."
HERE = "Measured on this machine just now, with {threads} threads; medians of {repeats} passes or more."
FORMULAS = (
    "Numbers multiplied for one head, with *n* tokens of *d* channels: window *w* and its blocks *b*; *w*, *r* and *g* "
    "blocks of window, random and global links; rank *k*; *m* features, causally in chunks of *c*; *s* steps to find "
    "*c* clusters. What is gathered and then masked is multiplied, too, and counted."
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
