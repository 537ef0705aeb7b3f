"""Reconstruction: all prose of the page, section by section."""

from dataclasses import replace

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

# The sections of the page, as they stand in the address.
GAPS, SOURCES, PIXELS, LOOKING_UP, SIDE_BY_SIDE, MEASURED = (
    "Fill the gaps",
    "Who told it?",
    "Pixel by pixel",
    "Looking up",
    "Side by side",
    "Measured",
)

PAGE = PageWords(
    question="What can be told from a few patches?",
    lead="Hide most of a photograph, and two networks guess the rest: a masked autoencoder and an image-GPT.",
    about=(
        "Hide most of a photograph, and let a network guess the rest: that needs no labels, and to guess well the "
        "network must learn what things look like. A masked autoencoder (He et al. 2022) reads the patches that are "
        "left and fills in all others at once. Image-GPT (Chen et al. 2020) reads pixels as a GPT reads words, and "
        "draws one after the other."
    ),
    try_this=(),
    references=references("MAE", "IMAGE_GPT", "ABNAR"),
)

# The masked autoencoder.

SEES, GUESSES, TRUTH = "What it sees", "What it guesses", "The photograph"
CLICK = "Click a patch to hide it, and again to show it."
GUESS_HINT = "Visible patches are the photograph's own."
WHOLE_HINT = "Every patch as it is guessed."
ERROR_HINT = "The stronger the ink, the farther from the truth. Point at a patch to read its error."
TRUTH_HINT = "As the network takes it: {side} × {side} pixels."
FILLINGS = "Beside fillings that need no network"
WHOLE = (
    "The decoder guesses every patch, also those that the encoder has seen. It was never trained on them: in training "
    "only hidden patches count."
)
TARGETS = {"plain": "pixels as they are", "normalised": "normalised patches"}
TARGET_HELP = (
    "It learned both at once. Pixels as they are can be looked at. A normalised patch has lost its mean and its "
    "deviation: in the paper, guessing these taught the network most."
)
NORMALISED = (
    "Of a normalised patch the network guesses the pattern alone, with mean 0 and deviation 1. To show it, the "
    "**true** mean and deviation of each hidden patch are put back, which the network was never asked to guess: the "
    "brightness and contrast that you see come from the photograph, not from the network."
)
DRAW_HELP = "Another number hides other patches. It replaces what was hidden by hand."
NOTHING_HIDDEN = "Nothing is hidden: click patches to hide them, or choose another way of hiding."
STRIPED = (
    "Striped patches are hidden. A click on any patch shows what it looks at; the encoder has none of the hidden ones."
)
LOOKED_AT = "What do hidden patches look at?"
LOOKED_AT_ABOUT = "In each layer of the decoder, the mean over all hidden patches and over all heads."
VISIBLE, OTHERS, ITSELF, CLASS = "visible patches", "other hidden patches", "itself", "the class token"

AUTOENCODER, IMAGE_GPT = "masked autoencoder", "image-GPT"
NOTHING_MEASURED = "Nothing has been measured yet, so there is nothing to notice."
ERRORS_ABOUT = (
    "Mean squared error of hidden pixels (values 0 to 1) over {pictures:,} pictures that the network has not seen, "
    "patches hidden at random, the same ones for all; bars reach two standard errors. “Bilinear”: straight lines "
    "between the visible pixels of a row and of a column."
)
PROBE_ABOUT = (
    "Top-1 of a linear classifier on vectors of the frozen encoder, which reads whole pictures here; {pictures:,} "
    "pictures, a hundred classes. Pixels: 32 × 32 of each picture."
)
TUNED_ABOUT = (
    "The whole encoder and a linear layer, trained with labels: the same steps, pictures and settings for both. "
    "{pictures:,} pictures that neither has seen. With longer training the two would come closer to each other."
)
NOT_TUNED = "It has not been fine-tuned yet: python -m training.mae.fine_tuning, then training.mae.report once more."
STARTS = {"autoencoder": "the autoencoder's encoder", "scratch": "random weights"}
SAVING = (
    "The encoder never reads a hidden patch. An encoder that read a learned vector at each of these places, as BERT "
    "reads [MASK], would compute for all of them."
)
THERE, HERE = "on our machine", "on this machine"
MEASURED_FORMULA = (
    "*N* pictures, of each of which the share *s* is hidden; the error of each is a mean over its hidden values, and "
    "all pictures count alike."
)
SAVING_FORMULA = (
    "Multiply-adds of one layer of the encoder for *n* tokens of *d* = {width} channels: {all:.1f} million for *n* = "
    "{every}, {visible:.1f} million for *n* = {some}. The decoder reads all places in both cases."
)

GAPS_NOTES = replace(
    PAGE,
    try_this=(
        "Raise the share to 95 %: what does it still get right?",
        "Compare “random” with “block” at the same share: which gap is harder to fill?",
        "Choose “by hand” and hide just one thing, such as an eye. Does it come back?",
        "Show the normalised patches, and read what the network was told there.",
    ),
)
AUTOENCODER_NOTES = replace(
    PAGE,
    try_this=(
        "Follow the lines to 95 %: which filling suffers most?",
        "Compare what labels are worth with a tenth of them and with all.",
        "Measure the saving on this machine: is the time saved as large as the count says?",
    ),
)
SOURCES_NOTES = replace(
    PAGE,
    try_this=(
        "Click a hidden patch in a wide gap, then one with visible neighbours.",
        "Go through the layers of the decoder: in which do hidden patches turn to visible ones?",
        "Choose “encoder and decoder, all layers”: which visible patches reach a hidden one in the end?",
        "Hide a block in place of scattered patches, and watch the shares.",
    ),
)
ERROR_FORMULA = (
    "*H* are the {count} hidden patches, *n* = {values} the values of each ({patch} × {patch} pixels, three colours "
    "from 0 to 1); guesses are cut off below 0 and above 1."
)
TARGET_FORMULA = (
    "The normalised target of a patch: its own mean taken away, divided by its own deviation (He et al. 2022, table 1 "
    "d)."
)
SOURCES_FORMULA = (
    "In the {encoder} layers of the encoder *i* and *j* run over {tokens} tokens: the class token and the {seen} "
    "visible patches. In the {decoder} layers of the decoder they run over {every}: behind the class token stand the "
    "visible patches as they were encoded, and the same learned vector for each of the {hidden} hidden ones, each with "
    "its place added."
)
ROLLOUT_FORMULA = (
    "“All layers” is attention rollout (Abnar and Zuidema 2020): heads averaged, half of each vector kept. What ends "
    "on a striped patch comes from no pixel. Rollout ignores values, norms and the MLP."
)

# Image-GPT.
