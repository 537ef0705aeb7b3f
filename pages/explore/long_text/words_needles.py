"""What the section Needles says."""

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

SENTENCE = (
    "The best thing to do in San Francisco is eat a sandwich and sit in Dolores Park on a sunny day."  # Kamradt 2023
)
CUE = 9  # words of it: "The best thing to do in San Francisco is"
SHARE, SCORE, COPY = "attention to the needle", "retrieval score", "weight on the token to copy"
CUE_HELP = "So many words of the needle stand again at the end of the text; the others are the answer."
QUESTION_HELP = "Stands before the cue, for models that answer questions. Without cue words it alone asks."
HEADS_HELP = (
    "The heads with the highest retrieval scores, or the largest weight on the token to copy where these are equal."
)

NEEDLES = PageWords(
    question="What is far away and still attended to?",
    lead="A needle is planted in a book; its first words stand again at the end: which heads find the rest?",
    about=(
        "A sentence that has nothing to do with the book, the needle, is planted in its text. At the end of the text "
        "the first words of the needle stand again, the cue. A model that can look so far back copies the rest, the "
        "answer, which the book alone could not tell it. The cost of the answer is measured with the needle and "
        "without it, in bits, and each head by how often its largest weight lies on the token to be copied."
    ),
    try_this=(
        "Move the needle to a depth of 0% and choose 2,048 tokens. Which of the three measures of the best head falls "
        "first: score, weight or attention?",
        "Write a needle that the book could contain. Does it save fewer bits, because its words cost less without it?",
        "Silence one head, then three. Does the answer lose more than without heads at random, and the text before it?",
    ),
    references=references("WU_RETRIEVAL", "KAMRADT", "OLSSON"),
)
