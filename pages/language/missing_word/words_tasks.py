"""What the section Tasks says."""

from dataclasses import replace

from dashboard.frame.references import references
from dashboard.inputs import example_texts
from pages.language.missing_word.words import PAGE

EXAMPLES = example_texts.examples("tasks")
SENTENCE = next(iter(EXAMPLES.values()))

HINT = "Click a word to see what it attends to. Below each word: its part of speech, and how sure the model is."
TAG_NAMES = {
    "NOUN": "noun",
    "PROPN": "name",
    "VERB": "verb",
    "ADJ": "adjective",
    "ADV": "adverb",
    "INTJ": "interjection",
    "PRON": "pronoun",
    "DET": "determiner",
    "AUX": "auxiliary",
    "ADP": "preposition",
    "CCONJ": "and, or, but",
    "SCONJ": "that, if, while",
    "PART": "particle (to, not, 's)",
    "NUM": "number",
    "PUNCT": "punctuation",
    "SYM": "symbol",
    "X": "other",
}
# Each group of tags has a colour: what is named, what happens, what describes, what connects, signs.
GROUPS = {
    "nouns, names, pronouns": ("NOUN", "PROPN", "PRON"),
    "verbs": ("VERB", "AUX"),
    "adjectives, adverbs, calls": ("ADJ", "ADV", "INTJ"),
    "function words, numbers": ("DET", "ADP", "CCONJ", "SCONJ", "PART", "NUM"),
    "signs and others": ("PUNCT", "SYM", "X"),
}
WORD, VERDICT = "the clicked word, for its tag", "[CLS], for the verdict"
MOVED = "How much each head's attention moved, from 0 (none) to 1 (all of it), on average over the rows of its map."
READ_FROM = (
    "A tag is read off the first piece of its word, after the last layer; the sentiment is read off `[CLS]`. The "
    "figure shows one head's attention on the way there, which does not prove what decided."
)
MEASURED = (
    "Tags: the {words:,} words of UD_English-EWT's test sentences. Sentiments: the {sentences} sentences of SST-2's "
    "dev part as GLUE has it. The encoder was pre-trained on old novels only; its fine-tuning read {learned_words:,} "
    "tagged words and {learned_phrases:,} phrases."
)
FORMULA = (
    "$h_{i}$ is the vector of word $i$'s first piece after the last layer, $h_{\\mathtt{[CLS]}}$ that of the first "
    "token; the matrices are the two heads. With two classes only the difference of the two logits counts. Here:"
)
MOVED_FORMULA = "The share of a row's attention that moved is half the sum of all differences. For the row above:"
NOTES = replace(
    PAGE,
    about=(
        "One encoder, two small heads: one gives each word a part of speech, the other gives the sentence a sentiment. "
        "The encoder was `bert-books`, then learned both tasks at once. Its attention is shown before and after."
    ),
    try_this=(
        "Write one word twice, once as a noun and once as a verb: “The cook will cook.” Does the tag change? In which "
        "head do the two look at different words?",
        "Take “Not good” and delete “not”. How does the sentiment change? Which head's row of [CLS] gives most to "
        "“not”?",
        "Write “The film is not bad.” Does the model know that two negative words can be praise?",
        "Ask for the head that moved most. Did it take its attention from `[SEP]`, and what does it look at now?",
        "Write something that no novel of 1890 knows, such as “lol that movie was lit”. How sure are the tags?",
    ),
    references=references(
        "DEVLIN_TASKS", "NIVRE_TAGS", "SILVEIRA", "SOCHER", "WANG_GLUE", "KOVALEVA", "CLARK", "BASTINGS"
    ),
)
