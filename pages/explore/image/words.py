"""What the page Image says."""

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

IMAGE = PageWords(
    question="Where does it look?",
    lead="Touch a patch to see which other patches it attends to, in any head.",
    about=(
        "The picture becomes a grid of square patches, and every patch may attend to every other. Touch a patch to see "
        "what it attends to, or choose *class*: the token from which the model predicts what the picture shows. Click "
        "a weight beside the picture to see how it was computed."
    ),
    try_this=(
        "Touch the background, then the subject. Do they attend to the same patches?",
        "Compare the first layer with the last: which heads attend nearby, and which across the whole picture?",
        "Ablate a head that attends to the subject (*Ablate this head*). Is the prediction still right?",
    ),
    references=references("DOSOVITSKIY", "DARCET", "VASWANI", "JAIN"),
)
