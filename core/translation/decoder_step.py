"""One step of a decoder, worked out: how a query is compared with each source token, and what comes of it.

    seen = look_additive(model, source, before, place=3)          # Bahdanau
    seen = look_product(model, source, before, place=3, layer=2, head=0)   # transformer
    seen.terms[j].sum() * seen.scale == seen.scores[j]

`before` holds what the decoder reads: the beginning and the tokens written so far; `place` is the step, which writes
the token after `before[place]`. One sentence at a time: the batch is 1.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..capture import record_attention
from ..errors import CaptureError
from ..models.bahdanau import Bahdanau
from ..models.seq2seq import Seq2Seq
from ..models.transformer import Transformer


@dataclass(frozen=True, eq=False)
class Look:
    """What one step computes to find out where to look; each array follows from those above it.

    Bahdanau: query = W s, key = U h_j, activation = tanh(query + key), term = vector * activation, scale = 1.
    Bahdanau with a product, or a transformer: term = query * key; activation and vector are None.
    """

    state: Float[Tensor, " width_in"] | None  # s_(i-1), before its projection W; None where only the query is known
    query: Float[Tensor, " each"]
    key: Float[Tensor, "source each"]
    activation: Float[Tensor, "source each"] | None
    vector: Float[Tensor, " each"] | None
    terms: Float[Tensor, "source each"]
    scale: float
    scores: Float[Tensor, " source"]  # the sum of each row of terms, times the scale
    weights: Float[Tensor, " source"]  # softmax of the scores
    value: Float[Tensor, "source each_value"]  # the annotations h_j, or the head's values
    mixed: Float[Tensor, " each_value"]  # the context vector, or the head's output: the weighted sum of the values

    @property
    def raw_scores(self) -> Float[Tensor, " source"]:
        """The sums before the scale."""
        return self.terms.sum(dim=-1)

    @property
    def parts(self) -> Float[Tensor, "source each_value"]:
        """What each source token puts into the mixed vector: its value times its weight. Their sum is that vector."""
        return self.weights[:, None] * self.value

    @property
    def shares(self) -> Float[Tensor, " source"]:
        """How much of the mixed vector's length comes from each source token: each part projected on it; sums to 1.

        A part that points the other way has a share below 0; a mixed vector of length 0 has none (NaN).
        """
        return self.parts @ self.mixed / self.mixed.square().sum()


@dataclass(frozen=True, eq=False)
class Memory:
    """What a decoder without attention knows in one step."""

    summary: Float[Tensor, " width"]  # of the whole source, the same in every step
    before: Float[Tensor, " width"]  # the state s_(i-1) in which the step begins
    after: Float[Tensor, " width"]  # the state s_i after the last token was read


@torch.no_grad()
def look_additive(
    model: Bahdanau, source: Int[Tensor, "1 source"], before: Int[Tensor, "1 target"], place: int
) -> Look:
    """The comparison of s_(i-1) with each annotation (Bahdanau et al. 2014, appendix A.1.2)."""
    state = model.read(source)
    for token in _read_before(before, place)[:-1]:
        _, state = model.step(token, state)
    attention, value, key = model.attention, state["memory"][0], state["keys"][0]
    query = attention.query(state["state"])[0]
    activation, vector, terms = None, None, query * key
    if attention.vector is not None:
        activation, vector = torch.tanh(query + key), attention.vector.weight[0]
        terms = vector * activation
    scores = terms.sum(dim=-1)
    weights = scores.softmax(dim=-1)
    return Look(state["state"][0], query, key, activation, vector, terms, 1.0, scores, weights, value, weights @ value)


@torch.no_grad()
def look_product(
    model: Transformer,
    source: Int[Tensor, "1 source"],
    before: Int[Tensor, "1 target"],
    place: int,
    *,
    layer: int,
    head: int,
) -> Look:
    """The scaled dot products of one head of the decoder with the source (Vaswani et al. 2017, section 3.2.1)."""
    read = torch.stack(_read_before(before, place), dim=1)
    with record_attention(model) as record:
        model(source, read)
    call = record[f"decoder.blocks.{layer}.cross_attention"]
    if call.query is None or call.key is None or call.value is None or call.scale is None:
        raise CaptureError(f"'{call.path}' was not seen to compare queries with keys: only its weights are known.")
    query, key, value = call.query[0, head, place], call.key[0, head], call.value[0, head]
    terms = query * key
    scores = terms.sum(dim=-1) * call.scale
    weights = scores.softmax(dim=-1)
    return Look(None, query, key, None, None, terms, call.scale, scores, weights, value, weights @ value)


@torch.no_grad()
def remember(model: Seq2Seq, source: Int[Tensor, "1 source"], before: Int[Tensor, "1 target"], place: int) -> Memory:
    """The one vector that a model without attention has kept of the source, and its state around one step."""
    state = start = model.read(source)
    for token in _read_before(before, place):
        start = state
        _, state = model.step(token, state)
    return Memory(start["summary"][0], start["state"][0], state["state"][0])


@torch.no_grad()
def next_tokens(
    model: Seq2Seq | Bahdanau | Transformer,
    source: Int[Tensor, "1 source"],
    before: Int[Tensor, "1 target"],
    place: int,
) -> Float[Tensor, " vocabulary"]:
    """The log-probability of every token that the step could write."""
    read = torch.stack(_read_before(before, place), dim=1)
    return model(source, read)[0, -1].float().log_softmax(dim=-1)


def _read_before(before: Int[Tensor, "1 target"], place: int) -> list[Int[Tensor, " 1"]]:
    """The tokens that the decoder has read when it takes the step at `place`, one by one."""
    if not 0 <= place < before.shape[1]:
        raise ValueError(f"There is no step {place}: they are numbered 0 to {before.shape[1] - 1}.")
    return list(before[:, : place + 1].unbind(dim=1))
