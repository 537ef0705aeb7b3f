"""Language."""

from dataclasses import replace

from dashboard.references import DEVLIN, GPT3, NANGIA, RADFORD, WANG_GLUE
from pages.scale.scaling_comparison.words import SCALING

TITLE = "What became of understanding language?"
GLUE, ENTRIES, SENTIMENT, SIZES = "GLUE against people", "All entries of GLUE", "Sentiment", "Model sizes"
PARTS = (GLUE, ENTRIES, SENTIMENT, SIZES)
ABOUT = {
    GLUE: (
        "Nine tasks of understanding English: is a sentence well formed, do two mean the same, does one follow from "
        "the other? Each entry of the leaderboard as a mark, the chosen one large, people as the line in the middle."
    ),
    ENTRIES: "The same table, with any two of its scores on the axes.",
    SENTIMENT: (
        "Praise or complaint? Small networks on English film reviews and Spanish tweets: recurrent, convolutional, and "
        "one encoder layer of a transformer."
    ),
    SIZES: "From the first attention to GPT-3: parameters, and the text they learned from, where it was published.",
}
GLUE_AXIS = "points ahead of people (right) or behind (left)"
GLUE_SOURCE = "Every score: {source}."
NOTHING = "Nothing is shown, so there is nothing to notice: take a filter away."
PEOPLE = (
    "“People” are crowd workers after a short training, by majority: a careful estimate, not the limit of what "
    "people can."
)
GLUE_FORMULA = (
    "A task with two measures, such as accuracy and F1, counts with their mean. People have {people} by the same "
    "formula."
)
LEADERS_ONLY = (
    "Only the first places are in the table, and a task is part of the mean: how scores go together says little about "
    "models in general."
)
HIDDEN_TEST = "The answers of the test were hidden: a server graded all entries in one way, some of them many times."
CORRELATION_FORMULA = "Over the models shown; people are left out of it."
VALIDATION = (
    "Accuracy on validation data, by which the epochs may have been chosen; one run each, so differences of a point "
    "may be chance."
)
SENTIMENT_FORMULA = "What hardware it ran on, the source does not say."
FAMOUS = "Famous models were chosen: smaller ones of the same years are missing."
NOTES = replace(
    SCALING,
    try_this=(
        "Choose *Snorkel MeTaL*, the last of the table, then the first: which tasks made the difference?",
        "Under *All entries of GLUE*, put *RTE* up: how close do the scores of the leaders lie?",
        "Under *Sentiment*, put *Trainable parameters* across: what did twenty million buy in Spanish?",
    ),
    references=(WANG_GLUE, NANGIA, DEVLIN, RADFORD, GPT3),
)
