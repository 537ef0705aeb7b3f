"""What the section Compared says."""

from dataclasses import replace

from dashboard.frame.references import references
from pages.language.sentiment import words_fooled
from pages.language.sentiment.words import PAGE

# How each row of ours is called in core/published/sentiment.csv.
PUBLISHED = {
    "english": {"rnn": "1x bidirectional RNN", "cnn": "2x CNN 1D", "encoder": "1x transformer encoder"},
    "spanish": {
        "rnn": "1x bidirectional RNN",
        "cnn": "1x CNN 1D",
        "encoder": "1x transformer encoder",
        "tfidf-svm": "SVM on TF-IDF",
    },
}
# What each is called beside a figure.
SHORT = words_fooled.SHORT | {"tfidf-logistic": "TF-IDF, logistic", "tfidf-svm": "TF-IDF, SVM"}
# What each is called inside a sentence.
NAMES = {
    "rnn": "the recurrent network with attention",
    "rnn-uniform": "the one with uniform weights",
    "cnn": "the convolutional network",
    "encoder": "the encoder",
    "bert": "BERT",
    "tfidf-logistic": "logistic regression on TF-IDF",
    "tfidf-svm": "a support vector machine on TF-IDF",
}
SMALL = ("rnn", "rnn-uniform", "cnn", "encoder")
EFFORT = "What it took"
CAPTION = (
    "Full dots: measured here on the {test:,} texts of the test part, with 95% intervals. Open diamonds: published, as "
    "accuracy on a validation part ({source}); with another split, so the two can be set side by side, but ours does "
    "not repeat theirs."
)
SECONDS = (
    "Seconds an epoch were measured on the machines that the table names: they show how networks on the same machine "
    "compare, not which of two tables is faster."
)
FORMULA_ACCURACY = "Accuracy is the share of right predictions. For {name}, of {test:,} texts:"
FORMULA_F1 = (
    "F1 joins, for one class $c$, how many of its predictions are right ($P_c$) and how many of its texts it finds "
    "($R_c$); macro F1 is the mean over all classes, so that a rare class counts as much as a frequent one:"
)
NOTES = replace(
    PAGE,
    about=(
        "Every classifier of this page is measured on texts that it has not seen. Beside it stand published results "
        "of the same kind of network, and a baseline that knows no word order beyond pairs of words."
    ),
    try_this=(
        "Compare the encoder with TF-IDF, then look in “Fooled” at what each of them misses: is the more accurate one "
        "also fooled less?",
        "Choose Spanish. How many tweets would have to be judged differently for the first and the last network to "
        "change places? The intervals tell.",
        "Compare the two recurrent networks: one learned its weights, the other has uniform ones. What did attention "
        "buy? “Swap it” asks the same about single reviews.",
    ),
    references=references("MAAS", "BARBIERI", "WANG_MANNING", "YANG", "WILSON"),
)
