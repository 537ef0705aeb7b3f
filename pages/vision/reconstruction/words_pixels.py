"""Reconstruction: the prose of the sections about image-GPT."""

from dataclasses import replace

from pages.vision.reconstruction.words import PAGE

NEXT_TASK, HIDDEN_TASK = TASKS = ("next pixel", "hidden pixels")
TASK_HELP = (
    "Two networks of one shape, each trained for its own task: to say which colour comes next, row by row, or which "
    "colours were left out."
)
ROWS_HELP = "This many rows are given, from the top; the network draws the others, pixel by pixel."
TEMPERATURE_HELP = (
    "1: as the network expects. Lower: probable colours are drawn even more often; 0 takes the most probable colour "
    "each time. Higher: closer to chance."
)
TOP_K_HELP = "Draw from this many of the most probable colours; 512 are all."
SEED_HELP = "The same number draws the same pictures."
SHARE_HELP = "The network learned with 15% hidden."
# Titles of tiles are short: on a phone a tile is some 80 pixels wide.
GIVEN, TRUTH, COMPLETION = "given", "truth", "drawn {number}"
SEEN, BEST, ONE_DRAW, EXPECTED, NEIGHBOURS = (
    "seen",
    "most probable",
    "drawn",
    "mean expected",
    "mean of neighbours",
)
SURPRISE = "Where does the truth surprise it?"
SURPRISE_ABOUT = (
    "The true picture read pixel by pixel: how many bits each colour takes, given what the network expected there. The "
    "stronger the veil, the more surprising; the strongest stands for even guessing or worse."
)

NEXT_NOTES = replace(
    PAGE,
    try_this=(
        "Give 4 rows, then 28: how far does what little is given carry?",
        "Lower the temperature to 0.5, then to 0: what becomes of the detail?",
        "Draw again: what stays the same in all completions?",
    ),
)
HIDDEN_NOTES = replace(
    PAGE,
    try_this=(
        "Hide 5%, then 80%: when does the mean of neighbours catch up?",
        "Compare the most probable colour with the mean of what is expected: which has the smaller error?",
    ),
)
LOOKING_NOTES = replace(
    PAGE,
    try_this=(
        "Point along an edge: do the weights follow it?",
        "Choose the head that looks most to the left, then the one that looks most above.",
        "Go to the last layers: does any head look far away?",
    ),
)
HEADS = "What does each head look at?"
HEADS_ABOUT = (
    "Means over all pixels of this picture: what a head gives to the pixel to the left of the one to be predicted, to "
    "the one above it, and to the start token, which is not a pixel; and how many pixels away its attention to pixels "
    "lies on average."
)
SIDE_NOTES = replace(
    PAGE,
    try_this=(
        "Choose the rocket, then the galaxies: on which of them does a mean colour do well?",
        "Lower the temperature: do the draws come nearer to the truth?",
    ),
)
ASKED = {
    "Masked autoencoder": (
        "**Asked** for all {hidden} hidden patches at once: for pixels, and trained by squared error. **Sees** the "
        "{seen} patches above, each as a whole, in any order."
    ),
    "Image-GPT": (
        "**Asked** for one pixel after the other: for the probability of each of {colours} colours. **Sees** every "
        "pixel above and to the left, its own guesses among them."
    ),
}
SIDE_MAE, SIDE_MEAN = "autoencoder", "mean colour"
SIDE_ABOUT = (
    "Errors are mean squared errors over the lower half, at 32 × 32 pixels, values from 0 to 1. The autoencoder sees "
    "64 × 64 pixels; what it fills in is averaged down, two by two, and so is the photograph."
)

PROBE = "What has it learned without labels?"
PROBE_ABOUT = (
    "A linear classifier for the ten classes of CIFAR-10 reads the mean of all places after each layer, {train:,} "
    "pictures to learn from and {test:,} to be asked. Layer 0 is the input of the first layer."
)
BITS = "How well is the next pixel predicted?"
BITS_ABOUT = (
    "{pictures:,} test pictures. Published figures are for three channels of 256 values each; here a pixel is one of "
    "512 colours. Fewer choices take fewer bits, so the two are not the same quantity: compare ours with ours."
)
FILLED = "How well are hidden pixels predicted?"
FILLED_ABOUT = "{share:.0%} of the pixels of {pictures:,} test pictures hidden, guessed all at once."
MEASURED_NOTES = replace(
    PAGE,
    try_this=(
        "Compare the curves of both tasks: after which layer does each tell classes best?",
        "Look at “left and above”: how much of what the network knows can be known from two pixels?",
    ),
)
NOT_MEASURED = "How good image-GPT is has not been measured yet: {why}"
