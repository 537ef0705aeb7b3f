"""What the section Fooled says."""

from dataclasses import replace

from dashboard.frame.references import references
from dashboard.inputs import example_texts
from pages.language.sentiment.words import LANGUAGES, PAGE

SHOULD = {
    "change": "the prediction should change",
    "stay": "the prediction should stay",
    "stronger": "the prediction should not weaken",
    "weaker": "the prediction should not strengthen",
}
SHORT = {
    "rnn": "RNN, attention",
    "rnn-uniform": "RNN, uniform",
    "cnn": "CNN",
    "encoder": "Encoder",
    "bert": "BERT",
    "tfidf-logistic": "TF-IDF",
}
MAP = "Share of the pairs on which each model fails: click a row for its pairs."
PAIRS = "The pairs, and both predictions"
MARKS = (
    "~~Struck out~~: the first sentence; **bold**: the second. ✗ marks a model that fails on the pair. The predictions "
    "are computed now. The TF-IDF baseline is not part of the atlas, so only its rates are shown."
)
DIRECTION = (
    "Where words become stronger or weaker, what counts is how positive the prediction is (probability of praise, plus "
    "half of what is neither): it fails if that moves the wrong way by more than {tolerance:.0%}."
)
ALL, FAILED = "all pairs", "where somebody fails"
RUN = "Read the checklist with {name}"
NOT_YET = "{name} has not read the checklist yet: {pairs:,} pairs of sentences."
NO_NAMES = (
    "The classes of {name} are not called negative and positive: whether it changes its mind can be counted, which way "
    "it moves cannot, so pairs of intensity are left out."
)
OWN = "Your own pair"
# Pairs to click, by language.
EXAMPLES = {
    language: example_texts.examples_of(f"fooled-{language}", tuple[str, str]) for language in LANGUAGES.values()
}
METHOD = (
    "The pairs are templates of ours, filled from short lists of words: {pairs:,} for this language, the same for "
    "every model. They resemble one another, so an interval says how sure the rate is for sentences of this sort, not "
    "for all that people write. The English models were trained on whole reviews, the Spanish ones on tweets."
)
FORMULA = "The interval of a share, by Wilson: for {name} on this kind, {failed} of {pairs} pairs and $z = 1.96$,"
NOTES = replace(
    PAGE,
    about=(
        "Two sentences differ in one place: should the prediction change, or stay? Each pair is a small test with a "
        "known answer. A classifier that is right about most reviews can still fail on most pairs."
    ),
    try_this=(
        "Choose “Negation”. Compare the networks with TF-IDF, which only counts words and pairs of words: who needed a "
        "network for “not”?",
        "Choose “Contrast” and find the pairs in which two words change places. Both sentences have exactly the same "
        "words: what must a model know besides the words?",
        "Write a pair that differs in a name only, and make a model change its mind. Then try the name in a longer "
        "review: does it still matter?",
        "Name another classifier, for instance a large one from the hub, and let it read the checklist: which kind of "
        "pair is still hard for it?",
    ),
    references=references("RIBEIRO", "WILSON", "MAAS", "SOCHER"),
)
