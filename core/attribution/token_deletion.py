"""Deletion and insertion of words: how the class probability changes, the most important words first.

The curves of Petsiuk, Das and Saenko 2018 (RISE, section 4.2), with words for pixels, and read off them the
comprehensiveness and sufficiency of DeYoung et al. 2020 (ERASER, section 4.2). A deleted word is
replaced by a mask or unknown token, so that all others keep their positions; ERASER removes it.
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

BINS = (0.01, 0.05, 0.1, 0.2, 0.5)  # the shares of a text at which ERASER evaluates
BATCH_SIZE = 32  # rows that are computed at once


@dataclass(frozen=True, eq=False)
class FaithfulWords(Faithfulness):
    """Both curves of one order of the words; `bins` are the indices of ERASER's shares on the curves."""

    bins: tuple[int, ...]

    @property
    def comprehensiveness(self) -> float:
        """The drop without the first words, mean over the bins: the larger, the more faithful (equation 1)."""
        return (self.deletion[0] - self.deletion[list(self.bins)]).mean().item()

    @property
    def sufficiency(self) -> float:
        """The drop with the first words alone, mean over the bins: the smaller, the more faithful (equation 2)."""
        return (self.insertion[-1] - self.insertion[list(self.bins)]).mean().item()


def measure(
    classify: Classify,
    ids: Int[Tensor, " token"],
    words: Sequence[Sequence[int]],
    orders: Mapping[str, Int[Tensor, " word"]],
    replacement: int,
    steps: int,
    *,
    batch_size: int = BATCH_SIZE,
    progress: Progress = no_progress,
) -> dict[str, FaithfulWords]:
    """Both curves for each order of the words, in `steps` equal steps (rounded to words) and at the BINS.

    `words` holds the places of the tokens of each word; tokens of none, such as [CLS], are never touched. Deletion
    replaces every token of a word by `replacement`; insertion puts words back into a text of replacements. `progress`
    is called with the number of rows that the classifier has read, and of all rows.
    """
    counts = counts_for(len(words), steps)
    inner, replaced = counts[1:-1], replace_words(ids, words, replacement)
    rows = [ids[None], replaced[None]]
    for order in orders.values():
        first = first_words(order, inner, words, len(ids))
        rows += [torch.where(first, replaced, ids), torch.where(first, ids, replaced)]
    probabilities = _in_batches(classify, torch.cat(rows), batch_size, progress)
    intact, empty = probabilities[:2].split(1)
    curves = probabilities[2:].view(len(orders), 2, len(inner))
    shares = torch.tensor(counts) / counts[-1]
    bins = tuple(counts.index(count) for count in _at_bins(len(words)))
    return {
        name: FaithfulWords(shares, torch.cat([intact, deletion, empty]), torch.cat([empty, insertion, intact]), bins)
        for name, (deletion, insertion) in zip(orders, curves, strict=True)
    }


def counts_for(words: int, steps: int) -> list[int]:
    """How many words each point of a curve stands for, from none to all: equal steps, and ERASER's bins."""
    return sorted({*counts_of(words, steps), *_at_bins(words)})


def _at_bins(words: int) -> list[int]:
    """ERASER's shares as numbers of words, at least one."""
    return [math.ceil(share * words) for share in BINS]


def replace_words(
    ids: Int[Tensor, " token"], words: Sequence[Sequence[int]], replacement: int
) -> Int[Tensor, " token"]:
    """The text with every token of these words replaced."""
    replaced = ids.clone()
    replaced[[place for word in words for place in word]] = replacement
    return replaced


def first_words(
    order: Int[Tensor, " word"], counts: Sequence[int], words: Sequence[Sequence[int]], tokens: int
) -> Bool[Tensor, "share token"]:
    """For each count n the mask of the tokens of the first n words of an order."""
    rank = torch.full((tokens,), len(words))  # tokens of no word are never among the first
    for word, place in zip(words, ranks_in(order).tolist(), strict=True):
        rank[list(word)] = place
    return rank < torch.tensor(counts, dtype=torch.long)[:, None]


def without_words(
    ids: Int[Tensor, " token"], words: Sequence[Sequence[int]], removed: Sequence[int], replacement: int
) -> Int[Tensor, " token"]:
    """The text with some of its words replaced, by their numbers."""
    return replace_words(ids, [words[number] for number in removed], replacement)


def _in_batches(
    classify: Classify, rows: Int[Tensor, "batch token"], batch_size: int, progress: Progress
) -> Float[Tensor, " batch"]:
    probabilities: list[Tensor] = []
    for done, part in enumerate(rows.split(batch_size)):
        progress(done * batch_size, len(rows))
        probabilities.append(classify(part).float().cpu())
    return torch.cat(probabilities)
