"""Small data."""

from dataclasses import replace

from dashboard.references import DOSOVITSKIY, HE, KRIZHEVSKY
from pages.scale.scaling_comparison.words import SCALING

LEAD = (
    "A convolution knows before it has seen anything that neighbouring pixels belong together, and that a cat is a cat "
    "wherever it stands. A vision transformer must learn both from data. We trained both kinds on CIFAR-10, on all of "
    "its 50,000 pictures and on parts of them, and nothing else."
)
HOW = (
    "Each point is one training from scratch, with the same crops and mirrored pictures for all; small parts are seen "
    "more often ({epochs}). Accuracy on the 10,000 test pictures of a JPEG copy of CIFAR-10. Transformers "
    "learn by Muon, convolutions by AdamW. Learning rates were looked for with the convolution network, ViT 0.3M and "
    "ResNet18 alone; a better one may move the others. One seed each: differences of a point may "
    "be chance. All trainings are short, and the residual networks are those for pictures of 224 pixels: of a small "
    "picture they keep a single place at the end. {hardware}, shared with others: durations cannot be compared."
)
BESIDE = (
    "The lecture's trainings were other ones (its settings are not published), so only the "
    "picture as a whole can be compared. The largest networks come out worst there: ten epochs are too few for "
    "them, and the data too little."
)
NOTES = replace(
    SCALING,
    try_this=(
        "Which network gains most when it sees ten times the pictures?",
        "At which amount of data would you choose a transformer?",
        "Open *Pre-training*: how much data do vision transformers need to overtake?",
    ),
    references=(DOSOVITSKIY, HE, KRIZHEVSKY),
)
