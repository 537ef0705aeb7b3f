"""What the page Shrinking says."""

from dashboard.layout import PageWords
from dashboard.references import references

PAGE = PageWords(
    question="What can be removed?",
    lead=(
        "Models are trained large and used small. Heads, bits and whole layers are taken away here, and each time it "
        "is measured what is lost and what is saved."
    ),
    try_this=("Remove the least important head, then the most important one.",),
    references=references("MICHEL", "SANH"),
)

HEADS, BITS, DISTILLED = "Heads", "Bits", "Distilled"
