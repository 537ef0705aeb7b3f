"""The heads of BERT that follow grammar best, as Clark et al. 2019 measured them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from .table import FOLDER, NonNegativeInt, Percentage, PositiveInt, Text, read_table


@dataclass(frozen=True)
class ClarkHead:
    """The best head of BERT-base at a relation, from the dependent to its governor, and the best fixed distance.

    `relation` is the one of Universal Dependencies that comes nearest to the Stanford `label` that was measured, on
    the Penn Treebank. Layer and head are counted from 0; `offset` is in words, negative for earlier ones.
    """

    relation: Text
    label: Text
    cases: PositiveInt
    share_percent: Percentage
    offset_percent: Percentage
    offset: Annotated[float, Meta(ge=-3, le=2)]
    layer: NonNegativeInt
    head: NonNegativeInt
    source: Text


def clark_heads(file: Path = FOLDER / "clark_heads.csv") -> tuple[ClarkHead, ...]:
    """The relations of the table that Universal Dependencies also have; ValueError where a row is wrong.

    Left out are relations without a counterpart (prepositions govern their nouns in Stanford labels and depend on them
    here, and `cc` depends on the other conjunct), and rare ones.
    """
    return read_table(file, ClarkHead, unique=("relation",))
