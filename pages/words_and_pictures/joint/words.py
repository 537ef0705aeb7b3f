"""Joint: all prose of the page, section by section."""

from dataclasses import replace

from core.results.joint_results import ANOTHER, ITS, NONE
from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

# The sections of the page, as they stand in the address.
LOOKS, HIDDEN, PATCHES, MATCH, GROUNDED, MEASURED, OTHERS = (
    "Who looks at whom?",
    "Hidden words",
    "Hidden patches",
    "Do they match?",
    "The right region?",
    "Measured",
    "Any model",
)

PAGE = PageWords(
    question="Do words look at the picture?",
    lead="In ViLBERT words attend to the picture and patches attend to the words, layer by layer.",
    about=(
        "CLIP reads a sentence and a picture apart, and compares them at the end. In ViLBERT (Lu et al. 2019) they "
        "meet on the way: in each joint layer words ask the picture, and patches ask the words. Beside it stands a "
        "network in which both are one sequence (VisualBERT, Li et al. 2019). Both know the drawn world alone; a "
        "photograph can be given to a ViLT under “Any model”."
    ),
    try_this=(),
    references=references("VILBERT", "VISUALBERT", "VILT", "DEVLIN", "CHEFER_TWO", "POINTING_GAME", "OCCLUSION"),
)

WORDS_LOOK, PICTURE_LOOKS = "words look at patches", "patches look at words"
MEAN = "mean of all heads"
SAYS = {
    WORDS_LOOK: "“{word}” gives {share} of what it gives to patches",
    PICTURE_LOOKS: "Of what all patches give to “{word}”, {share} belongs",
}
PICTURE_CONDITIONS = {
    ITS: "with its picture",
    ANOTHER: "with another picture",
    NONE: "without a picture (grey)",
}
CLICK_A_WORD = "Click a word to mask it; click again to show it."
CLICK_A_PATCH = "Click a patch to mask it; click again to show it."

LOOKS_NOTES = replace(
    PAGE,
    try_this=(
        "Choose “patches look at words”: to which word does a patch on a thing turn?",
        "Go through the layers: in which one do colour words find their thing?",
        "Choose one stream: do its words look at the picture at all, or only at one another?",
    ),
)
HIDDEN_NOTES = replace(
    PAGE,
    try_this=(
        "Mask the colour, then “a”. Which of the two is read from the picture, and which follows from grammar?",
        "Mask two words at once.",
        "Under Settings, ablate the attention of one layer after another. Which layer brings the answer?",
    ),
)
PATCHES_NOTES = replace(
    PAGE,
    try_this=(
        "Mask a whole thing. Does the sentence bring it back?",
        "Change the sentence. Does the reconstruction follow?",
    ),
)
MATCH_NOTES = replace(
    PAGE,
    try_this=(
        "Exchange one word after another. Which kind of false sentence does the model notice?",
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
        "Look at the words that are guessed without a picture: grammar alone is enough for them.",
        "Compare “another picture” with “no picture”: is a wrong picture worse than none?",
    ),
)
MEASURED_ABOUT = (
    "In 500 held-out sentences each content word is masked, one at a time. The figure says how often the first guess "
    "is the word itself: with its picture, with another picture, and with an even grey."
)
MATCH_ABOUT = (
    "Each true sentence is compared with a false one that differs in one word. The figure says how often the true one "
    "matches better; chance is 50%. “order”: both groups change places."
)
NO_SENTENCE = "There is no sentence here yet. Write one about the picture."
NO_PATCH_HIDDEN = "No patch is masked, so there is nothing to guess."
SOFT_EDGES = "It learned to predict the mean of what could be there, so edges are blurred."

NAMED_PLACEHOLDER = "dandelin/vilt-b32-mlm, or a folder"
NAMED_HELP = "A ViLT, by its name on the hub or by its folder."
NAMED_NOTHING = (
    "Name a **ViLT**: one that guesses masked words (dandelin/vilt-b32-mlm), one that answers questions "
    "(dandelin/vilt-b32-finetuned-vqa) or one that says how well text and picture match "
    "(dandelin/vilt-b32-finetuned-coco). It is fetched once, after you have agreed; then it reads your text with your "
    "photograph, and every head is shown, both ways."
)
NAMED_OFFLINE = (
    "The model hub cannot be reached from here. What works without it: the small networks of the other sections, or in "
    "an app of your own a local folder."
)
NAMED_NOT_YET = "No model is named yet, so there is nothing to notice."
NAMED_TEXT = "a photo of a [MASK]"
NAMED_QUESTION = "What is in the picture?"
NAMED_EXAMPLES = {
    "A mask": "a photo of a [MASK]",
    "A colour": "a [MASK] cup on a table",
    "A question": "What is in the picture?",
    "How many?": "How many people are there?",
}
NAMED_MASK = "Write [MASK] in place of a word, and the model guesses it."
NAMED_NOTES = replace(
    PAGE,
    try_this=(
        "Go through the layers: do words look at patches in the first ones already?",
        "Exchange a word, and see whether the map of its neighbour follows.",
        "Compare what it says with the picture and with an even grey: how much did the text give away?",
    ),
)
