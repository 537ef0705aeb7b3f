"""Why one attention weight is what it is: from the query and the key to what the head writes, in numbers of one run.

    explanation = explain_weight(call, head=3, query=7, key=2)
    explanation.scores.products.sum() == explanation.scores.dot      # of query and key, one for each channel
    explanation.scores.masked.softmax(-1)[2] == explanation.weight   # the row after the softmax
    explanation.values.shares.sum() == 1                             # of each key in the head's output

A step is shown only where it was computed and equals what the model used; `missing` says why the others are not.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..capture import AttentionCall
from ..capture.product import allowed
from ..errors import CaptureError
from .contributions import TOLERANCE, HeadOutputs, contributions

NO_PRODUCT = (
    "This layer writes its attention out instead of calling the fused kernel, so its weights were recorded and its "
    "queries and keys were not: the way to the score cannot be shown."
)
NO_KEY_ALLOWED = "The mask of this row allows no key, so its softmax is undefined and there is no weight to explain."
NOT_REPRODUCED = (
    "The softmax of query · key, scale and mask differs from the weights that the model used by {difference:.1e}: "
    "something else changed them, such as an edit of this head. So the way to the score is not shown."
)
NO_VALUES = "The values of this layer could not be seen, so what the weight is multiplied with cannot be shown."
NO_OUTPUT = "The output of this head is zero at this token, so no key has a share in it."


@dataclass(frozen=True, eq=False)
class Scores:
    """The way of one row to its weights (Vaswani et al. 2017, section 3.2.1), all in float64.

    `scaled` is the row query · key x scale, `bias` what mask and position bias add to it (-inf where the mask forbids a
    key, 0 where nothing is added). `query` and `key` are the two vectors of the cell, `place` is its key in the row.
    """

    place: int
    query: Float[Tensor, " head_dim"]
    key: Float[Tensor, " head_dim"]
    scale: float
    scaled: Float[Tensor, " key"]
    bias: Float[Tensor, " key"]

    @property
    def products(self) -> Float[Tensor, " head_dim"]:
        """Query times key, channel by channel."""
        return self.query * self.key

    @property
    def dot(self) -> float:
        """The sum of the products."""
        return float(self.products.sum())

    @property
    def masked(self) -> Float[Tensor, " key"]:
        """The row that the softmax takes."""
        return self.scaled + self.bias

    @property
    def score(self) -> float:
        """What the softmax takes at the cell; -inf where the mask forbids the key."""
        return float(self.masked[self.place])

    @property
    def permitted(self) -> Bool[Tensor, " key"]:
        """Which keys the mask allows: libraries forbid with -inf, or with a number far below all others."""
        return allowed(self.bias[None])[0]

    @property
    def log_normaliser(self) -> float:
        """The logarithm of the sum of e^score over the row: a weight is e^(score - log_normaliser)."""
        return float(self.masked.logsumexp(-1))

    def largest(self, count: int) -> Int[Tensor, " _"]:
        """The channels of the `count` products that are farthest from 0, the farthest first."""
        return self.products.abs().argsort(descending=True, stable=True)[:count]


@dataclass(frozen=True, eq=False)
class Values:
    """What one row of weights takes from the values, in float64.

    `output` is the sum of weight x value over the keys, `lengths` are the norms of the values. `shares` are the parts
    of each key along the output, (weight x value · output) / (output · output): they sum to 1, and a key whose value
    points against the output has a negative one. NaN where the output is zero.
    """

    lengths: Float[Tensor, " key"]
    output: Float[Tensor, " value_dim"]
    shares: Float[Tensor, " key"]


@dataclass(frozen=True, eq=False)
class WeightExplanation:
    """The cell (query, key) of one head: its row of weights, and the steps before and after it.

    `scores` and `values` are None where they are not known; `missing` holds a sentence for each.
    """

    call: AttentionCall
    head: int
    query: int
    key: int
    item: int
    weights: Float[Tensor, " key"]
    scores: Scores | None
    values: Values | None
    missing: tuple[str, ...]

    @property
    def weight(self) -> float:
        """The weight of the cell, as recorded; NaN where the mask of the row allows no key."""
        return float(self.weights[self.key])


@dataclass(frozen=True, eq=False)
class Written:
    """What the heads of a layer write at one token through W_O: norms.

    `heads` has one for each head, `cell` is that of the part which comes from one key in one head.
    """

    heads: Float[Tensor, " head"]
    cell: float
    path: str  # of W_O

    def share(self, head: int) -> float:
        """The norm of a head as a share of the sum of all; NaN where no head writes anything."""
        return float(self.heads[head] / self.heads.sum())


def explain_weight(call: AttentionCall, head: int, query: int, key: int, item: int = 0) -> WeightExplanation:
    """The steps of one weight of a recorded call, as far as they are known.

    The row is computed again from query, key, scale and mask, and left out, with the reason, where it differs from the
    recorded weights by more than rounding. Raises CaptureError where the call has no such head, query or key.
    """
    if not 0 <= key < call.key_length:
        raise CaptureError(f"'{call.path}' has no key {key}: they are numbered 0 to {call.key_length - 1}.")
    weights = call.weights(head, item, queries=[query])[0].double()
    if weights.isnan().any():
        return WeightExplanation(call, head, query, key, item, weights, None, None, (NO_KEY_ALLOWED,))
    scores, no_scores = _scores(call, head, query, key, item, weights)
    values, no_values = _values(call, head, item, weights)
    missing = tuple(reason for reason in (no_scores, no_values) if reason)
    return WeightExplanation(call, head, query, key, item, weights, scores, values, missing)


def written_by(explanation: WeightExplanation, outputs: HeadOutputs) -> Written:
    """What the heads write at the explained query; `outputs` are those of the same call in the same run.

    Raises CaptureError, with the reason, where the layer has no map W_O that takes its heads as they are.
    """
    head, item, call = explanation.head, explanation.item, explanation.call
    with torch.inference_mode():
        vectors = contributions(outputs, item, [explanation.query])[:, 0]
        _, output_map, _ = outputs.input_map_output
        matrix = output_map.weight.float().unflatten(0, (outputs.call.heads, -1))[head]
        cell = explanation.weight * (values_of_head(call, head, item)[explanation.key].float() @ matrix)
    return Written(vectors.norm(dim=-1), float(cell.norm()), output_map.path)


def values_of_head(call: AttentionCall, head: int, item: int = 0) -> Float[Tensor, "key value_dim"]:
    """The values that a head of a recorded call mixes; several heads may share them. CaptureError if none were seen."""
    value = call.product.value if call.product else call.recorded_value
    if value is None:
        raise CaptureError(NO_VALUES)
    return value[item, head * value.shape[1] // call.heads]


def _scores(
    call: AttentionCall, head: int, query: int, key: int, item: int, weights: Float[Tensor, " key"]
) -> tuple[Scores | None, str]:
    """The way to the row of weights, or the reason why it is not known."""
    product = call.product
    if product is None:
        return None, NO_PRODUCT
    query_vector = product.query[item, head, query].double()
    keys = product.key[item, head * product.key.shape[1] // call.heads].double()  # several heads may share one
    bias = product.biases(slice(item, item + 1), [head], torch.tensor([query]))
    row = torch.zeros(call.key_length) if bias is None else bias[0, 0, 0]
    scores = Scores(
        key, query_vector, keys[key], product.scale, keys @ query_vector * product.scale, row.double().clone()
    )
    difference = float((scores.masked.softmax(-1) - weights).abs().max())
    if not difference <= TOLERANCE * float(weights.abs().max()):
        return None, NOT_REPRODUCED.format(difference=difference)
    return scores, ""


def _values(call: AttentionCall, head: int, item: int, weights: Float[Tensor, " key"]) -> tuple[Values | None, str]:
    """What the row takes from the values, or the reason why it is not known."""
    if call.value is None:
        return None, NO_VALUES
    value = values_of_head(call, head, item).double()
    output = weights @ value
    squared = output @ output
    shares = weights * (value @ output) / squared  # NaN for 0 / 0
    return Values(value.norm(dim=-1), output, shares), "" if squared > 0 else NO_OUTPUT
