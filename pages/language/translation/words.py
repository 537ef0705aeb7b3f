"""Translation: what the whole page says; each section has a module of its own."""

from dashboard.layout import PageWords
from dashboard.references import BAHDANAU, CHO_ENCODER_DECODER, LUONG, SUTSKEVER, TRANSFORMER

SENTENCE = "My brother bought a small red car because it was not expensive."
CLASSIC = "The agreement on the European Economic Area was signed in August 1992."
# Translations of both, as a person writes them.
FRENCH = {
    SENTENCE: "Mon frère a acheté une petite voiture rouge parce qu'elle n'était pas chère.",
    CLASSIC: "L'accord sur la zone économique européenne a été signé en août 1992.",
}
CLASSIC_BUTTON = "The classic sentence"
CLASSIC_HELP = (
    "The sentence of figure 3 of Bahdanau et al. 2014, in which three words turn their order round. The models here "
    "are small, and learned from everyday sentences: “Economic Area” is new to them."
)

# The sections of the page, as they stand in the address.
TRANSLATE, STEPS, PAIR, CHANGE, MEASURED, OTHERS = (
    "Three translators",
    "Word by word",
    "Your own pair",
    "Cut a link",
    "Measured",
    "Any model",
)

TRANSLATION = PageWords(
    question="Which word does each word come from?",
    lead=(
        "Translation is what attention was invented for. Three models of the same size, trained on the same sentences, "
        "turn English into French: one squeezes the sentence into a single vector, one looks back at its words "
        "(Bahdanau et al. 2014), one is a transformer (Vaswani et al. 2017). What does each look at as it writes?"
    ),
    try_this=(),
    references=(CHO_ENCODER_DECODER, SUTSKEVER, BAHDANAU, LUONG, TRANSFORMER),
)

# What more than one section says.
NO_END = "it wrote as much as it may and found no end"
UNITS_HELP = (
    "The models read pieces of words. For words, the weights of the pieces that are looked at add up, and those of "
    "the pieces that look are averaged."
)
DIRECTION_HELP = (
    "Weights are no links yet: each French word takes the English word it looks at most; or each English word the "
    "French word that looks at it most; or only the links that both agree on; or all of them."
)
