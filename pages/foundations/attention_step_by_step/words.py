"""Attention step by step."""

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

PAGE = PageWords(
    question="How does a query find its values?",
    lead="Attention is eight small pieces of arithmetic: walk through them, with numbers that you can change.",
    about=(
        "Walk through attention one step at a time, with numbers that you can change (below the figure) or with those "
        "of a real model. Rest the pointer on a number of the result to see the sum that made it."
    ),
    try_this=(
        "Turn the scale off (under *Settings*) and watch the largest weight: what is left for the other tokens?",
        "Turn the mask on. Which numbers change, and which stay exactly as they are?",
        "Move the temperature towards 4. Do the weights come closer to one another, and does their order change?",
        "In the classic example, give both rows of *K* the same numbers. Can a query still tell the two tokens apart?",
    ),
    references=references("VASWANI", "ALAMMAR", "RADFORD", "CLARK"),
)
