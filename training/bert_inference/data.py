"""The data of `bert-inference`: the sentence pairs of SICK in English and French as tokens, and their batches."""

import csv
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Int
from tokenizers import Tokenizer
from torch import Tensor

from core.models.bert_inference import RELATIONS
from core.probing.fine_tuning.inference import COMBINATIONS, Language, PairBatch, pad_pairs, pair_ids

MIXED = 4  # tokens: of pairs that differ by less in length, chance says which stand in one batch


@dataclass(frozen=True)
class SentencePair:
    """Two sentences, each in both languages, and the number of their relation in RELATIONS."""

    first: dict[Language, str]
    second: dict[Language, str]
    relation: int

    def texts(self, combination: str) -> tuple[str, str]:
        """Both sentences in the languages of a combination."""
        first, second = COMBINATIONS[combination]
        return self.first[first], self.second[second]


@dataclass(frozen=True)
class Sick:
    """The three splits of SICK."""

    train: list[SentencePair]
    trial: list[SentencePair]
    test: list[SentencePair]


def read_data(folder: Path) -> Sick:
    """Read the splits from sick_en_fr/sick.tsv.gz."""
    splits: dict[str, list[SentencePair]] = {"train": [], "trial": [], "test": []}
    with gzip.open(folder / "sick_en_fr" / "sick.tsv.gz", "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            pair = SentencePair(
                first={"English": row["en_a"], "French": row["fr_a"]},
                second={"English": row["en_b"], "French": row["fr_b"]},
                relation=RELATIONS.index(row["label"]),
            )
            splits[row["split"]].append(pair)
    return Sick(**splits)


def encode_pairs(
    pairs: Sequence[SentencePair], tokenizer: Tokenizer, combination: str
) -> list[tuple[list[int], list[int]]]:
    """Token ids and segments of each pair in the languages of a combination."""
    return [pair_ids(tokenizer, pair.texts(combination), COMBINATIONS[combination]) for pair in pairs]


class Batches:
    """Batches of pairs of like length, in English; the batch of a step depends on the seed and the step alone."""

    def __init__(self, pairs: Sequence[SentencePair], tokenizer: Tokenizer, *, size: int, seed: int):
        self.encoded = encode_pairs(pairs, tokenizer, "en-en")
        self.relations = torch.tensor([pair.relation for pair in pairs])
        self.size, self.seed = size, seed
        self.per_epoch = -(-len(pairs) // size)
        self._epoch: tuple[int, list[np.ndarray]] = (-1, [])

    def batch(self, step: int) -> tuple[PairBatch, Int[Tensor, " batch"]]:
        """The pairs of a step, and the numbers of their relations."""
        epoch, number = divmod(step, self.per_epoch)
        if epoch != self._epoch[0]:
            self._epoch = epoch, self._cut(epoch)
        places = self._epoch[1][number]
        return pad_pairs([self.encoded[place] for place in places]), self.relations[torch.from_numpy(places)]

    def _cut(self, epoch: int) -> list[np.ndarray]:
        """The places of all pairs once, in batches."""
        rng = np.random.default_rng((self.seed, epoch))
        lengths = np.array([len(ids) for ids, _ in self.encoded])
        order = np.argsort(lengths + rng.uniform(0, MIXED, len(lengths)))
        batches = [order[start : start + self.size] for start in range(0, len(order), self.size)]
        return [batches[number] for number in rng.permutation(len(batches))]
