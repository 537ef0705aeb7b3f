"""Content words of a caption, and which of them a description of the same picture has too."""

import re
from collections.abc import Iterable

# Closed classes of English: articles, pronouns, prepositions, conjunctions, auxiliary verbs, numbers.
_WORDS = """
a an the this that these those some any each every both all no not very
i you he she it we they him her them his its their my your our who which what there here
of in on at by to from with without into onto over under above below behind before after near beside between
through across along around against up down off out away toward towards while as than like for about next
and or but so if when where
is are was were be been being am do does did has have had will would can could may might must
one two three four five six several many few other another
"""
FUNCTION_WORDS = frozenset(_WORDS.split())


def content_words(text: str) -> tuple[str, ...]:
    """The different words of a text that are no function words, in lower case and in their order."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    return tuple(dict.fromkeys(word for word in words if word not in FUNCTION_WORDS))


def matched_words(caption: str, descriptions: Iterable[str]) -> tuple[str, ...]:
    """The content words of a caption that occur in one of the descriptions; singular and plural are one word.

    Other words for the same thing do not match, so this counts fewer words than are right.
    """
    known = {_singular(word) for description in descriptions for word in content_words(description)}
    return tuple(word for word in content_words(caption) if _singular(word) in known)


def _singular(word: str) -> str:
    """A noun without the ending of its regular plural: dogs and dog, boxes and box, ladies and lady."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
