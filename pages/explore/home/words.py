"""What the first page says."""

from dashboard.frame.layout import PageWords
from dashboard.inputs import example_texts

HOME = PageWords(
    question="See attention at work",
    lead=(
        "Attention is how a transformer, the kind of network behind today's language models, decides which words, or "
        "which parts of a picture, matter to one another. Here you watch it happen in every head of a real model: in "
        "this example, then in your own sentence or photograph."
    ),
    try_this=(),
    references=(),
)

# What the small examples are made of.
REPEATING, SENTENCE, TRANSLATED = example_texts.examples("home").values()
PICTURE = "coffee"
SCENE = "0-2~star.red.large.plain.18.20~circle.blue.medium.plain.46.46"

# The way from the example to a visitor's own, by the name of the page.
OWN = {"Text": "Try it with your own sentence", "Image": "Try it with your own photograph"}

# The path for whoever is here for the first time.
PATH = "First twenty minutes"
PATH_ABOUT = "{count} stations. At each you guess first, then you see what the model says."
PATH_BEGIN = "Begin with the first station"
