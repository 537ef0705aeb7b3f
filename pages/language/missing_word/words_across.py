"""What the section Across languages says."""

from dataclasses import dataclass, replace

from dashboard.frame.references import references
from dashboard.inputs import example_texts
from pages.language.missing_word import words


@dataclass(frozen=True)
class Example:
    """A sentence, its translation, and which words of each are hidden at first, counted from 0."""

    english: str
    french: str
    hidden_english: frozenset[int] = frozenset()
    hidden_french: frozenset[int] = frozenset()


EXAMPLES = example_texts.examples_of("across", Example)
FIRST = next(iter(EXAMPLES.values()))

NOTES = replace(
    words.PAGE,
    try_this=(
        "Mask “red”, then “rouge” as well. What does the English word lose when its translation is gone too?",
        "“A false friend” is “actuellement”: it looks like “actually” and means “now”. Is the model taken in?",
        "Take “He or she?” and write “He is a doctor.” in English. Does the French prediction follow?",
        "In “An idiom” the French pay with the eyes of the head. Does the model guess the English part of the body, or "
        "does it translate word for word?",
    ),
    references=references("LAMPLE", "DEVLIN", "OCH", "BROWN", "BAHDANAU", "CHEN", "PIRES", "JALILI"),
)

MISSING = (
    "The weights of 'bert-pairs', which has read English sentences beside their French translations, are not there. "
    "Fetch the project again, or train them: make train-bert-pairs DATA=PATH."
)
HINTS = {
    "English": "Click a word to mask it, or to show it again. Below a mask: the prediction with the French sentence.",
    "French": "Click a word to mask it, or to show it again. Below a mask: the prediction with the English sentence.",
}
ALONE_IS_STRANGE = (
    "In the other colour: the masked word. `bert-pairs` learned only from sentences with their translations, so one "
    "sentence alone is unfamiliar to it. That is part of the difference: see whether it predicts in the right "
    "language."
)
ABOUT_MAP = "attention weights, from the French words to the English ones"
CHOSEN = "aligns best"
ANY = "any head"
HEAD_HELP = (
    "“Aligns best”: the head that was chosen on 37 pairs of sentences with links made by people. It is the one in the "
    "table below."
)
GAPS_HELP = "Off: both sentences are read whole, as when the head was chosen. On: with the words masked as above."
OUTLINED = "Outlined: the strongest links. Point at a word to see its links."
NOT_MEASURED = (
    "How well the heads of this model align has not been measured here: results.json of bert-pairs is not there. Any "
    "head can be looked at."
)
TOLD_GUESSES = (
    "Measured on held-out sentences of Tatoeba: 15% of the words of one language are masked, the same ones with the "
    "other language beside them and without it. It never read one sentence alone in its training."
)
OBJECTIVE = (
    "$M$ are the masked tokens, $\\tilde W$ and $\\tilde V$ the two sentences with their masks: words are masked on "
    "both sides, and each is predicted from what is left of both (Lample and Conneau 2019, section 3.4). Mask words "
    "of one sentence only, and the other is read whole. For the mask above, “{token}”:"
)
NO_GAP = "Mask a word that the model can read, and its numbers stand here."
AER = (
    "$A$ are the strongest links of layer {layer}, head {head} on the {pairs} pairs ({text}), $S$ the sure links of "
    "people, which should be found, $P$ the possible ones, which may be, $S$ among them (Och and Ney 2003)."
)
