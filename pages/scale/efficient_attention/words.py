"""Efficient attention: what the whole page says; each section has a module of its own."""

from dashboard.layout import PageWords

# The sections of the page, as they stand in the address.
MAPS, SWAPPED, SCRATCH, COST = ("Maps", "Swapped in", "From scratch", "Cost")

EFFICIENT = PageWords(
    question="What may be left out?",
    lead=(
        "Exact attention compares every token with every other: twice the text, four times the work. Sliding windows, "
        "BigBird, Linformer and Performer leave something out. Here each of them stands beside the exact map of a real "
        "head that reads your text, with the error that it makes and the time that it saves."
    ),
    try_this=(),
    references=(),
)
