"""The rules by which the next token is chosen, in the order in which transformers applies them.

First a penalty for tokens of the text, then the temperature; then three filters, each applied to the tokens that remain
after the ones before. A filter is a function from logits to a mask of the tokens that it removes.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..errors import InputError, ModelError
from ..former_names import former_names

MIN_TEMPERATURE = 0.01  # the lowest temperature above 0: below it logits could overflow

TEMPERATURE = f"0 (greedy) or from {MIN_TEMPERATURE} to 100"

# The filters in their order; `Choice.removed_by` holds indices into this tuple.
FILTERS = ("greedy", "top-k", "top-p", "min-p")

__getattr__ = former_names(__name__, {"dice": "random_number"})


@dataclass(frozen=True)
class Rules:
    """The decoding rules. The defaults sample from the distribution of the model.

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
            (
                "temperature",
                self.temperature,
                self.temperature == 0 or MIN_TEMPERATURE <= self.temperature <= 100,
                TEMPERATURE,
            ),
            ("top-k", self.top_k, self.top_k >= 0, "0 (off) or more tokens"),
            ("top-p", self.top_p, 0 <= self.top_p <= 1, "from 0 to 1 (off)"),
            ("min-p", self.min_p, 0 <= self.min_p <= 1, "from 0 (off) to 1"),
            ("repetition penalty", self.penalty, 0.01 <= self.penalty <= 100, "from 0.01 to 100; 1 is off"),
        ):
            if not fits:
                raise InputError(f"The {name} is {number:g}, and it must be {rule}.")


def penalise(logits: Float[Tensor, " vocabulary"], ids: Sequence[int], penalty: float) -> Float[Tensor, " vocabulary"]:
    """Logits with those of the tokens in `ids` divided by the penalty, or multiplied where they are negative.

    Keskar et al. 2019, section 4.1, has the division only; transformers multiplies below 0, so that both lower a logit.
    """
    unique_ids = torch.tensor(sorted({token for token in ids if token < len(logits)}), dtype=torch.long)
    scaled = logits.clone()
    scaled[unique_ids] = torch.where(logits[unique_ids] < 0, logits[unique_ids] * penalty, logits[unique_ids] / penalty)
    return scaled


def all_but_most_probable(logits: Float[Tensor, " vocabulary"]) -> Bool[Tensor, " vocabulary"]:
    """The mask of greedy decoding: all tokens but the most probable one, the first of equal ones."""
    removed = torch.ones_like(logits, dtype=torch.bool)
    removed[logits.argmax()] = False
    return removed


def beyond_top_k(logits: Float[Tensor, " vocabulary"], k: int) -> Bool[Tensor, " vocabulary"]:
    """Tokens less probable than the k-th most probable one; equal ones stay (Fan et al. 2018, section 5.4)."""
    return logits < logits.topk(min(k, len(logits))).values[-1]


def beyond_top_p(logits: Float[Tensor, " vocabulary"], p: float) -> Bool[Tensor, " vocabulary"]:
    """Tokens that are not in the smallest set of probability p (Holtzman et al. 2020, section 3.1).

    The token that reaches p stays, and at least one stays.
    """
    # From the least probable up, as transformers adds: in another order sums that should equal 1 - p may not.
    ascending, places = logits.sort(descending=False)
    removed = ascending.softmax(dim=-1).cumsum(dim=-1) <= 1 - p
    removed[-1] = False
    return torch.zeros_like(removed).scatter(0, places, removed)


def below_min_p(logits: Float[Tensor, " vocabulary"], share: float) -> Bool[Tensor, " vocabulary"]:
    """Tokens with less than `share` of the probability of the most probable one (Nguyen et al. 2024, section 3)."""
    probabilities = logits.softmax(dim=-1)
    return probabilities < share * probabilities.max()


@dataclass(frozen=True, eq=False)
class Choice:
    """The distribution of the next token before and after the rules.

    `model_probabilities` are those of the model, `tempered` those after penalty and temperature, and `probabilities`
    those after the filters, from which the token is drawn. `removed_by` is the index in FILTERS of the filter that
    removed a token, -1 for those that remain. `logits` are those of the model, `penalised_logits` those after the
    penalty.
    """

    logits: Float[Tensor, " vocabulary"]
    penalised_logits: Float[Tensor, " vocabulary"]
    model_probabilities: Float[Tensor, " vocabulary"]
    tempered: Float[Tensor, " vocabulary"]
    probabilities: Float[Tensor, " vocabulary"]
    removed_by: Int[Tensor, " vocabulary"]

    @property
    def chances(self) -> Float[Tensor, " vocabulary"]:
        """The former name of `probabilities`."""
        warnings.warn("Choice.chances is Choice.probabilities now.", DeprecationWarning, stacklevel=2)
        return self.probabilities

    @property
    def remaining(self) -> int:
        """The number of tokens that remain."""
        return int((self.removed_by < 0).sum())

    def removed(self, filter_name: str) -> float:
        """The share of the tempered probability that one of FILTERS removed."""
        return float(self.tempered[self.removed_by == FILTERS.index(filter_name)].double().sum())

    @property
    def remaining_probability(self) -> float:
        """The share of the tempered probability that remains after all filters."""
        return float(self.tempered[self.removed_by < 0].double().sum())


def apply(rules: Rules, logits: Float[Tensor, " vocabulary"], ids: Sequence[int]) -> Choice:
    """Apply the rules to the logits after the tokens `ids`. Raises ModelError if the logits are NaN."""
    logits = logits.detach().float()
    if logits.isnan().any() or not logits.isfinite().any():
        raise ModelError("The model's scores for the next token are no numbers, so none can be drawn. Choose another.")
    penalised_logits = penalise(logits, ids, rules.penalty) if rules.penalty != 1 else logits
    scaled = penalised_logits / rules.temperature if rules.temperature else penalised_logits
    remaining, removed_by = scaled, torch.full(logits.shape, -1)
    for place, token_filter in _filters(rules):
        newly_removed = token_filter(remaining) & (removed_by < 0)
        removed_by = removed_by.masked_fill(newly_removed, place)
        remaining = remaining.masked_fill(newly_removed, -torch.inf)
    return Choice(
        logits, penalised_logits, logits.softmax(dim=-1), scaled.softmax(dim=-1), remaining.softmax(dim=-1), removed_by
    )


def _filters(rules: Rules):
    """The filters that are on: their indices in FILTERS, and the functions from logits to masks."""
    if not rules.temperature:
        return [(0, all_but_most_probable)]
    filters = (
        (1, rules.top_k > 0, lambda logits: beyond_top_k(logits, rules.top_k)),
        (2, rules.top_p < 1, lambda logits: beyond_top_p(logits, rules.top_p)),
        (3, rules.min_p > 0, lambda logits: below_min_p(logits, rules.min_p)),
    )
    return [(place, token_filter) for place, is_on, token_filter in filters if is_on]


def random_number(seed: int, step: int) -> float:
    """The random number from 0 to 1 of a step, counted from 0; deterministic in seed and step."""
    return float(np.random.default_rng((seed, step)).random())


def draw(probabilities: Float[Tensor, " vocabulary"], number: float) -> int:
    """Sample a token by inverse transform, over the tokens by descending probability; `number` is from 0 to 1."""
    lengths, order = probabilities.double().sort(descending=True, stable=True)
    ends = lengths.cumsum(dim=0)
    place = int(torch.searchsorted(ends, number * float(ends[-1]), right=True))
    return int(order[min(place, int((lengths > 0).sum()) - 1)])
