"""The heads of BERT that follow grammar best, as Clark et al. 2019 measured them."""

from dataclasses import dataclass
from pathlib import Path

from .table import FOLDER, SOURCE, Columns, Number, Whole, Words, read_as

_COLUMNS: Columns = (
    Words("relation"),
    Words("label"),
    Whole("cases"),
    Number("share_percent", high=100.0, required=True),
    Number("offset_percent", high=100.0, required=True),
    Number("offset", low=-3.0, high=2.0, required=True),
    Whole("layer", low=0),
    Whole("head", low=0),
    SOURCE,
)


@dataclass(frozen=True)
class ClarkHead:
    """The best head of BERT-base at a relation, from the dependent to its governor, and the best fixed distance.

    `relation` is the one of Universal Dependencies that comes nearest to the Stanford `label` that was measured, on
    the Penn Treebank. Layer and head are counted from 0; `offset` is in words, negative for earlier ones.
    """

    relation: str
    label: str
    cases: int
    share_percent: float
    offset_percent: float
    offset: float
    layer: int
    head: int
    source: str


def clark_heads(file: Path = FOLDER / "clark_heads.csv") -> tuple[ClarkHead, ...]:
    """Those relations of the table that Universal Dependencies have, too; ValueError where a row is wrong.

    Left out: what has no counterpart (prepositions govern their nouns in Stanford labels and depend on them here, and
    `cc` hangs on the other conjunct), and what is rare.
    """
    return read_as(ClarkHead, file, _COLUMNS, unique=("relation",))
