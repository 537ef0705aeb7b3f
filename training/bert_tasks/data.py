"""The data of `bert-tasks`: tagged sentences and phrases with their sentiment as tokens, and their batches."""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Int
from tokenizers import Tokenizer
from torch import Tensor

from core.models.bert import PretrainingBERT
from core.models.bert_tasks import TAGS
from core.probing.grammar.trees import Tree, encode_tree
from core.zoo import TextModel
from training.common.sst2 import half_capital, read_phrases

IGNORED = -100
MIXED = 4  # tokens: of rows that differ by less in length, chance says which stand in one batch


@dataclass(frozen=True)
class Example:
    """The tokens of a text, and its targets: tags at the first tokens of its words, or a sentiment (`sentiment`)."""

    ids: tuple[int, ...]
    places: tuple[int, ...] = ()
    tags: tuple[int, ...] = ()
    sentiment: int | None = None


@dataclass(frozen=True)
class TaggedSentence:
    """A sentence of the treebank with the tag of each word, and its tokens (None if it is too long)."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    example: Example | None


@dataclass(frozen=True)
class TaskData:
    """Training and test data: tagged sentences, and phrases with their sentiments (1: positive)."""

    train: list[TaggedSentence]
    test: list[TaggedSentence]
    phrases: list[str]
    sentiments: list[int]
    learned: tuple[list[Example], list[Example]]  # of both tasks
    test_phrases: list[str]
    test_sentiments: list[int]
    start: TextModel

    @property
    def pretrained(self) -> PretrainingBERT:
        """The pretrained network from which fine-tuning begins."""
        assert isinstance(self.start.network, PretrainingBERT)
        return self.start.network

    def encode_phrases(self, texts: Sequence[str]) -> list[Example]:
        """The tokens of texts whose sentiment is to be predicted."""
        return list(phrase_examples(texts, [0] * len(texts), self.start.tokenizer, self.start.context))


def read_data(folder: Path, model: TextModel, seed: int) -> TaskData:
    """Read both data sets as tokens of the model; `seed` chooses the phrases that begin with a capital letter."""
    train, test = (read_tagged(folder / "ud_english_ewt" / f"{part}.jsonl.gz", model) for part in ("train", "test"))
    phrases, sentiments = read_phrases(folder / "sst2" / "glue_train.tsv.gz")
    test_phrases, test_sentiments = read_phrases(folder / "sst2" / "glue_dev.tsv.gz")
    sentence_tokens = [sentence.example for sentence in train if sentence.example and sentence.example.places]
    phrase_tokens = list(phrase_examples(half_capital(phrases, seed), sentiments, model.tokenizer, model.context))
    words = sum(len(sentence.words) for sentence in train)
    print(f"{len(train):,} tagged sentences, {words:,} words; {len(phrases):,} phrases", flush=True)
    return TaskData(
        train, test, phrases, sentiments, (sentence_tokens, phrase_tokens), test_phrases, test_sentiments, model
    )


def read_tagged(file: Path, model: TextModel) -> list[TaggedSentence]:
    """Read one part of the treebank."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [tagged_sentence(row["words"], row["upos"], row["text"], model) for row in map(json.loads, lines)]


def tagged_sentence(words: Sequence[str], tags: Sequence[str], text: str, model: TextModel) -> TaggedSentence:
    """A sentence with its tags as targets at the first token of each word (Devlin et al. 2018, section 5.3)."""
    tokens = encode_tree(model, Tree(tuple(words), (-1,) * len(words), ("dep",) * len(words), text))
    if tokens is None:
        return TaggedSentence(tuple(words), tuple(tags), None)
    first: dict[int, int] = {}
    for place, word in enumerate(tokens.words):
        if word is not None:
            first.setdefault(word, place)
    tag_numbers = tuple(TAGS.index(tags[word]) for word in first)
    return TaggedSentence(tuple(words), tuple(tags), Example(tokens.ids, tuple(first.values()), tag_numbers))


def phrase_examples(
    texts: Sequence[str], sentiments: Sequence[int], tokenizer: Tokenizer, context: int
) -> Iterator[Example]:
    """Phrases as tokens; phrases that are too long are truncated."""
    for encoding, sentiment in zip(tokenizer.encode_batch(list(texts)), sentiments, strict=True):
        ids = encoding.ids
        yield Example(tuple(ids if len(ids) <= context else [*ids[: context - 1], ids[-1]]), sentiment=sentiment)


@dataclass(frozen=True)
class Batch:
    """Texts of one task with their targets: `tags` (IGNORED where there is none), or `sentiments` (sentiments)."""

    ids: Int[Tensor, "batch token"]
    padding: Bool[Tensor, "batch token"]
    tags: Int[Tensor, "batch token"] | None
    sentiments: Int[Tensor, " batch"] | None


def batch_of(examples: Sequence[Example]) -> Batch:
    """Examples of one task, padded to the longest."""
    shape = len(examples), max(len(example.ids) for example in examples)
    ids, tags = torch.zeros(shape, dtype=torch.long), torch.full(shape, IGNORED)
    padding = torch.ones(shape, dtype=torch.bool)
    for row, example in enumerate(examples):
        ids[row, : len(example.ids)] = torch.tensor(example.ids)
        padding[row, : len(example.ids)] = False
        tags[row, list(example.places)] = torch.tensor(example.tags, dtype=torch.long)
    if examples[0].sentiment is None:
        return Batch(ids, padding, tags, None)
    return Batch(ids, padding, None, torch.tensor([example.sentiment for example in examples]))


class Batches:
    """Batches of at most `tokens` tokens, padding included, of texts of like length; the tasks take turns.

    The batch of a step depends on the seed and the step alone.
    """

    def __init__(self, tasks: Sequence[Sequence[Example]], *, tokens: int, seed: int):
        self.tasks, self.tokens, self.seed = tasks, tokens, seed
        self.lined_up: list[list[list[int]]] = [[] for _ in tasks]  # of each task, as many as were needed so far
        self.epochs = [0] * len(tasks)

    def batch(self, step: int) -> Batch:
        """The batch of a step."""
        number, task = divmod(step, len(self.tasks))
        while len(self.lined_up[task]) <= number:
            self.lined_up[task] += self._epoch(task, self.epochs[task])
            self.epochs[task] += 1
        return batch_of([self.tasks[task][place] for place in self.lined_up[task][number]])

    def _epoch(self, task: int, epoch: int) -> list[list[int]]:
        """All examples of a task once."""
        rng = np.random.default_rng((self.seed, task, epoch))
        lengths = np.array([len(example.ids) for example in self.tasks[task]])
        batches: list[list[int]] = [[]]
        for place in np.argsort(lengths + rng.uniform(0, MIXED, len(lengths))):
            longest = max(lengths[place], *(lengths[batches[-1]] if batches[-1] else [0]))
            if batches[-1] and longest * (len(batches[-1]) + 1) > self.tokens:
                batches.append([])
            batches[-1].append(int(place))
        return [batches[number] for number in rng.permutation(len(batches))]
