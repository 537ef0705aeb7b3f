"""What the page Text says."""

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

TEXT = PageWords(
    question="Who listens to whom?",
    lead="Each row of the map shows how one token divides its attention; choose any head in the grid.",
    about=(
        "The model reads your text in tokens: words, or pieces of words. Each row of the map shows how one token "
        "divides its attention among the others, and each head does so in its own way. Pick a head from the grid; "
        "point at a row, and click a cell to see how its weight was computed."
    ),
    try_this=(
        "Write a name twice, a few words apart. Is there a head in which the second one attends to what came *after* "
        "the first?",
        "Ablate the head on screen (*Ablate this head*). Does the prediction change?",
        "Choose *Lines* and go down the layers with the arrow keys: in which layer do tokens begin to attend far away?",
    ),
    references=references("VASWANI", "CLARK", "OLSSON", "XIAO", "JAIN"),
)
