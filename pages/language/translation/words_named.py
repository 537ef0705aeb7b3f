"""Any model."""

from dataclasses import replace

from dashboard.references import KUDO, LEWIS, MARIAN, NLLB, T5, VASWANI
from pages.language.translation.words import TRANSLATION

NAMED_PLACEHOLDER = "Helsinki-NLP/opus-mt-en-fr, google-t5/t5-small, or the path of a folder"
NAMED_HELP = (
    "The name of any encoder-decoder on Hugging Face: Marian (`Helsinki-NLP/opus-mt-en-fr`), T5 "
    "(`google-t5/t5-small`), NLLB (`facebook/nllb-200-distilled-600M`), BART (`facebook/bart-large`). In an app of "
    "your own, also the path of a folder with `model.safetensors`."
)
NAMED_NOTHING = (
    "Here any pretrained encoder-decoder translates your sentence and shows what each of its heads looks at: name a "
    "model of the hub, such as `Helsinki-NLP/opus-mt-en-fr`, or a folder on your own computer. Nothing is downloaded "
    "before you have seen its size and agreed."
)
NAMED_OFFLINE = (
    "The model hub cannot be reached from here. What works without it: the three translators of this page, or a local "
    "folder."
)
NAMED_NOT_YET = "No model is named yet, so there is nothing to notice: name one above."
NAMED_PREFIX_HELP = (
    "T5 is told by the beginning of its source what to do. The prefix is read like any other words, and is part of "
    "the source in the maps."
)
NAMED_LANGUAGE_HELP = "A code from the model's own list; the model reads or writes it as a token."
NAMED_REMARKS = {
    "bart": (
        "BART was trained to restore damaged English text, not to translate. Unless this one was trained further, "
        "expect your sentence to come back in English; its maps show how a copy is made."
    ),
    "mt5": (
        "mT5 was trained to fill gaps in texts of a hundred languages, not to translate. Unless this one was trained "
        "further, expect gaps to be filled."
    ),
    "pegasus": "Pegasus was trained to summarise English text, not to translate.",
    "led": "LED was trained to restore and summarise long English texts, not to translate.",
}
NAMED_LATEX = r"A = \mathrm{{softmax}}\left({scores}\right)"
NAMED_FORMULA = (
    "In cross-attention *Q* comes from the target, a row for each step of writing; *K* from the encoder's output, a "
    "row for each source token: so the map is a rectangle. The library's own `generate` writes the translation, with "
    "the settings that the model came with; then the model is made to write it once more in a single pass (teacher "
    "forcing), and all its attention is recorded. Row *i* belongs to the step that writes token *i*; each row sums "
    "to 1."
)
NAMED_FORMULA_T5 = (
    "T5 does not divide by a root: its weights were begun small enough to do without. In the self-attention of encoder "
    "and decoder it adds a learned bias for each distance between tokens; not here. " + NAMED_FORMULA
)
NOTES = replace(
    TRANSLATION,
    try_this=(
        "Open `Helsinki-NLP/opus-mt-en-fr` and compare its mean map with those of single heads, layer by layer. "
        "Which of them is an alignment?",
        "Open `google-t5/t5-small` and change the prefix to *translate English to German:*. Which columns did the "
        "prefix have, and does anybody look there?",
        "Give BART the same sentence: what does a map look like that only copies?",
        "In the encoder, look for heads that look one token back, one ahead, or at the end mark.",
    ),
    references=(MARIAN, T5, NLLB, LEWIS, VASWANI, KUDO),
)
