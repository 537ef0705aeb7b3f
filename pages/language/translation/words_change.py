"""Cut a link."""

from dataclasses import replace

from dashboard.references import JAIN, KNOCKOUT, MICHEL, SERRANO, VOITA
from pages.language.translation.words import TRANSLATION

CHANGE_NOTHING = (
    "Nothing is cut yet. Click a cell of the map, or choose two words: the model translates again, and may not look "
    "there any more."
)
CHANGE_POSITION = (
    "A cut belongs to a **position** in the translation, not to the word that stood there at first. When the sentence "
    "changes, another word may come to that position: then it is this word that may not look."
)
CHANGE_WITHOUT = (
    "Without attention there is nothing to cut: all that the first model keeps of the sentence is one vector."
)
CHANGE_FORMULA = (
    "A cut sets a score to −∞ before the softmax: the weight is 0, and what is left of the row is shared out again in "
    "proportion. In the transformer every head of every decoder layer loses the link. All that is read from the source "
    "otherwise stays: the encoder has mixed its words, so a neighbour may still tell what the cut word said. A "
    "silenced head adds nothing to the sum over heads. The second row of numbers comes from making the "
    "changed model write the translation that it wrote before (teacher forcing)."
)
NOTES = replace(
    TRANSLATION,
    try_this=(
        "Cut the strongest link of one word. Does the model find another way, or does the word change?",
        "Cut a name or a number for the whole translation. What does the model write in its place?",
        "Cut the end mark for the whole translation, in both models. Who needs it?",
        "Silence the cross-attention heads of the transformer one by one, then all of the last layer.",
    ),
    references=(SERRANO, KNOCKOUT, MICHEL, VOITA, JAIN),
)
