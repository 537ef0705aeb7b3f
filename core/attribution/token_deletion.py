"""Deletion and insertion by words: does the verdict fall when the words that an explanation points at are gone?

The curves of Petsiuk, Das and Saenko 2018 (RISE, section 4.2), with words for pixels, and read off them the
comprehensiveness and sufficiency of DeYoung et al. 2020 (ERASER, section 4.2). A word that is taken away leaves the
token for "nothing" in its place, so that all others stay where they are; ERASER takes it out.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..progress import Progress, no_progress
from .deletion_curves import Faithfulness, counts_of, ranks_in

# Rows of tokens (batch, token) to the probability of one class for each.
Classify = Callable[[Tensor], Tensor]

BINS = (0.01, 0.05, 0.1, 0.2, 0.5)  # the shares of a text at which ERASER asks
TOGETHER = 32  # rows that are computed at once


@dataclass(frozen=True, eq=False)
class FaithfulWords(Faithfulness):
    """Both curves of one order of the words; `bins` are the points of the curves at ERASER's shares."""

    bins: tuple[int, ...]

    @property
    def comprehensiveness(self) -> float:
        """What is lost without the first words, mean over the bins: the larger, the more faithful (equation 1)."""
        return (self.deletion[0] - self.deletion[list(self.bins)]).mean().item()

    @property
    def sufficiency(self) -> float:
        """What the first words alone fail to bring back, mean over the bins: the smaller, the better (equation 2)."""
        return (self.insertion[-1] - self.insertion[list(self.bins)]).mean().item()


def measure(
    classify: Classify,
    ids: Int[Tensor, " token"],
    words: Sequence[Sequence[int]],
    orders: Mapping[str, Int[Tensor, " word"]],
    replacement: int,
    steps: int,
    *,
    together: int = TOGETHER,
    progress: Progress = no_progress,
) -> dict[str, FaithfulWords]:
    """Both curves for each order of the words, in `steps` equal steps (rounded to words) and at the BINS.

    `words` holds the places of the tokens of each word; tokens of none, such as [CLS], are never touched. Deletion
    puts the token `replacement` in the place of every token of a word; insertion puts words into a text of nothing
    else. `progress` hears how many rows the classifier has read, of how many.
    """
    counts = counts_for(len(words), steps)
    inner, nothing = counts[1:-1], emptied(ids, words, replacement)
    rows = [ids[None], nothing[None]]
    for order in orders.values():
        first = first_words(order, inner, words, len(ids))
        rows += [torch.where(first, nothing, ids), torch.where(first, ids, nothing)]
    found = _in_parts(classify, torch.cat(rows), together, progress)
    whole, none = found[:2].split(1)
    curves = found[2:].view(len(orders), 2, len(inner))
    shares = torch.tensor(counts) / counts[-1]
    bins = tuple(counts.index(count) for count in _at_bins(len(words)))
    return {
        name: FaithfulWords(shares, torch.cat([whole, deletion, none]), torch.cat([none, insertion, whole]), bins)
        for name, (deletion, insertion) in zip(orders, curves, strict=True)
    }


def counts_for(words: int, steps: int) -> list[int]:
    """How many words each point of a curve stands for, from none to all: equal steps, and ERASER's bins."""
    return sorted({*counts_of(words, steps), *_at_bins(words)})


def _at_bins(words: int) -> list[int]:
    """ERASER's shares in words, at least one."""
    return [math.ceil(share * words) for share in BINS]


def emptied(ids: Int[Tensor, " token"], words: Sequence[Sequence[int]], replacement: int) -> Int[Tensor, " token"]:
    """The text without any of its words."""
    nothing = ids.clone()
    nothing[[place for word in words for place in word]] = replacement
    return nothing


def first_words(
    order: Int[Tensor, " word"], counts: Sequence[int], words: Sequence[Sequence[int]], tokens: int
) -> Bool[Tensor, "share token"]:
    """For each count: which tokens of a text belong to the first so many words of an order."""
    rank = torch.full((tokens,), len(words))  # what belongs to no word comes never
    for word, place in zip(words, ranks_in(order).tolist(), strict=True):
        rank[list(word)] = place
    return rank < torch.tensor(counts, dtype=torch.long)[:, None]


def without(
    ids: Int[Tensor, " token"], words: Sequence[Sequence[int]], gone: Sequence[int], replacement: int
) -> Int[Tensor, " token"]:
    """The text without some of its words, by their numbers."""
    return emptied(ids, [words[number] for number in gone], replacement)


def _in_parts(
    classify: Classify, rows: Int[Tensor, "batch token"], together: int, progress: Progress
) -> Float[Tensor, " batch"]:
    found: list[Tensor] = []
    for done, part in enumerate(rows.split(together)):
        progress(done * together, len(rows))
        found.append(classify(part).float().cpu())
    return torch.cat(found)
