"""Swin: what the whole page says; each section has a module of its own."""

from dashboard.layout import PageWords
from dashboard.references import DOSOVITSKIY, SWIN_TRANSFORMER

# The sections of the page, as they stand in the address.
WINDOWS, MAPS, BIAS, REACH = ("Windows", "Maps", "Position bias", "Reach and cost")

SWIN = PageWords(
    question="What do shifted windows see?",
    lead=(
        "In a vision transformer every patch looks at every other, and a picture of twice the side costs sixteen times "
        "as much. Swin lets each patch look only at the small window around it, shifts the windows in every second "
        "block, and merges patches between stages. What does a place of your photograph see, and how far?"
    ),
    try_this=(),
    references=(SWIN_TRANSFORMER, DOSOVITSKIY),
)
