"""How well the strongest links of each model agree with the visitor's."""

from collections.abc import Mapping, Sequence

import pandas as pd
import torch
from torch import Tensor

from core.translation.alignment import Agreement, Direction, Link, agreement, diagonal, links_of

DIAGONAL = "Diagonal, no model"


def found_links(
    maps: Mapping[str, Tensor], targets: Sequence[int], sources: Sequence[int], direction: Direction
) -> dict[str, set[Link]]:
    """The strongest links of each map between the words at these places, and those of the diagonal.

    End marks are no words: what they get is left out before the strongest is looked for.
    """
    rows, columns = torch.tensor(targets), torch.tensor(sources)
    found = {name: links_of(one[rows][:, columns], direction) for name, one in maps.items()}
    found[DIAGONAL] = diagonal(len(sources), len(targets))
    return {name: {(sources[source], targets[target]) for source, target in links} for name, links in found.items()}


def compared(found: Mapping[str, set[Link]], own: frozenset[Link]) -> dict[str, Agreement]:
    """Each model's links against the visitor's, all of which count as sure."""
    return {name: agreement(links, own) for name, links in found.items()}


def table(agreements: Mapping[str, Agreement]) -> pd.DataFrame:
    """One row a model: how many links it found, how many of them are right, and the three measures."""
    return pd.DataFrame(
        [
            (name, each.found, each.found_sure, each.precision, each.recall, each.error_rate)
            for name, each in agreements.items()
        ],
        columns=["", "links", "right", "precision", "recall", "alignment error rate"],
    )


def closest(agreements: Mapping[str, Agreement]) -> list[str]:
    """Those with the smallest error rate; several if they are equal, none without links."""
    rates = {name: each.error_rate for name, each in agreements.items() if each.error_rate == each.error_rate}
    return [name for name, rate in rates.items() if rate <= min(rates.values()) + 1e-9]
