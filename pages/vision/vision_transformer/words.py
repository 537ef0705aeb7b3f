"""Vision transformer: what the whole page says; each section has a module of its own."""

from dashboard.layout import PageWords
from dashboard.references import DOSOVITSKIY, VASWANI

# The sections of the page, as they stand in the address.
SEQUENCE, MAPS, EXPLAIN, CHANGE, MEASURED = (
    "Picture to sequence",
    "Maps",
    "Explanations",
    "Change it",
    "Measured",
)

VISION = PageWords(
    question="How does a picture become a sequence?",
    lead=(
        "A transformer reads sequences, and a photograph is none. So it is cut into square patches, each becomes a "
        "vector, and from there on patches look at one another as words do. Follow your own photograph through a real "
        "model, see where each head looks, and ask what its verdict really rests on."
    ),
    try_this=(),
    references=(DOSOVITSKIY, VASWANI),
)
