"""What Distilled says."""

from dataclasses import replace

from dashboard.frame.references import references
from dashboard.inputs import example_texts
from pages.scale.shrinking import words

LEAD = (
    "A student is a smaller model that learns the answers of a trained one, its teacher. These students begin with "
    "every second or third block of their teacher. Then they are trained, once with the teacher's answers and once "
    "without."
)
KINDS = {"BERT, masked words": "bert-books", "Vision transformer": "vit-tiny-imagenet"}
WHOLE = "All layers"

EXAMPLES = example_texts.examples("missing-word")
SENTENCE = next(iter(EXAMPLES.values()))
HINT = "Click a word to mask it for all three models."

MAPS, HEADS, MEASURED = "Where they attend", "Head by head", "What it costs"
MAPS_TELL = "{row} gives {value} to {column}"
HEADS_TELL = "the student's head {row}, the teacher's head {column}: {value} nats apart"
HEADS_CAPTION = (
    "Rows are heads of the student's layer, columns those of the teacher's layer from which it began. 0: they look at "
    "the same; ln 2 = 0.69: they look at entirely different tokens. Click a cell to see both heads."
)
ASKED = {
    "bert-books": "masked tokens of a book that no model here was trained on",
    "vit-tiny-imagenet": "photographs that no network here was trained on",
}
TABLE = (
    "Held-out data: {questions:,} {asked}. ±: the standard error over these; each network was trained once, so the "
    "effect of another seed is not included. Not taught: the same beginning, the same batches, only the data's own "
    "answers. “Its mistakes”: of the questions that the teacher answers wrongly, those that get the same wrong answer. "
    "A quarter of 6 layers, rounded up, is a third. Milliseconds were taken in turns, on one thread."
)
NOTES = replace(
    words.PAGE,
    try_this=(
        "Mask a word that only the end of the sentence explains. Which network still knows it?",
        "Look for a row of the grid whose smallest number is off the diagonal: that head now looks most like another "
        "one. Is there such a row?",
        "Choose the vision transformer and your own photograph: on which pictures do the students agree with it?",
    ),
    references=references("SANH", "HINTON"),
)
FORMULA_LOSS = "A taught student's loss: the teacher's answers, softened by a temperature $T = 2$, beside the truth."
FORMULA_APART = (
    "Two heads are compared by the Jensen-Shannon divergence of their rows, averaged over all queries; for the pair "
    "that is shown:"
)
