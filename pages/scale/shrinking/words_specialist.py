"""What A small specialist says."""

from dataclasses import replace

from core.sentiment.specialists import REVIEWS, SENTENCES
from dashboard.frame.references import references
from dashboard.inputs import example_texts
from pages.scale.shrinking import words

LEAD = (
    "Pruning and distilling begin with a large network; a specialist is small from the start and learns a single task. "
    "These classifiers of film reviews stand beside BERTs that were pre-trained on books and then fine-tuned for that "
    "task."
)
TITLES = {
    "english-encoder": "One-block encoder",
    "english-rnn": "Recurrent network",
    "english-cnn": "Convolutional network",
    "english-bert": "BERT tuned on reviews",
    "bert-tasks": "BERT tuned on phrases",
}
SHORT = {
    "english-encoder": "encoder",
    "english-rnn": "RNN",
    "english-cnn": "CNN",
    "english-bert": "BERT, reviews",
    "bert-tasks": "BERT, phrases",
}
SMALL, LARGE = "small specialist", "fine-tuned BERT"
TRAINED = {
    REVIEWS: "IMDB reviews",
    SENTENCES: "SST-2 phrases, tags",
}
HELD_OUT = {"Reviews (IMDB)": REVIEWS, "Sentences (SST-2)": SENTENCES}
OF_SET = {REVIEWS: "held-out reviews", SENTENCES: "held-out sentences"}
SET = {
    REVIEWS: "every twelfth review of IMDB's test part",
    SENTENCES: "the sentences of SST-2's dev part, spelled as people type",
}

EXAMPLES = example_texts.examples("reviews-english")
REVIEW = next(iter(EXAMPLES.values()))

MEASURED, LIMITS = "What it costs", "What the specialist cannot do"
ORDER, WORDS, OUTPUTS = "Order and negation", "Words that it does not know", "Other questions"
TABLE = (
    "Held out: {of}, {questions:,} texts, the same for all networks; none of these learned from them. ±: one standard "
    "error over the texts. Each network was trained once, so the effect of another seed is not included. Lead: the "
    "paired difference from the BERT that was tuned on texts of this set. MB: weights as float32. Milliseconds: "
    "{times}"
)
MEASURED_TIMES = "one held-out text on one thread, in turns, as the script measured it."
OWN_TIMES = "your review, in turns, on this machine, median of nine passes."
TIME = "Time all networks on your review, here"
EDITS_CAPTION = "The probability of “positive” for your review, for its words in reverse order, and for: “{negated}”"
NOT_NEGATED = (
    "The probability of “positive” for your review and for its words in reverse order. It has no auxiliary verb "
    "(is, was, can, did …) after which “not” could stand."
)
HINT = "Click a word to mask it for BERT and its students."
NO_WORDS = "There is no word here that BERT could fill in."
OUTPUTS_CUT = "Words are masked among the first {kept:,} of {total:,} tokens of the review."
OUTPUTS_CAPTION = (
    "The students of the section Distilled were taught to fill in masked tokens, not to judge reviews: they have no "
    "output for a sentiment, so they are not in the comparison above. Fine-tuning replaced BERT's own output layer."
)
NOTES = replace(
    words.PAGE,
    try_this=(
        "Choose “In two minds” under Examples: which networks disagree, and which of them is right?",
        "Misspell the word that decides. Which networks no longer know it?",
        "Under Settings choose the sentences of SST-2. Which network falls most, and what was it trained on?",
    ),
    references=references("SOCHER", "SANH", "DEVLIN_TASKS"),
)
FORMULA = (
    "The accuracy is a share $p$ of $n$ texts. Two networks on the same texts differ on text $i$ by $d_i = -1$, $0$ or "
    "$1$, and on average by $\\bar d$, one standard error after ±:"
)
