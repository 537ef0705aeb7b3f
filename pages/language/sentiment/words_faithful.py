"""What Faithful? says."""

from dataclasses import replace

from dashboard.frame.references import references
from pages.language.sentiment.words import PAGE

CURVES = "Which explanation is most faithful?"
GAINS = "Better than chance?"
AGREE = "Do the explanations agree?"
DELETE, KEEP = "struck out", "kept alone"
VERDICT, STRENGTH = "what speaks for the verdict", "strength, for or against"
HINT = "Click a word: all words up to it in this order are removed."
HINT_KEPT = "Click a word: all words up to it in this order are kept, the others are removed."
ALIKE = "This explanation gives every word the same score, so its order is random."
REPLACED = (
    "Each deleted word is replaced by the model's token for “nothing”. The model learned from whole reviews and has "
    "hardly ever read a text of such tokens, so a curve measures the explanation and the oddity of such texts "
    "together. Attention and rollout are never negative, so they cannot count a word against the prediction."
)
BAND = "The grey band holds all {draws} random orders, the dotted line is their mean."
GAINED = (
    "How much smaller the area under deletion is, and how much larger the one under insertion, than with random "
    "orders. Diamonds: this review, against the mean of {draws} random orders. Dots: mean over {reviews:,} held-out "
    "reviews with its 95% bootstrap interval."
)
GAINED_HERE = (
    "How much smaller the area under deletion is, and how much larger the one under insertion, than the mean of "
    "{draws} random orders. This model was not measured over many reviews."
)
LONG = "Measure the curves: takes about {seconds:.0f} seconds"
FORMULA_AREA = "The area under the deletion curve of {name}, by the trapezoid rule:"
FORMULA_BINS = (
    "Comprehensiveness: what the prediction loses without the first 1, 5, 10, 20 and 50% of the words, on average (at "
    "least one word; DeYoung et al. 2020 take words out, here each leaves a token for nothing). Sufficiency: what "
    "those words alone fail to bring back. For {name}:"
)
FORMULA_TAU = (
    "Kendall's τ-b counts pairs of words: concordant ones ($C$), which both explanations put in the same order, and "
    "discordant ones ($D$); pairs that one of them ($T_1$, $T_2$) ranks alike count for neither. For {one} and {other}:"
)
NOTES = replace(
    PAGE,
    about=(
        "An explanation names the words that a prediction rests on, and that can be tested. Delete these words, the "
        "most important first, and the prediction should change; put them back into an empty text, and it should "
        "return at once. Random orders show what deleting any words does."
    ),
    try_this=(
        "Move the slider slowly in the order of each explanation. After how many words does the prediction change? "
        "Which explanation needs the fewest?",
        "Choose “kept alone”. How few words are enough for the prediction, and do you, reading only them, agree?",
        "Choose the convolutional network, then BERT. Is the explanation that is best for one best for the other?",
        "Rank words by strength instead of by what counts for the prediction: do attention and the gradient agree "
        "more?",
        "Write a review of four words. Why is hardly any explanation better than chance there?",
    ),
    references=references("JAIN", "PETSIUK", "DEYOUNG", "SUNDARARAJAN", "HOOKER"),
)
