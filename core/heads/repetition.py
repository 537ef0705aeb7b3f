"""Does a model copy what it has read before? Tokens said twice, with heads silenced (Olsson et al. 2022).

    said = said_twice(ids)                          # a text, or head_table.repeated_tokens(model) at random
    whole = listen(model, said)
    whole.first.mean(), whole.second.mean()         # nats: what it has seen already costs less, if it copies
    best = ranked(scores_of_repeat(whole.calls, whole.period)["induction"])[:4]
    listen(model, said, paths_of(whole.calls, best)).second.mean()     # without the heads that look back

"In-context Learning and Induction Heads", https://arxiv.org/abs/2209.11895: an induction head looks at the token that
came, the first time, after the token that is here again, and makes it more probable.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..capture import AttentionCall, edit_attention, record_attention
from ..errors import CaptureError, InputError
from ..zoo import TextModel
from . import measures
from .ablation import Head


@dataclass(frozen=True, eq=False)
class Heard:
    """Tokens that were said twice, and how well each of them was expected.

    `losses` are in nats, `right` where the token was the most probable one; both begin with the second token. `calls`
    are what was looked at meanwhile; none of them where heads were silenced.
    """

    tokens: Int[Tensor, "batch token"]
    losses: Float[Tensor, "batch _"]
    right: Bool[Tensor, "batch _"]
    calls: tuple[AttentionCall, ...] = ()

    @property
    def period(self) -> int:
        """How many tokens were said twice."""
        return self.tokens.shape[1] // 2

    @property
    def first(self) -> Float[Tensor, "batch token"]:
        """The loss of each token but the first, the first time."""
        return self.losses[:, : self.period - 1]

    @property
    def second(self) -> Float[Tensor, "batch token"]:
        """The loss of the same tokens the second time: the first one again could not have been known."""
        return self.losses[:, self.period :]

    @property
    def right_at_first(self) -> float:
        """The share of tokens that were the most probable one, the first time."""
        return float(self.right[:, : self.period - 1].float().mean())

    @property
    def right_again(self) -> float:
        """The same share, of the same tokens, the second time."""
        return float(self.right[:, self.period :].float().mean())


def said_twice(ids: Sequence[int]) -> Int[Tensor, "batch token"]:
    """The tokens and the same once more; InputError for fewer than two."""
    if len(ids) < 2:
        raise InputError("Fewer than 2 tokens say nothing when they are said twice: write a few words more.")
    return torch.tensor([[*ids, *ids]])


@torch.inference_mode()
def listen(model: TextModel, tokens: Int[Tensor, "batch token"], silenced: Mapping[Head, str] | None = None) -> Heard:
    """Run a causal language model on tokens that are said twice.

    `silenced`: heads by (layer, head), each with the path of its attention, as `paths_of` gives them. Without them the
    run is recorded.
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
    losses, right = [], []
    for row, answers in zip(logits, tokens, strict=True):  # one after the other: a vocabulary may be large
        losses.append(F.cross_entropy(row[:-1].float(), answers[1:], reduction="none"))
        right.append(row[:-1].argmax(dim=-1) == answers[1:])
    return Heard(tokens, torch.stack(losses), torch.stack(right), calls)


def paths_of(calls: Sequence[AttentionCall], heads: Collection[Head]) -> dict[Head, str]:
    """The path of each head; CaptureError if there is none of that number."""
    for layer, head in heads:
        if not (0 <= layer < len(calls) and 0 <= head < calls[layer].heads):
            raise CaptureError(f"There is no head {head} in layer {layer} to silence: choose one of the map.")
    return {(layer, head): calls[layer].path for layer, head in heads}


def ranked(scores: Float[Tensor, "layer head"]) -> tuple[Head, ...]:
    """All heads that have a score, the largest first."""
    order = scores.flatten().nan_to_num(nan=-torch.inf).argsort(descending=True, stable=True)
    places = [divmod(place, scores.shape[1]) for place in order.tolist()]
    return tuple(place for place in places if not scores[place].isnan())


def drawn(heads: Sequence[Head], count: int, *, times: int, seed: int) -> tuple[tuple[Head, ...], ...]:
    """`times` random choices of `count` of these heads; InputError if there are not so many."""
    if count > len(heads):
        raise InputError(f"{count} others are to be silenced, and there are {len(heads)}. Silence fewer.")
    generator = torch.Generator().manual_seed(seed)
    orders = [torch.randperm(len(heads), generator=generator)[:count].tolist() for _ in range(times)]
    return tuple(tuple(heads[place] for place in order) for order in orders)


def even_scores(period: int) -> tuple[float, float]:
    """The induction and the previous-token score of a head that takes the same of every token up to its own."""
    rows = torch.ones(2 * period, 2 * period).tril()
    even = rows / rows.sum(dim=-1, keepdim=True)
    return float(measures.induction(even, period)), float(measures.previous_token(even))
