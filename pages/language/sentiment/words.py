"""What the page Sentiment says."""

from dataclasses import replace

from core.zoo.sentiment_classifiers import REVIEWERS
from dashboard.frame.layout import PageWords
from dashboard.frame.references import references
from dashboard.inputs import example_texts

PAGE = PageWords(
    question="Does attention explain a verdict?",
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

VERDICTS, WHY, SENTENCES = "What they say", "Which words it rests on", "Sentence by sentence"
SCALE = "Each row is scaled to its own strongest word"
TICKS = ((0, "against"), (0.5, "0"), (1, "for the verdict"))
NOT_ALL_TINTED = "The first {shown:,} of {all:,} words are shown here; the numbers to take away hold all of them."
SPOKEN = (
    "Attention and rollout only say where a network looks: they cannot say “against”. A comma counts as a word, too."
)
FEW_SENTENCES = "A text of two sentences or more is also read sentence by sentence."
ALONE = (
    "Each sentence is read once by itself. Beside it stands what the words of the sentence add up to in the "
    "explanation of the whole text: {method}, in units of log-odds."
)
NO_SHARES = "No sentence's share can be computed for this model: it has no integrated gradients."

READ_NOTES = replace(
    PAGE,
    try_this=(
        "Take the word that every explanation puts first, and replace it by its opposite. Which networks follow?",
        "Write the same review with “but” in the middle, then change its halves over: does the order matter to the "
        "convolutional network?",
        "In “Scene by scene”, find a sentence whose own verdict and whose share in the whole point in different "
        "directions.",
    ),
    references=references("YANG", "SUNDARARAJAN", "ABNAR", "BASTINGS"),
)
FORMULA_ODDS = (
    "What is explained is the log-odds of the verdict. They are zero where the network is in doubt, and do not level "
    "off where it is sure."
)
FORMULA_GRADIENT = "Gradient × input: how fast the log-odds rise as the vector of a word is stretched."
FORMULA_INTEGRATED = (
    "Integrated gradients: the mean gradient along the straight line from a text of empty words to this one, times the "
    "difference between the two. Added up over all words they give the whole rise of the log-odds (completeness)."
)
FORMULA_ATTENTION = (
    "Attention: the weight of each token in the last layer; the mean over the heads, and over the tokens R from which "
    "the verdict is read."
)
FORMULA_ROLLOUT = (
    "Rollout: the same followed down through all layers. One half of each layer is its mean over heads, the other half "
    "stands for what every token keeps of itself."
)
FORMULA_OCCLUSION = (
    "Occlusion: what is lost when a word is replaced by “{nothing}”; here for the word {word}, which loses most."
)
