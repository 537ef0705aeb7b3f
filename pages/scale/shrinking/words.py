"""What the page Shrinking says, and what all of its sections share."""

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references
from dashboard.inputs import example_texts

PAGE = PageWords(
    question="What can be removed?",
    lead="Remove heads, weights, bits or layers, and see what the model loses and what it saves.",
    about=(
        "Models are often trained large and used small. Here heads, single weights, bits and whole layers are removed, "
        "and each time the loss and the saving are measured."
    ),
    try_this=("Remove the least important head, then the most important one.",),
    references=references("MICHEL", "SANH"),
)

HEADS, WEIGHTS, BITS, DISTILLED, SPECIALIST, TOGETHER = (
    "Heads",
    "Weights",
    "Bits",
    "Distilled",
    "A small specialist",
    "All together",
)

GPT, SENTIMENTS, MASKED = "GPT", "BERT, praise or blame", "BERT, masked words"
VISION, TRANSLATOR = "Vision transformer", "Translator"
MODELS = {
    GPT: "gpt-books",
    SENTIMENTS: "bert-tasks",
    VISION: "vit-tiny-imagenet",
    TRANSLATOR: "translation",
}
OTHER_TEXT, OTHER_PICTURE = "Another, for texts", "Another, for pictures"  # by name or folder
OURS = {"text": ("gpt-books", "bert-books"), "image": ("vit-tiny-imagenet",)}  # first on the lists of those

MEASURED_ON = {
    "gpt-books": "a held-out book",
    "bert-tasks": "the 872 sentences of SST-2's dev part",
    "bert-books": "masked tokens of a held-out book",
    "vit-tiny-imagenet": "1,000 pictures of the validation part",
    "translation": "200 held-out sentences",
}
MEASURES = {"bits": "bits a token (less is better)", "accuracy": "share of right answers", "BLEU": "BLEU"}

EXAMPLES = example_texts.examples("shrinking")
HIDDEN_EXAMPLES = example_texts.examples("shrinking-mask")

HIDE_ONE = "Write {mask} in place of a word: {title} says what is missing, and nothing is missing here."
NO_WRITER = (
    "{title} reads one text and writes another; here a network is asked for one answer. Choose one that continues a "
    "text, fills a mask or gives a class."
)
SAYS_NOTHING = (
    "{title} came without an output head, so nothing can be compared. Choose one that continues a text, fills a mask "
    "or gives a class."
)
NOT_MEASURED = (
    "The curves were measured for the networks that come with the atlas. For this one you see above what it says and "
    "what it costs on your own input."
)
