"""What the page Image says."""

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

IMAGE = PageWords(
    question="Where does it look?",
    lead="Touch a patch to see which other patches it attends to, in any head.",
    about=(
        "The picture becomes a grid of square patches, and every patch may look at every other. Touch a patch to see "
        "where it looks, or choose *class*: the token from which the model tells what is in the picture."
    ),
    try_this=(
        "Touch the background, then the subject. Do they look at the same places?",
        "Compare the first layer with the last: which heads look nearby, and which look across the whole picture?",
        "Silence a head that looks at the subject. Does the model still know what it is?",
    ),
    references=references("DOSOVITSKIY", "DARCET", "VASWANI", "JAIN"),
)
