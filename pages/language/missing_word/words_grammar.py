"""What the section Grammar says, and relations of Universal Dependencies in plain words."""

from dataclasses import replace

from dashboard.frame.references import references
from pages.language.missing_word import words

NOTES = replace(
    words.PAGE,
    try_this=(
        "Choose an annotated sentence: solid arcs are in its tree, dotted ones are not. Which of them are near misses?",
        "Put a long insertion between a subject and its verb (“The keys that the man in the car lost were old.”). Does "
        "the head for `nsubj` still find the way, or does it take the nearest noun?",
        "Click a head in the map that is best at no relation, and see what it links instead.",
        "Open `gpt-books` and then a BERT. Which relations can a model find only if it may look ahead?",
    ),
    references=references("CLARK_SYNTAX", "NIVRE", "SILVEIRA", "VOITA", "VIG", "HTUT"),
)

ABOUT = "An arc goes from each word to the other word that a head attends to most; the arrow points to the latter."
BELOW = (
    "Below the words stands their tree, drawn by people; its arrows point from a governor to what depends on it. "
    "Above, an arc is solid where the tree has this link for this relation, and dotted where it has not."
)
UNKNOWN = (
    "This sentence has not been annotated, so its true tree is not known: the arcs show the heads' links, right or "
    "wrong. The annotated sentences have their trees."
)
NOT_MEASURED = (
    "How well the heads of {title} follow grammar has not been measured here, so it is not known which head is best at "
    "what. Look at any head above, or open a treebank and measure: UD_English-EWT and many others are at "
    "universaldependencies.org."
)
TREEBANK = (
    "A file in CoNLL-U, at most 10 MB: the first 2,000 sentences of at most 128 words are read. Heads are chosen in "
    "every other sentence and tried in those between them."
)
TABLE = (
    "Measured on UD_English-EWT: heads and distances chosen in {chosen:,} training sentences, shares of {tried:,} test "
    "sentences. Relations with at least {few} cases are shown. Clark et al. measured BERT-base on another treebank "
    "(Wall Street Journal, Stanford labels) and chose heads on the sentences on which they report, so their figures "
    "compare only loosely."
)
OWN = (
    "Measured on your file: heads and distances chosen in {chosen:,} of its sentences, shares of the {tried:,} others. "
    "Relations with at least {few} cases are shown."
)
FORMULA = (
    "$C$ are the {cases:,} {what} in the test sentences, $A_{{ij}}$ is what word $i$ gives to word $j$: the sum over "
    "the tokens of $j$, the mean over those of $i$. Links to special tokens and to the word itself are passed over; "
    "links to punctuation count, as wrong ones. The relations `punct` and `root` are not measured."
)
TO = {
    "to governor": "words that depend on another as `{relation}`, and $g(i)$ is the governor of word $i$",
    "to dependent": "words that govern others as `{relation}`, and $g(i)$ is any of those that word $i$ governs so",
}

# Universal Dependencies in words (universaldependencies.org/u/dep); a subtype without an entry has that of its type.
RELATIONS = {
    "acl": "clause that modifies a noun",
    "acl:relcl": "relative clause",
    "advcl": "adverbial clause",
    "advmod": "adverb",
    "amod": "adjective of a noun",
    "appos": "apposition",
    "aux": "auxiliary verb",
    "aux:pass": "auxiliary of a passive",
    "case": "preposition or 's",
    "cc": "and, or, but",
    "ccomp": "clause as object",
    "clf": "classifier",
    "compound": "compound",
    "compound:prt": "particle of a verb",
    "conj": "joined by and, or",
    "cop": "form of be",
    "csubj": "clause as subject",
    "dep": "unspecified",
    "det": "article, determiner",
    "det:predet": "all, both before a determiner",
    "discourse": "interjection",
    "dislocated": "dislocated element",
    "expl": "there, it without meaning",
    "fixed": "part of a fixed expression",
    "flat": "part of a name",
    "goeswith": "word split by mistake",
    "iobj": "indirect object",
    "list": "item of a list",
    "mark": "that, if, to",
    "nmod": "noun that modifies a noun",
    "nmod:poss": "possessor",
    "nsubj": "subject",
    "nsubj:pass": "subject of a passive",
    "nummod": "number of a noun",
    "obj": "object",
    "obl": "noun that modifies a verb",
    "obl:agent": "by whom, in a passive",
    "orphan": "left over by an ellipsis",
    "parataxis": "clause side by side",
    "reparandum": "correction",
    "vocative": "person spoken to",
    "xcomp": "clause without own subject",
}
