"""The attention of one step of a decoder over the source, with all intermediate results.

    attention = attend_additive(model, source, decoder_input, step=3)          # Bahdanau
    attention = attend_dot_product(model, source, decoder_input, step=3, layer=2, head=0)   # transformer
    attention.terms[j].sum() * attention.scale == attention.scores[j]

`decoder_input` holds the begin token and the tokens written so far; `step` writes the token after
`decoder_input[step]`. One sentence at a time: the batch is 1.
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
class StepAttention:
    """The attention of one step, computed in the order of the fields.

    Bahdanau: query = W s, key = U h_j, activation = tanh(query + key), term = vector * activation, scale = 1.
    Bahdanau with a product, or a transformer: term = query * key; activation and vector are None.
    """

    state: Float[Tensor, " width_in"] | None  # s_(i-1), before its projection W; None for a transformer
    query: Float[Tensor, " head_dim"]
    key: Float[Tensor, "source head_dim"]
    activation: Float[Tensor, "source head_dim"] | None
    vector: Float[Tensor, " head_dim"] | None
    terms: Float[Tensor, "source head_dim"]
    scale: float
    scores: Float[Tensor, " source"]  # the sum of each row of terms, times the scale
    weights: Float[Tensor, " source"]  # softmax of the scores
    value: Float[Tensor, "source value_dim"]  # the annotations h_j, or the head's values
    mixed: Float[Tensor, " value_dim"]  # the context vector, or the head's output: the weighted sum of the values

    @property
    def raw_scores(self) -> Float[Tensor, " source"]:
        """The sum of each row of terms, before the scale."""
        return self.terms.sum(dim=-1)

    @property
    def parts(self) -> Float[Tensor, "source value_dim"]:
        """Value times weight of each source token; their sum is `mixed`."""
        return self.weights[:, None] * self.value

    @property
    def shares(self) -> Float[Tensor, " source"]:
        """The share of each source token in the length of `mixed`: its part projected on `mixed`; sums to 1.

        A part in the opposite direction has a negative share; all shares are NaN where `mixed` has length 0.
        """
        return self.parts @ self.mixed / self.mixed.square().sum()


@dataclass(frozen=True, eq=False)
class RecurrentStep:
    """The states of a decoder without attention around one step."""

    summary: Float[Tensor, " width"]  # of the whole source, the same in every step
    before: Float[Tensor, " width"]  # the state s_(i-1) in which the step begins
    after: Float[Tensor, " width"]  # the state s_i after the last token was read


@torch.no_grad()
def attend_additive(
    model: Bahdanau, source: Int[Tensor, "1 source"], decoder_input: Int[Tensor, "1 target"], step: int
) -> StepAttention:
    """The comparison of s_(i-1) with each annotation (Bahdanau et al. 2014, appendix A.1.2)."""
    state = model.read(source)
    for token in _read_before(decoder_input, step)[:-1]:
        _, state = model.step(token, state)
    attention, value, key = model.attention, state["memory"][0], state["keys"][0]
    query = attention.query(state["state"])[0]
    activation, vector, terms = None, None, query * key
    if attention.vector is not None:
        activation, vector = torch.tanh(query + key), attention.vector.weight[0]
        terms = vector * activation
    scores = terms.sum(dim=-1)
    weights = scores.softmax(dim=-1)
    return StepAttention(
        state["state"][0], query, key, activation, vector, terms, 1.0, scores, weights, value, weights @ value
    )


@torch.no_grad()
def attend_dot_product(
    model: Transformer,
    source: Int[Tensor, "1 source"],
    decoder_input: Int[Tensor, "1 target"],
    step: int,
    *,
    layer: int,
    head: int,
) -> StepAttention:
    """The scaled dot products of one head of the decoder with the source (Vaswani et al. 2017, section 3.2.1)."""
    tokens = torch.stack(_read_before(decoder_input, step), dim=1)
    with record_attention(model) as record:
        model(source, tokens)
    call = record[f"decoder.blocks.{layer}.cross_attention"]
    if call.query is None or call.key is None or call.value is None or call.scale is None:
        raise CaptureError(f"'{call.path}' was not seen to compare queries with keys: only its weights are known.")
    query, key, value = call.query[0, head, step], call.key[0, head], call.value[0, head]
    terms = query * key
    scores = terms.sum(dim=-1) * call.scale
    weights = scores.softmax(dim=-1)
    return StepAttention(None, query, key, None, None, terms, call.scale, scores, weights, value, weights @ value)


@torch.no_grad()
def recurrent_step(
    model: Seq2Seq, source: Int[Tensor, "1 source"], decoder_input: Int[Tensor, "1 target"], step: int
) -> RecurrentStep:
    """The source summary of a model without attention, and its states before and after one step."""
    state = start = model.read(source)
    for token in _read_before(decoder_input, step):
        start = state
        _, state = model.step(token, state)
    return RecurrentStep(start["summary"][0], start["state"][0], state["state"][0])


@torch.no_grad()
def next_tokens(
    model: Seq2Seq | Bahdanau | Transformer,
    source: Int[Tensor, "1 source"],
    decoder_input: Int[Tensor, "1 target"],
    step: int,
) -> Float[Tensor, " vocabulary"]:
    """The log-probability of every token as the output of the step."""
    tokens = torch.stack(_read_before(decoder_input, step), dim=1)
    return model(source, tokens)[0, -1].float().log_softmax(dim=-1)


def _read_before(decoder_input: Int[Tensor, "1 target"], step: int) -> list[Int[Tensor, " 1"]]:
    """The tokens that the decoder reads up to and including `step`, one by one; ValueError for a step out of range."""
    if not 0 <= step < decoder_input.shape[1]:
        raise ValueError(f"There is no step {step}: they are numbered 0 to {decoder_input.shape[1] - 1}.")
    return list(decoder_input[:, : step + 1].unbind(dim=1))
