"""What the page Text says."""

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

TEXT = PageWords(
    question="Who listens to whom?",
    lead="Each row of the map shows how one token divides its attention; choose any head in the grid.",
    about=(
        "The model reads your text in tokens: words, or pieces of words. Each row of the map is one token choosing "
        "which others to look at, and each head of the model chooses in its own way. Pick a head from the grid; point "
        "at a row, click to keep it."
    ),
    try_this=(
        "Write a name twice, a few words apart. Is there a head in which the second one looks at what came *after* "
        "the first?",
        "Silence the head you are looking at. Does the prediction change, or did nothing depend on it?",
        "Choose *Lines* and go down the layers with the arrow keys: in which layer do tokens begin to look far away?",
    ),
    references=references("VASWANI", "CLARK", "OLSSON", "XIAO", "JAIN"),
)
