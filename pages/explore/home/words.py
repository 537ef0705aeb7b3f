"""What the first page says."""

from dashboard.layout import PageWords

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

# The way from the example to a visitor's own, by the name of the page.
OWN = {"Text": "Try it with your own sentence", "Image": "Try it with your own photograph"}
