"""Tokens that were said twice to a model, with all its heads and without some; kept for the next visitor."""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from core.capture import layer_numbers
from core.heads.ablation import Head
from core.heads.head_table import repeated_tokens, repetition_scores
from core.heads.repetition import RepetitionRun, draw_heads, paths_of, rank_heads, repeat_ids, run_repetition
from core.progress import Progress, no_progress
from core.text import Tokens, encode
from dashboard.cache.memo import cached
from dashboard.cache.upload import Upload
from dashboard.recordings.watched import Text, content_of
from pages.language.next_word.inputs import Selection

DRAWS = 4  # random choices of heads that are silenced for comparison
LONGEST_OWN = 64  # tokens of a visitor's text that are said twice


@dataclass(frozen=True)
class Repetition:
    """What a model reads twice: at most `period` random tokens, or the beginning of a visitor's text."""

    name: str
    period: int
    seed: int
    text: Text | None = None

    @property
    def identity(self) -> Hashable:
        """What tells it from any other."""
        text = self.text.identity if isinstance(self.text, Upload) else self.text
        return (self.name, self.period, self.seed, text)

    @property
    def at_random(self) -> "Repetition":
        """Random tokens of the same length, by which heads are ranked."""
        return replace(self, text=None)


@dataclass(frozen=True, eq=False)
class Silenced:
    """The same tokens without the best heads, and without as many others, drawn several times."""

    best: tuple[Head, ...]
    without_best: RepetitionRun
    without_others: tuple[RepetitionRun, ...]


@cached()
def own_tokens(repetition: Repetition) -> Tokens:
    """The tokens of the visitor's text, as they are after a space."""
    assert repetition.text is not None
    model = Selection(repetition.name, "").model
    return encode(model.tokenizer, f" {content_of(repetition.text).strip()}", context=model.context)


def own_places(repetition: Repetition) -> list[int]:
    """Where those of the visitor's tokens stand that are said twice: the first, special ones left out."""
    tokens, most = own_tokens(repetition), min(LONGEST_OWN, Selection(repetition.name, "").model.context // 2)
    return [place for place, special in enumerate(tokens.special) if not special][:most]


def own_ids(repetition: Repetition) -> tuple[int, ...]:
    """The tokens at those places."""
    return tuple(own_tokens(repetition).ids[place] for place in own_places(repetition))


def tokens_of(repetition: Repetition) -> Int[Tensor, "batch token"]:
    """All that the model reads, both times."""
    if repetition.text is None:
        return repeated_tokens(Selection(repetition.name, "").model, repetition.seed, longest=repetition.period)
    return repeat_ids(own_ids(repetition))


@cached("Reading it twice …")
def heard(repetition: Repetition) -> RepetitionRun:
    """With all heads."""
    return run_repetition(Selection(repetition.name, "").model, tokens_of(repetition))


@cached()
def scores(repetition: Repetition) -> dict[str, Float[Tensor, "layer head"]]:
    """The "induction" and the "previous_token" score of each head, on random tokens."""
    run = heard(repetition.at_random)
    return repetition_scores(run.calls, run.period)


@cached()
def order(repetition: Repetition) -> tuple[Head, ...]:
    """All heads, the best induction head first."""
    return rank_heads(scores(repetition.at_random)["induction"])


@cached("Silencing heads …", unit="runs")
def silenced(repetition: Repetition, count: int, progress: Progress = no_progress) -> Silenced:
    """Without the `count` best induction heads, and without as many of the others."""
    model, calls, heads = Selection(repetition.name, "").model, heard(repetition.at_random).calls, order(repetition)
    choices = (heads[:count], *draw_heads(heads[count:], count, times=DRAWS, seed=repetition.seed))
    runs = []
    for done, chosen in enumerate(choices):
        progress(done, len(choices))
        runs.append(run_repetition(model, tokens_of(repetition), paths_of(calls, chosen)))
    return Silenced(heads[:count], runs[0], tuple(runs[1:]))


def numbers(repetition: Repetition) -> tuple[int, ...]:
    """The model's number of each layer that has heads."""
    return layer_numbers(heard(repetition.at_random).calls)


@cached()
def map_of(repetition: Repetition, head: Head) -> Float[Tensor, "token token"]:
    """The attention of one head over the first of the sequences."""
    layer, number = head
    return torch.as_tensor(heard(repetition).calls[layer].weights(head=number))
