"""Does a model copy what it has read before? A sequence that repeats once, with heads silenced (Olsson et al. 2022).

    tokens = repeat_ids(ids)                        # a text, or head_table.repeated_tokens(model) at random
    run = run_repetition(model, tokens)
    run.first.mean(), run.second.mean()             # nats: the second time costs less, if the model copies
    best = rank_heads(repetition_scores(run.calls, run.period)["induction"])[:4]
    run_repetition(model, tokens, paths_of(run.calls, best)).second.mean()     # without the induction heads

"In-context Learning and Induction Heads", https://arxiv.org/abs/2209.11895: an induction head attends to the token that
followed the previous occurrence of the current token, and makes it more probable.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..capture import AttentionCall, edit_attention, record_attention
from ..errors import CaptureError, InputError
from ..former_names import former_names
from ..zoo import TextModel
from . import measures
from .ablation import Head

__getattr__ = former_names(
    __name__,
    {
        "Heard": "RepetitionRun",
        "said_twice": "repeat_ids",
        "listen": "run_repetition",
        "ranked": "rank_heads",
        "drawn": "draw_heads",
        "even_scores": "uniform_scores",
    },
)


@dataclass(frozen=True, eq=False)
class RepetitionRun:
    """A run on a sequence that repeats once, and how well each token was predicted.

    `losses` are in nats, `correct` is True where the token was the most probable one; both begin with the second token.
    `calls` are the recorded attention calls; empty where heads were silenced.
    """

    tokens: Int[Tensor, "batch token"]
    losses: Float[Tensor, "batch _"]
    correct: Bool[Tensor, "batch _"]
    calls: tuple[AttentionCall, ...] = ()

    @property
    def period(self) -> int:
        """The number of tokens that are repeated."""
        return self.tokens.shape[1] // 2

    @property
    def first(self) -> Float[Tensor, "batch token"]:
        """The loss in nats of each token but the first, the first time."""
        return self.losses[:, : self.period - 1]

    @property
    def second(self) -> Float[Tensor, "batch token"]:
        """The loss in nats of the same tokens the second time."""
        return self.losses[:, self.period :]

    @property
    def first_accuracy(self) -> float:
        """The share of tokens that were the most probable one, the first time."""
        return float(self.correct[:, : self.period - 1].float().mean())

    @property
    def second_accuracy(self) -> float:
        """The share of the same tokens that were the most probable one, the second time."""
        return float(self.correct[:, self.period :].float().mean())


def repeat_ids(ids: Sequence[int]) -> Int[Tensor, "batch token"]:
    """The tokens followed by the same tokens, as a batch of one. Raises InputError for fewer than two."""
    if len(ids) < 2:
        raise InputError("Fewer than 2 tokens say nothing when they are said twice: write a few words more.")
    return torch.tensor([[*ids, *ids]])


@torch.inference_mode()
def run_repetition(
    model: TextModel, tokens: Int[Tensor, "batch token"], silenced: Mapping[Head, str] | None = None
) -> RepetitionRun:
    """Run a causal language model on sequences that repeat once.

    `silenced`: heads by (layer, head), each with the path of its attention, as `paths_of` returns them. Without them
    the run is recorded.
    """
    edits = {(path, head): "silence" for (_, head), path in (silenced or {}).items()}
    calls: tuple[AttentionCall, ...] = ()
    if edits:
        with edit_attention(model.network, edits):
            output = model.network(tokens)
    else:
        with record_attention(model.network) as record:
            output = model.network(tokens)
        calls = record.calls
    logits = output if isinstance(output, Tensor) else output.logits
    losses, correct = [], []
    for row, targets in zip(logits, tokens, strict=True):  # one sequence at a time, because of large vocabularies
        losses.append(F.cross_entropy(row[:-1].float(), targets[1:], reduction="none"))
        correct.append(row[:-1].argmax(dim=-1) == targets[1:])
    return RepetitionRun(tokens, torch.stack(losses), torch.stack(correct), calls)


def paths_of(calls: Sequence[AttentionCall], heads: Collection[Head]) -> dict[Head, str]:
    """The path of the attention of each head. Raises CaptureError for a head that does not exist."""
    for layer, head in heads:
        if not (0 <= layer < len(calls) and 0 <= head < calls[layer].heads):
            raise CaptureError(f"There is no head {head} in layer {layer} to silence: choose one of the map.")
    return {(layer, head): calls[layer].path for layer, head in heads}


def rank_heads(scores: Float[Tensor, "layer head"]) -> tuple[Head, ...]:
    """All heads that have a score, the largest first."""
    order = scores.flatten().nan_to_num(nan=-torch.inf).argsort(descending=True, stable=True)
    places = [divmod(place, scores.shape[1]) for place in order.tolist()]
    return tuple(place for place in places if not scores[place].isnan())


def draw_heads(heads: Sequence[Head], count: int, *, times: int, seed: int) -> tuple[tuple[Head, ...], ...]:
    """`times` random choices of `count` of these heads. Raises InputError if there are fewer."""
    if count > len(heads):
        raise InputError(f"{count} others are to be silenced, and there are {len(heads)}. Silence fewer.")
    generator = torch.Generator().manual_seed(seed)
    orders = [torch.randperm(len(heads), generator=generator)[:count].tolist() for _ in range(times)]
    return tuple(tuple(heads[place] for place in order) for order in orders)


def uniform_scores(period: int) -> tuple[float, float]:
    """The induction and the previous-token score of causal attention that is spread evenly."""
    rows = torch.ones(2 * period, 2 * period).tril()
    even = rows / rows.sum(dim=-1, keepdim=True)
    return float(measures.induction(even, period)), float(measures.previous_token(even))
