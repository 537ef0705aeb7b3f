"""The rules by which the next token is chosen, in the order in which transformers applies them.

First a penalty for what has been read, then the temperature; then three filters, each of which sees what the ones
before it have left. A filter is a function from logits to the tokens that it takes away.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..errors import InputError, ModelError

COLDEST = 0.01  # the lowest temperature that is divided by: below it logits would overflow

TEMPERATURE = f"0 (greedy) or from {COLDEST} to 100"

# What can take a token away, in the order of the rules; a place in this list is what `Choice.taken_by` holds.
FILTERS = ("greedy", "top-k", "top-p", "min-p")


@dataclass(frozen=True)
class Rules:
    """How to choose. The defaults change nothing: each token is drawn as often as the model says.

    `temperature` 0 is greedy: the most probable token, whatever the filters say. `top_k` 0, `top_p` 1, `min_p` 0 and
    `penalty` 1 are off.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    penalty: float = 1.0

    def __post_init__(self):
        for name, number, fits, rule in (
            ("temperature", self.temperature, self.temperature == 0 or COLDEST <= self.temperature <= 100, TEMPERATURE),
            ("top-k", self.top_k, self.top_k >= 0, "0 (off) or more tokens"),
            ("top-p", self.top_p, 0 <= self.top_p <= 1, "from 0 to 1 (off)"),
            ("min-p", self.min_p, 0 <= self.min_p <= 1, "from 0 (off) to 1"),
            ("repetition penalty", self.penalty, 0.01 <= self.penalty <= 100, "from 0.01 to 100; 1 is off"),
        ):
            if not fits:
                raise InputError(f"The {name} is {number:g}, and it must be {rule}.")


def penalised(
    logits: Float[Tensor, " vocabulary"], read: Sequence[int], penalty: float
) -> Float[Tensor, " vocabulary"]:
    """Logits with those of the tokens in `read` divided by the penalty, or multiplied where they are negative.

    Keskar et al. 2019, section 4.1, has the division only; transformers multiplies below 0, so that both lower a logit.
    """
    seen = torch.tensor(sorted({token for token in read if token < len(logits)}), dtype=torch.long)
    lowered = logits.clone()
    lowered[seen] = torch.where(logits[seen] < 0, logits[seen] * penalty, logits[seen] / penalty)
    return lowered


def all_but_the_best(logits: Float[Tensor, " vocabulary"]) -> Bool[Tensor, " vocabulary"]:
    """What greedy choice takes away: everything but the most probable token, the first of equal ones."""
    taken = torch.ones_like(logits, dtype=torch.bool)
    taken[logits.argmax()] = False
    return taken


def beyond_top_k(logits: Float[Tensor, " vocabulary"], k: int) -> Bool[Tensor, " vocabulary"]:
    """What is less probable than the k-th most probable token; what equals it stays (Fan et al. 2018, section 5.4)."""
    return logits < logits.topk(min(k, len(logits))).values[-1]


def beyond_top_p(logits: Float[Tensor, " vocabulary"], p: float) -> Bool[Tensor, " vocabulary"]:
    """What is not among the fewest most probable tokens that together have p (Holtzman et al. 2020, section 3.1).

    The token that reaches p stays, and one stays in any case.
    """
    # From the least probable up, as transformers adds: in another order sums that should equal 1 - p may not.
    ordered, places = logits.sort(descending=False)
    beyond = ordered.softmax(dim=-1).cumsum(dim=-1) <= 1 - p
    beyond[-1] = False
    return torch.zeros_like(beyond).scatter(0, places, beyond)


def below_min_p(logits: Float[Tensor, " vocabulary"], share: float) -> Bool[Tensor, " vocabulary"]:
    """What has less than `share` of the probability of the most probable token (Nguyen et al. 2024, section 3)."""
    probabilities = logits.softmax(dim=-1)
    return probabilities < share * probabilities.max()


@dataclass(frozen=True, eq=False)
class Choice:
    """What a model expects, and what its rules make of it, for each token of the vocabulary.

    `expected` is what the model itself says, `weighed` what the filters see, after penalty and temperature, and
    `chances` what is drawn from: 0 for what was taken away, and what remains sums to 1. `taken_by` is the place in
    FILTERS of what took a token away, -1 for those that remain. `logits` and `lowered` are those of the model and
    those after the penalty.
    """

    logits: Float[Tensor, " vocabulary"]
    lowered: Float[Tensor, " vocabulary"]
    expected: Float[Tensor, " vocabulary"]
    weighed: Float[Tensor, " vocabulary"]
    chances: Float[Tensor, " vocabulary"]
    taken_by: Int[Tensor, " vocabulary"]

    @property
    def remaining(self) -> int:
        """How many tokens may still be drawn."""
        return int((self.taken_by < 0).sum())

    def taken(self, by: str) -> float:
        """How much of the probability one of FILTERS took away, of all that there was before the first of them."""
        return float(self.weighed[self.taken_by == FILTERS.index(by)].double().sum())

    @property
    def left(self) -> float:
        """How much of the probability is left."""
        return float(self.weighed[self.taken_by < 0].double().sum())


def apply(rules: Rules, logits: Float[Tensor, " vocabulary"], read: Sequence[int]) -> Choice:
    """What the rules make of a model's logits after it has read these tokens; ModelError if they are no numbers."""
    logits = logits.detach().float()
    if logits.isnan().any() or not logits.isfinite().any():
        raise ModelError("The model's scores for the next token are no numbers, so none can be drawn. Choose another.")
    lowered = penalised(logits, read, rules.penalty) if rules.penalty != 1 else logits
    warmed = lowered / rules.temperature if rules.temperature else lowered
    remaining, taken_by = warmed, torch.full(logits.shape, -1)
    for place, taken in _filters(rules):
        away = taken(remaining) & (taken_by < 0)
        taken_by = taken_by.masked_fill(away, place)
        remaining = remaining.masked_fill(away, -torch.inf)
    return Choice(logits, lowered, logits.softmax(dim=-1), warmed.softmax(dim=-1), remaining.softmax(dim=-1), taken_by)


def _filters(rules: Rules):
    """The filters that are on: their places in FILTERS, and what each takes away of the logits before it."""
    if not rules.temperature:
        return [(0, all_but_the_best)]
    every = (
        (1, rules.top_k > 0, lambda logits: beyond_top_k(logits, rules.top_k)),
        (2, rules.top_p < 1, lambda logits: beyond_top_p(logits, rules.top_p)),
        (3, rules.min_p > 0, lambda logits: below_min_p(logits, rules.min_p)),
    )
    return [(place, taken) for place, is_on, taken in every if is_on]


def dice(seed: int, step: int) -> float:
    """The number from 0 up to 1 that decides a step, counted from 0: always the same for the same seed and step."""
    return float(np.random.default_rng((seed, step)).random())


def draw(chances: Float[Tensor, " vocabulary"], number: float) -> int:
    """The token at `number` when all tokens lie in a row, the most probable first, each as long as its probability."""
    lengths, order = chances.double().sort(descending=True, stable=True)
    ends = lengths.cumsum(dim=0)
    place = int(torch.searchsorted(ends, number * float(ends[-1]), right=True))
    return int(order[min(place, int((lengths > 0).sum()) - 1)])
