"""What the page Sentiment says."""

from dataclasses import replace

from core.zoo.sentiment_classifiers import REVIEWERS
from dashboard.frame.layout import PageWords
from dashboard.frame.references import references
from dashboard.inputs import example_texts

PAGE = PageWords(
    question="Does attention explain a prediction?",
    lead="Small networks say whether a review is positive; measure whether the words they attend to are the reason.",
    about=(
        f"Small networks, {len(REVIEWERS['english'])} for English reviews and {len(REVIEWERS['spanish'])} for Spanish "
        "tweets, say what a writer thinks, and some of them show which words they looked at. Whether those words are "
        "the reason is another question, and it can be measured."
    ),
    try_this=("Write a review that praises with harsh words: who is fooled?",),
    references=references("JAIN", "YANG", "BASTINGS"),
)

READ, FAITHFUL, SWAP, FOOLED, COMPARED = "Read", "Faithful?", "Swap it", "Fooled", "Compared"

LANGUAGES = {"English": "english", "Spanish": "spanish"}

# Reviews to click, by language.
EXAMPLES = {language: example_texts.examples(f"reviews-{language}") for language in LANGUAGES.values()}

NO_CLASSIFIER = (
    "{title} gives a text no class. Choose one of the classifiers on the list, or a model for sequence classification "
    "by name or folder."
)
ONE_CLASS = "{title} has a single class: it can say nothing else, so there is nothing to explain."
OTHER_LANGUAGE = "It was trained on texts in {language}."

WHY, SENTENCES = "Which words it rests on", "Sentence by sentence"
SCALE = "Each row is scaled to its strongest word"
TICKS = ((0, "against"), (0.5, "0"), (1, "for the prediction"))
NOT_ALL_TINTED = "The first {shown:,} of {all:,} words are shown here; the numbers to take away hold all of them."
SPOKEN = "Attention and rollout are never negative, so they cannot count against a class. A comma counts as a word."
FEW_SENTENCES = "A text of two sentences or more is also read sentence by sentence."
ALONE = (
    "“Read alone” is the prediction for the sentence by itself. “Adds to the whole” is the sum over its words in the "
    "explanation of the whole text: {method}, in log-odds."
)
NO_SHARES = "This model has no integrated gradients, so what each sentence adds cannot be computed."

READ_NOTES = replace(
    PAGE,
    try_this=(
        "Replace the word that every explanation puts first by its opposite. Which networks follow?",
        "Write the same review with “but” in the middle, then swap its halves: does the order matter to the "
        "convolutional network?",
        "In “Scene by scene”, find a sentence whose own prediction and whose share in the whole have opposite signs.",
    ),
    references=references("YANG", "SUNDARARAJAN", "ABNAR", "BASTINGS"),
)
FORMULA_ODDS = (
    "What is explained is the log-odds of the predicted class: 0 where the network is undecided, and not saturated "
    "where it is sure."
)
FORMULA_GRADIENT = "Gradient × input: how fast the log-odds rise as the vector of a word is stretched."
FORMULA_INTEGRATED = (
    "Integrated gradients: the mean gradient along the straight line from a text of empty words to this one, times the "
    "difference between the two. Added up over all words they give the whole rise of the log-odds (completeness)."
)
FORMULA_ATTENTION = (
    "Attention: the weight of each token in the last layer; the mean over the heads, and over the tokens R from which "
    "the prediction is read."
)
FORMULA_ROLLOUT = (
    "Rollout: the same followed down through all layers. One half of each layer is its mean over heads, the other half "
    "stands for what every token keeps of itself."
)
FORMULA_OCCLUSION = (
    "Occlusion: what is lost when a word is replaced by “{nothing}”; here for the word {word}, which loses most."
)
