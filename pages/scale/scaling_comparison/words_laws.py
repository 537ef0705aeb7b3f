"""Laws."""

from dataclasses import replace

from dashboard.references import BESIROGLU, BIDERMAN, HENIGHAN, HOFFMANN, KAPLAN
from pages.scale.scaling_comparison.words import SCALING

LEAD = (
    "Train many models of different sizes on different amounts of text, and their losses fall on smooth curves. A law "
    "with a few numbers describes them all, and says what a model will reach that nobody has trained yet. Keep the "
    "dearest runs back, fit the law to the others, and see whether it foretells them."
)
CHINCHILLA = (
    "{runs} runs of Hoffmann et al. 2022, read off their figure 4 by Epoch AI; the loss is in nats a token. The tokens "
    "follow from the compute: *D* = *C* / 6*N*. The figure has no runs of other families, data or tokenizers."
)
PYTHIA = (
    "Eight models of Biderman et al. 2023 at their checkpoints from step 1,000 on. Their loss is that of the last word "
    "of LAMBADA's passages, in nats (the logarithm of the published perplexity), so it cannot be compared with "
    "Chinchilla's. Checkpoints are no finished trainings: their learning rate was still high."
)
SYMBOLS = {
    "Chinchilla": ("E", "A", "B", "α", "β"),
    "Kaplan": ("N_c", "D_c", "α_N", "α_D"),
    "Compute frontier": ("E", "C_c", "α"),
}
FORMULAS = {
    "Chinchilla": r"L(N, D) = E + \frac{A}{N^{\alpha}} + \frac{B}{D^{\beta}}",
    "Kaplan": r"L(N, D) = \left[\left(\frac{N_c}{N}\right)^{\alpha_N/\alpha_D} + \frac{D_c}{D}\right]^{\alpha_D}",
    "Compute frontier": r"L(C) = E + \left(\frac{C_c}{C}\right)^{\alpha}",
}
ABOUT_BAND = (
    "Bands and intervals: the middle 90 % of {draws} fits to resamples of the runs. They say how sure the law is, not "
    "how far a single run strays from it, and nothing of what no run has tried."
)
NOTES = replace(
    SCALING,
    try_this=(
        "Hold back more: up to which compute do the small runs still foretell the large ones?",
        "Fit the law with the five outliers and without them: which number moves most?",
        "Take Pythia's runs instead: does Kaplan's law or Chinchilla's foretell them better?",
    ),
    references=(KAPLAN, HENIGHAN, HOFFMANN, BESIROGLU, BIDERMAN),
)
