"""Calculator."""

from dataclasses import replace

from dashboard.references import CHOWDHERY, GPT3, HOFFMANN, KAPLAN, KORTHIKANTI, RAJBHANDARI
from pages.scale.scaling_comparison.words import SCALING

LEAD = (
    "Say how large a GPT shall be and how much it shall read. What does its training cost, does it fit into a device, "
    "and would another size have bought more for the same money? The numbers at first are those of GPT-3."
)
FIT = (
    "One device must hold the whole bill unless weights, gradients and moments are shared out over several. Nothing is "
    "recomputed, all scores stay in the fused kernel."
)
SPLIT = (
    "Every point of the curve costs the same: a larger model that reads less, or a smaller one that reads more. "
    "The curve is the law of Chinchilla, fitted to {runs} of its published runs (section *Laws*): other data and "
    "tokenizers have other losses."
)
DEVICES = "Peak speeds in half precision, without sparsity. {device}: {source}."
BILL = "Every line of the bill, as a formula"
SYMBOLS = (
    "FLOPs, then bytes. *P*: parameters, *D*: training tokens, *n*: context, *F*: FLOPs of one forward pass, *B*: "
    "texts at once, *L*: layers, *d*: width, *h*: heads, *k*: channels of a head; numbers without a letter are bytes."
)
FORMULA = (
    "*N* parameters and *D* tokens: 2 *N* operations a token on the way forward, twice that on the way back. The exact "
    "count takes every product of matrices; each formula stands below the figures."
)
NOTES = replace(
    SCALING,
    try_this=(
        "Let GPT-3 read 20 tokens for each parameter: what does the training cost then, and what does it buy?",
        "Find the largest model that a single device of 24 GB can train, text by text.",
        "Set the context to 131,072: how far is 6 N D from the exact count now, and why?",
    ),
    references=(KAPLAN, HOFFMANN, RAJBHANDARI, KORTHIKANTI, CHOWDHERY, GPT3),
)
