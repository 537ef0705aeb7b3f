"""Measured."""

from dataclasses import replace

from dashboard.references import BROWN, CHEN, KOEHN, OCH, PAPINENI, POPOVIC, POST, VASWANI
from pages.language.translation.words import TRANSLATION

ALIGNED_TEXTS = {"hansards_enfr_test447": "Hansards", "alibi_enfr_stories": "Stories"}  # in the order of the tables
MEASURED_ON = (
    "BLEU (beam of 5, and greedy) and chrF over {sentences:,} English sentences of Tatoeba that no model has read, "
    "with {references:,} French references; sacrebleu {signature}. Most of these sentences are short. FLOPs are "
    "counted, seconds belong to a machine that did other work as well."
)
MEASURED_LENGTHS = (
    "Greedy. From 16 words on the texts are test sentences read one after another, because Tatoeba has few long ones; "
    "a quarter of the training pairs were joined in the same way, so length itself is new to no model."
)
MEASURED_TEXTS = (
    "**Far from home.** The Hansards are speeches in the Canadian parliament (447 pairs), the stories are tales by "
    "Perrault, Maupassant, Daudet and Mérimée (522 pairs). The models learned from short everyday sentences, and meet "
    "many of these words only in pieces. The figures say what carries over, not how well a map fits the example of "
    "this page. Layer, head, step and side were chosen on 37 other pairs of the Hansards."
)
MEASURED_HEADS = (
    "The number is the alignment error rate: the stronger the colour, the lower it is. Outlined: the head that was "
    "chosen, on other sentences than these. Mean: the mean map of the layer."
)
MEASURED_SHIFT_HELP = (
    "The step that writes a French word has not read it yet, and may look at what it needs to choose it; the next step "
    "has read it (Chen et al. 2020)."
)
MEASURED_PUBLISHED = (
    "First, Table 2 of Vaswani et al. 2017: news, 36 million training pairs for French and 4.5 million for German. "
    "Then the three of this page: short everyday sentences, 161,000 pairs, about 7.5 million parameters. BLEU depends "
    "on the text, the references and how words are cut, so **scores of the two cannot be compared**; each panel has "
    "scales of its own. What can be compared is the order within a panel."
)
BLEU_FORMULA = (
    "*p*ₙ is the share of the translation's sequences of *n* words that stand in a reference too, *c* the length of "
    "all translations, *r* that of the references closest in length (Papineni et al. 2002)."
)
AER_FORMULA = (
    "*A* are the links found by layer {layer}, head {head} of the transformer ({text}); *S* the sure links of the "
    "people, which should be found; *P* the possible ones, which may be, *S* among them (Och and Ney 2003). Weights of "
    "pieces are joined to words: the sum over the pieces looked at, the mean over those that look. A word that the "
    "tokenizer cannot see stays without a link."
)
NOTES = replace(
    TRANSLATION,
    try_this=(
        "Switch the score from BLEU to chrF. Does the order of the models change, or only the distances?",
        "Let the step count that *has read* the word. Which heads of the transformer gain, which lose?",
        "Choose *both agree*, then *either*. Why does neither simply win? (Recall and precision are in the table.)",
        "Compare Hansards and Stories: does the same head align best in both?",
    ),
    references=(PAPINENI, POST, POPOVIC, OCH, BROWN, CHEN, KOEHN, VASWANI),
)
