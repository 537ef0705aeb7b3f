"""Joint: all prose of the page, section by section."""

from dataclasses import replace

from dashboard.layout import PageWords
from dashboard.references import references

# The sections of the page, as they stand in the address.
LOOKS, HIDDEN, PATCHES, MATCH, GROUNDED, MEASURED = (
    "Who looks at whom?",
    "Hidden words",
    "Hidden patches",
    "Do they match?",
    "The right region?",
    "Measured",
)

PAGE = PageWords(
    question="Do words look at the picture?",
    lead=(
        "CLIP reads a sentence and a picture apart, and compares them at the end. ViLBERT (Lu et al. 2019) lets "
        "them meet "
        "on the way: in each joint layer words ask the picture, and patches ask the words. Beside it stands a "
        "network of "
        "like size in which both are one sequence (VisualBERT, Li et al. 2019). Both filled in hidden words and hidden "
        "patches of the drawn world, and said whether the two belong together."
    ),
    try_this=(),
    references=references("VILBERT", "VISUALBERT", "DEVLIN", "CHEFER_TWO", "POINTING_GAME", "OCCLUSION"),
)

NETWORK = "Network"
WORDS_LOOK, PICTURE_LOOKS = "words look at patches", "patches look at words"
MEAN = "mean of all heads"
SAYS = {
    WORDS_LOOK: "“{word}” gives {share} of what it gives to patches",
    PICTURE_LOOKS: "Of what all patches give to “{word}”, {share} comes from one: it goes",
}
SHOWN = {
    "its picture": "with its picture",
    "another picture": "with another picture",
    "no picture": "without a picture",
}
NO_PICTURE = "An even grey stands where the picture was."
SILENCED_ABOUT = "All heads with which words look at the picture say nothing in this layer."
CLICK_A_WORD = "Click words to hide them, and again to show them."
CLICK_A_PATCH = "Click patches to hide them, and again to show them."

LOOKS_NOTES = replace(
    PAGE,
    try_this=(
        "Choose “patches look at words”: to which word does a patch on a thing turn?",
        "Go through the layers: in which one do colour words find their thing?",
        "Choose the one stream: do its words look at the picture at all, or at one another?",
    ),
)
HIDDEN_NOTES = replace(
    PAGE,
    try_this=(
        "Hide the colour: the picture knows it. Hide “a”: grammar knows it.",
        "Hide two words at once.",
        "Silence the looks of one layer after another: which layer brings the answer?",
    ),
)
PATCHES_NOTES = replace(
    PAGE,
    try_this=(
        "Hide a whole thing, and see whether the sentence brings it back.",
        "Change the sentence, and see whether what is guessed follows.",
    ),
)
MATCH_NOTES = replace(
    PAGE,
    try_this=(
        "Exchange one word after another: which kind of lie does the network notice?",
        "Let both groups change places: the words stay the same, only their order is wrong.",
    ),
)
GROUNDED_NOTES = replace(
    PAGE,
    try_this=(
        "Choose “shape”, then “relation”: which does its attention find?",
        "Compare two streams with one.",
    ),
)
MEASURED_NOTES = replace(
    PAGE,
    try_this=(
        "Look at the words that are guessed without any picture: grammar alone gives them away.",
        "Compare “another picture” with “no picture”: is a wrong picture worse than none?",
    ),
)
MEASURED_ABOUT = (
    "Each word of content of 500 held-out sentences is hidden by itself: how often is the first guess the word "
    "itself, with "
    "its picture, with another one, and with grey?"
)
MATCH_ABOUT = (
    "The true sentence against the same one with one word exchanged so that it is false: how often does the true "
    "one match "
    "better? “order”: both groups change places. Chance is a half."
)
PATCH_LOSS = (
    "The mean squared error over what is hidden is {error:.3f}; the mean colour of what is seen would have {mean:.3f}."
)
