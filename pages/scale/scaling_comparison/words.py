"""Scaling comparison: what the whole page says; each section has a module of its own."""

from dashboard.layout import PageWords

# The sections of the page, as they stand in the address.
TRANSLATION, IMAGES, TRANSFER, LANGUAGE, YEARS, LAWS, CALCULATOR, SMALL = (
    "Translation",
    "Images",
    "Pre-training",
    "Language",
    "By year",
    "Laws",
    "Calculator",
    "Small data",
)

SCALING = PageWords(
    question="What does size buy?",
    lead=(
        "Larger models, more data, more computing: all that was published about it, to be turned and filtered as you "
        "like, and every point says where it comes from. Laws fitted to it tell what the next model may cost; our own "
        "small trainings say what more data buys."
    ),
    try_this=(),
    references=(),
)
