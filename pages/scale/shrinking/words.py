"""What the page Shrinking says."""

from dashboard.layout import PageWords
from dashboard.references import references

PAGE = PageWords(
    question="What can be removed?",
    lead=(
        "Models are trained large and used small. Heads, bits, layers and single weights are really taken away here, "
        "and each time it is measured what is lost and what is saved."
    ),
    try_this=("Remove the least important head, then the most important one.",),
    references=references("JAIN"),
)

HEADS, BITS, DISTILLED, WEIGHTS, TOGETHER = ("Heads", "Bits", "Distilled", "Weights", "All together")
