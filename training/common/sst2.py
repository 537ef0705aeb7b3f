"""SST-2: phrases of film reviews and their sentiments (1 positive, 0 negative), restored to ordinary spelling.

Data: a folder with glue_train.tsv.gz and glue_dev.tsv.gz, `label<TAB>text` (Socher et al. 2013; the two classes and the
parts are those of GLUE). Its texts are in lower case and cut as the Penn Treebank cuts them ("ca n't", "`` good ''").
"""

import gzip
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

# What stands apart there, and how it is typed; the order matters. Quotation marks end up straight, as people type them.
_TYPED = (
    (r"-lrb-", "("),
    (r"-rrb-", ")"),
    (r"(?:``|`) ?", "“"),
    (r" ?''", "”"),
    (r"([(\[$#]) ", r"\1"),
    (r" ([)\]%])", r"\1"),
    (r"\b(can) not\b", r"\1not"),
    (r"\b(gon|wan) na\b", r"\1na"),
    (r"\b(got) ta\b", r"\1ta"),
    (r" (n't|'(?:s|re|ve|ll|d|m))\b", r"\1"),
    (r" '( |$)", r"'\1"),
    (r" (\.\.\.|[.,;:?!]+)(?= |$|[”')])", r"\1"),
    (r"\bi\b(?!\.)", "I"),
    (r" {2,}", " "),
)


def restore(text: str) -> str:
    """Restore the ordinary spelling of a text of SST-2, except for capital letters: only the word "I" gets one.

    restore("i do n't like it , but it 's ( `` ok '' ) .") is "I don't like it, but it's ("ok")."
    """
    for pattern, typed in _TYPED:
        text = re.sub(pattern, typed, text)
    return text.strip().replace("“", '"').replace("”", '"')


def capital(text: str) -> str:
    """The text with its first letter in upper case."""
    place = next((place for place, letter in enumerate(text) if letter.isalpha()), 0)
    return text[:place] + text[place : place + 1].upper() + text[place + 1 :]


def read_phrases(file: Path) -> tuple[list[str], list[int]]:
    """The restored texts of a part, and their labels."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    return [restore(text) for _, text in rows], [int(label) for label, _ in rows]


def half_capital(texts: Sequence[str], seed: int) -> list[str]:
    """The texts, a random half of them with a capital first letter."""
    draws = np.random.default_rng(seed).random(len(texts)) < 0.5
    return [capital(text) if up else text for text, up in zip(texts, draws, strict=True)]
