"""Attention in eight named steps whose arithmetic can be inspected (Vaswani et al. 2017, section 3.2).

    from ..equations import terms

    steps = steps_from_tokens(x, projections, heads=2, causal=True)
    steps[1].name                    # "score"
    steps[1].arrays["S"]             # (head, query, key)
    terms(steps[1].operations[0], row=2, column=0, head=1)   # the products that sum to one score

Written for reading and display, not for speed: models use torch's fused kernel, which gives the same results.
"""

from dataclasses import dataclass
from math import sqrt

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from .equations import Matrix, Operation, Step

STEPS = ("project", "score", "scale", "mask", "normalise", "mix", "concatenate", "project out")


@dataclass(frozen=True)
class Projection:
    """The linear map `x @ weight + bias`, as in the paper; `weight` is the transpose of `torch.nn.Linear.weight`."""

    weight: Float[Tensor, "width_in width_out"]
    bias: Float[Tensor, " width_out"] | None = None


@dataclass(frozen=True)
class Projections:
    """The projections of one attention layer; without `output`, the steps end at the concatenation."""

    query: Projection
    key: Projection
    value: Projection
    output: Projection | None = None


def steps_from_tokens(
    x: Float[Tensor, "token width"],
    projections: Projections,
    *,
    heads: int,
    scale: bool = True,
    causal: bool = False,
    mask: Bool[Tensor, "#head query key"] | Float[Tensor, "#head query key"] | None = None,
    temperature: float = 1.0,
) -> tuple[Step, ...]:
    """All steps of self-attention among the tokens of `x`. For the options see `steps_from_heads`.

    Raises ValueError when the heads cannot share the channels of a projection equally.
    """
    maps = {"Q": projections.query, "K": projections.key, "V": projections.value}
    project = Step(
        "project",
        "Every token is turned into a query (what it looks for), a key (what it can be found by) "
        "and a value (what it hands over).",
        tuple(_project(x, projection, symbol, heads) for symbol, projection in maps.items()),
    )
    query, key, value = project.arrays.values()
    head_steps = steps_from_heads(
        query,
        key,
        value,
        output=projections.output,
        scale=scale,
        causal=causal,
        mask=mask,
        temperature=temperature,
    )
    return (project, *head_steps)


def steps_from_heads(
    query: Float[Tensor, "head query head_dim"],
    key: Float[Tensor, "head key head_dim"],
    value: Float[Tensor, "head key value_dim"],
    *,
    output: Projection | None = None,
    scale: bool = True,
    causal: bool = False,
    mask: Bool[Tensor, "#head query key"] | Float[Tensor, "#head query key"] | None = None,
    temperature: float = 1.0,
) -> tuple[Step, ...]:
    """The steps after the projections, from queries, keys and values.

    `mask` is as in torch: True (or 0) where a query may attend, False (or -inf) where not; it is combined with
    `causal`, which masks later keys. `scale` divides the scores by the square root of head_dim, `temperature` divides
    them once more: below 1 sharpens, above 1 flattens. A row whose keys are all masked has NaN weights. Raises
    ValueError unless the temperature is above 0.
    """
    if not temperature > 0:
        raise ValueError(f"The temperature must be above 0, not {temperature}.")
    score = _score(query, key)
    scaled = _scale(score.output, query.shape[-1] if scale else None, temperature)
    masked = _mask(scaled.output, mask, causal)
    weights = _normalise(masked.output)
    mixed = _mix(weights.output, value)
    concatenated = _concatenate(mixed.output)
    steps = [
        Step("score", "Each query is compared with each key: the more they agree, the higher the score.", (score,)),
        Step("scale", _SCALE_MEANINGS[scale, temperature == 1], (scaled,)),
        Step("mask", _MASK_MEANINGS[causal, mask is not None], (masked,)),
        Step("normalise", "Softmax turns each row of scores into weights: none below 0, together 1.", (weights,)),
        Step("mix", "Each token receives the values of all tokens, as much of each as its weight says.", (mixed,)),
        Step("concatenate", "What the heads have gathered is laid side by side.", (concatenated,)),
    ]
    if output is not None:
        result = _map(concatenated.output, output, "Y")
        steps.append(Step("project out", "One last map mixes the heads and hands the result on.", (result,)))
    return tuple(steps)


_TOKEN_AXES = ("token", "width")

_SCALE_MEANINGS = {  # (scale, temperature is 1): meaning of the step
    (True, True): "Scores are sums over all channels; dividing by the root of their number keeps them moderate.",
    (True, False): "Scores are divided by the root of the number of channels, and by the temperature.",
    (False, True): "The scale is off: the scores stay as large as they are.",
    (False, False): "The scale is off: the scores are divided by the temperature alone.",
}
_MASK_MEANINGS = {  # (causal, has mask): meaning of the step
    (True, False): "No token may look at a later one: adding minus infinity makes its weight exactly 0.",
    (True, True): "No token may look at a later one, nor where the given mask forbids it.",
    (False, True): "Where the given mask holds minus infinity, nobody may look.",
    (False, False): "No mask: every token may look at every token, so nothing is added.",
}


def _project(x: Float[Tensor, "token width"], projection: Projection, symbol: str, heads: int) -> Operation:
    channels = projection.weight.shape[1]
    if heads < 1 or channels % heads:
        raise ValueError(f"{heads} heads cannot share {channels} channels equally.")
    return _map(Matrix("X", x, _TOKEN_AXES), projection, symbol, heads=heads)


def _map(left: Matrix, projection: Projection, symbol: str, *, heads: int | None = None) -> Operation:
    """`left @ W + b`, with weight, bias and result split into `heads` heads, or not split without `heads`."""

    def split(array: Float[Tensor, "row width"]) -> Tensor:
        return array if heads is None else array.unflatten(-1, (heads, -1)).transpose(0, 1)

    product = left.values @ projection.weight
    if projection.bias is not None:
        product = product + projection.bias
    columns = "width" if heads is None else "head_dim"
    name = "O" if heads is None else symbol
    output = Matrix(symbol, split(product), ("token", columns))
    weight = Matrix(f"W_{name}", split(projection.weight), ("width", columns))
    if projection.bias is None:
        return _multiply(left, weight, output)
    bias = Matrix(f"b_{name}", split(projection.bias[None]), ("bias", columns))
    formula = f"{_multiply(left, weight, output).formula} + {bias.symbol_with_size}"
    return Operation("product", (left, weight, bias), output, formula)


def _multiply(left: Matrix, right: Matrix, output: Matrix) -> Operation:
    return Operation(
        "product",
        (left, right),
        output,
        f"{output.symbol_with_size} = {left.symbol_with_size} \\; {right.symbol_with_size}",
    )


def _score(query: Float[Tensor, "head query head_dim"], key: Float[Tensor, "head key head_dim"]) -> Operation:
    left = Matrix("Q", query, ("query", "head_dim"))
    right = Matrix(r"K^{\top}", key.mT, ("head_dim", "key"))
    return _multiply(left, right, Matrix("S", query @ key.mT, ("query", "key")))


def _scale(scores: Matrix, channels: int | None, temperature: float) -> Operation:
    factors, divisors = [], []
    if channels is not None:
        factors.append((rf"1/\sqrt{{{channels}}}", 1 / sqrt(channels)))
        divisors.append(rf"\sqrt{{{channels}}}")
    if temperature != 1:
        factors.append((f"1/{temperature:g}", 1 / temperature))
        divisors.append(f"{temperature:g}")
    values = scores.values
    for _, factor in factors:
        values = values * factor
    output = Matrix("S'", values, scores.axes)
    divisor = r" \cdot ".join(divisors)
    right = rf"\frac{{S}}{{{divisor}}}" if divisors else "S"
    return Operation("multiple", (scores,), output, f"{output.symbol_with_size} = {right}", tuple(factors))


def _mask(
    scores: Matrix, mask: Bool[Tensor, "#head query key"] | Float[Tensor, "#head query key"] | None, causal: bool
) -> Operation:
    values = torch.zeros_like(scores.values)
    if mask is not None and mask.dtype == torch.bool:
        values = values.masked_fill(~mask, -torch.inf)
    elif mask is not None:
        values = values + mask
    if causal:
        is_later = torch.ones(values.shape[-2:], dtype=torch.bool).triu(diagonal=1)
        values = values.masked_fill(is_later, -torch.inf)
    added = Matrix("M", values, scores.axes)
    output = Matrix("S''", scores.values + values, scores.axes)
    return Operation("sum", (scores, added), output, f"{output.symbol_with_size} = S' + {added.symbol_with_size}")


def _normalise(scores: Matrix) -> Operation:
    output = Matrix("A", scores.values.softmax(dim=-1), scores.axes)
    formula = rf"{output.symbol_with_size} = \operatorname{{softmax}}(S''), \quad A_{{ij}} = \frac{{e^{{S''_{{ij}}}}}}"
    return Operation("softmax", (scores,), output, formula + r"{\sum_{k} e^{S''_{ik}}}")


def _mix(weights: Matrix, value: Float[Tensor, "head key head_dim"]) -> Operation:
    right = Matrix("V", value, ("key", "head_dim"))
    return _multiply(weights, right, Matrix("H", weights.values @ value, ("query", "head_dim")))


def _concatenate(mixed: Matrix) -> Operation:
    output = Matrix("C", mixed.values.transpose(0, 1).flatten(start_dim=1), _TOKEN_AXES)
    last = mixed.values.shape[0] - 1
    heads = {0: "H_{0}", 1: "H_{0} \\,|\\, H_{1}"}.get(last, rf"H_{{0}} \,|\, \cdots \,|\, H_{{{last}}}")
    return Operation("join", (mixed,), output, rf"{output.symbol_with_size} = \left[ {heads} \right]")
