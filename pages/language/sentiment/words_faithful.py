"""What Faithful? says."""

from dataclasses import replace

from dashboard.frame.references import references
from pages.language.sentiment.words import PAGE

LEAD = (
    "An explanation names the words that a verdict rests on. Take it at its word: delete those words, the most "
    "important first, and the verdict should fall; put them back into an empty text, and it should come back at once. "
    "Orders drawn at random show what deleting just any words does."
)
TAKEN = "Take it at its word"
CURVES = "Which one tells the truth?"
GAINS = "Better than chance?"
AGREE = "Do they say the same?"
DELETE, KEEP = "struck out", "kept alone"
VERDICT, STRENGTH = "what speaks for the verdict", "strength, for or against"
HINT = "Click a word: all words up to it in this order are removed."
HINT_KEPT = "Click a word: all words up to it in this order are kept, the others are removed."
ALIKE = "This explanation gives every word the same score, so its order is random."
REPLACED = (
    "A word that is taken away leaves the model's token for “nothing” in its place. The model learned from whole "
    "reviews: a text of little else is something it has hardly ever read, so a curve measures the explanation and the "
    "oddity of such texts together. Attention and rollout are never negative; they cannot say that a word speaks "
    "against the verdict."
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
    "Comprehensiveness: what the verdict loses without the first 1, 5, 10, 20 and 50% of the words, on average (at "
    "least one word; DeYoung et al. 2020 take words out, here each leaves a token for nothing). Sufficiency: what "
    "those words alone fail to bring back. For {name}:"
)
FORMULA_TAU = (
    "Kendall's τ-b counts pairs of words: concordant ones ($C$), which both explanations put in the same order, and "
    "discordant ones ($D$); pairs that one of them ($T_1$, $T_2$) ranks alike count for neither. For {one} and {other}:"
)
NOTES = replace(
    PAGE,
    try_this=(
        "Move the slider slowly in the order of each explanation. After how many words does the verdict turn? Which "
        "explanation needs the fewest?",
        "Choose “kept alone”. How few words are enough for the verdict, and do you, reading only them, agree?",
        "Choose the convolutional network, then BERT. Is the explanation that is best for one best for the other?",
        "Rank words by strength instead of by what speaks for the verdict: do attention and the gradient agree more?",
        "Write a review of four words. Why can hardly any explanation be told from chance there?",
    ),
    references=references("JAIN", "PETSIUK", "DEYOUNG", "SUNDARARAJAN", "HOOKER"),
)
