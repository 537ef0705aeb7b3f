"""What the sections say that forecast and count: Laws, and the Calculator that uses them."""

from dataclasses import replace

from dashboard.frame.references import references
from pages.scale.scaling_comparison.words import PAGE

# Laws
LAWS_LEAD = (
    "Train models of many sizes on different amounts of text, and their losses lie close to smooth curves. A law with "
    "a few numbers describes them, and forecasts what a model that has not been trained yet would reach. Hold back the "
    "most expensive runs, fit the law to the others, and see how far its forecasts miss."
)
CHINCHILLA = (
    "{runs} runs of Hoffmann et al. 2022, read off their figure 4 by Epoch AI; the loss is in nats a token. The tokens "
    "follow from the compute: *D* = *C* / 6*N*. They are models of one family: other data and tokenizers have other "
    "losses."
)
PYTHIA = (
    "Eight models of Biderman et al. 2023 at their checkpoints from step 1,000 on. Their loss is that of the last word "
    "of LAMBADA's passages, in nats (the logarithm of the published perplexity), so it cannot be compared with "
    "Chinchilla's. All but the last checkpoints are unfinished trainings: their learning rate was still higher."
)
# The formula of each law, with a place for each coefficient; and the coefficients' symbols.
FORMULAS = {
    "Chinchilla": (
        r"L(N, D) = {0} + \frac{{{1}}}{{N^{{{3}}}}} + \frac{{{2}}}{{D^{{{4}}}}}",
        ("E", "A", "B", r"\alpha", r"\beta"),
    ),
    "Kaplan": (
        r"L(N, D) = \left[\left(\frac{{{0}}}{{N}}\right)^{{{2}/{3}}} + \frac{{{1}}}{{D}}\right]^{{{3}}}",
        ("N_c", "D_c", r"\alpha_N", r"\alpha_D"),
    ),
    "Compute frontier": (
        r"L(C) = {0} + \left(\frac{{{1}}}{{C}}\right)^{{{2}}}",
        ("E", "C_c", r"\alpha"),
    ),
}
FRONTIER = "It was fitted only to those runs that no run with the same or less compute beats."
ABOUT_BAND = (
    "Bands and intervals: the middle 90 % of {draws} fits to resamples of the runs. They show how certain the law is, "
    "not how far a single run strays from it, and they do not cover what no run has tried."
)
LAWS_NOTES = replace(
    PAGE,
    try_this=(
        "Hold back more: up to which compute do the small runs still predict the large ones?",
        "Fit the law with the five outliers and without them: which number moves most?",
        "Take Pythia's runs instead: does Kaplan's law or Chinchilla's predict them better?",
    ),
    references=references("KAPLAN", "HENIGHAN", "HOFFMANN", "BESIROGLU", "BIDERMAN"),
)

# Calculator
CALCULATOR_LEAD = (
    "Choose the size of a GPT and how much text it reads. What does its training cost, does it fit into a device, and "
    "would another size reach a lower loss for the same compute? The model and the number of tokens begin as those of "
    "GPT-3; the devices do not."
)
FIT = (
    "One device must hold all of this memory, unless weights, gradients and moments are sharded over several. Nothing "
    "is recomputed; all scores stay in the fused kernel."
)
SPLIT = (
    "Every point of the curve costs the same: a larger model that reads less, or a smaller one that reads more. The "
    "curve is the law of Chinchilla, fitted to {runs} of its published runs (section *Laws*), of which the most "
    "expensive took {most} FLOPs: beyond that it is a forecast, and other data and tokenizers have other losses."
)
DEVICES = "Peak speeds in half precision, without sparsity. {device}: {source}."
BILL = "Every line of the bill, as a formula"
BILL_SYMBOLS = (
    "FLOPs, then bytes. *P*: parameters, *D*: training tokens, *n*: context, *F*: FLOPs of one forward pass, *B*: "
    "texts at once, *L*: layers, *d*: width, *h*: heads, *k*: channels of a head; numbers without a letter are bytes."
)
BUDGET_FORMULA = (
    "*N* parameters and *D* tokens: 2 *N* operations a token on the way forward, twice that on the way back. The exact "
    "count takes every product of matrices; each formula stands below the figures."
)
CALCULATOR_NOTES = replace(
    PAGE,
    try_this=(
        "Let GPT-3 read 20 tokens for each parameter: what does the training cost then, and what does it buy?",
        "Find the largest model that a single device of 24 GB can train, text by text.",
        "Set the context to 131,072: how far is 6 N D from the exact count now, and why?",
    ),
    references=references("KAPLAN", "HOFFMANN", "RAJBHANDARI", "KORTHIKANTI", "CHOWDHERY", "GPT3"),
)
