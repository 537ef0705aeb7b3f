"""Which keys a key-value cache keeps under a budget: window, window with sinks, heavy hitters, small norms, random.

The text goes on token by token. The key of the newest token enters the cache, its query attends to all keys that are
there, at most `budget` of them with its own; then, if the cache is full, one key is dropped to make room for the next.
A dropped key never comes back, so that one number for each key says everything: the step at which it is dropped. Key j
is visible to the queries i with j <= i < dropped[j]; a key that stays to the end has the length of the text.

Keys are dropped by each head for itself; query heads that share keys (grouped-query attention) share a cache.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..errors import InputError

SINKS = 4  # first tokens that are kept: Xiao et al. 2023, section 3.2 and table 2
FEWEST = 8  # keys of the smallest budget: the sinks and as many others
NEWEST = 0.5  # of the budget is for the newest keys in the rules that score the others
ROWS = 256  # queries whose weights are held at once; and steps after which the progress is reported

Query = Float[Tensor, "head group token head_dim"]  # the query heads that share the keys of a head are a group
Key = Float[Tensor, "head token head_dim"]
Dropped = Int[Tensor, "head token"]
Report = Callable[[int], None]  # gets the number of steps that are done


def no_report(_steps: int) -> None:
    """Report nothing."""


@runtime_checkable
class CacheRule(Protocol):
    """A rule for the keys that stay."""

    def dropped(self, query: Query, key: Key, budget: int, *, layer: int = 0, report: Report = no_report) -> Dropped:
        """The step at which each key is dropped, of each head of keys of a layer.

        Scores are query · key / √head_dim. InputError for a budget below FEWEST.
        """


@dataclass(frozen=True)
class Everything:
    """No key is dropped, whatever the budget."""

    def dropped(self, query: Query, key: Key, budget: int, *, layer: int = 0, report: Report = no_report) -> Dropped:  # noqa: ARG002
        """The length of the text, for all keys."""
        heads, length, _ = key.shape
        return torch.full((heads, length), length)


@dataclass(frozen=True)
class Window:
    """The newest keys stay, and the first `sinks` of the text (Xiao et al. 2023, "StreamingLLM", section 3.2).

    The keys keep the positions of their tokens; Xiao et al. number them anew within the cache.
    """

    sinks: int = 0

    def dropped(self, query: Query, key: Key, budget: int, *, layer: int = 0, report: Report = no_report) -> Dropped:  # noqa: ARG002
        """Each key but the sinks stays for budget - sinks steps."""
        _check(budget)
        heads, length, _ = key.shape
        steps = (torch.arange(length) + budget - self.sinks).clamp(max=length)
        steps[: self.sinks] = length
        return steps.repeat(heads, 1)


@dataclass(frozen=True)
class HeavyHitters:
    """The newest keys stay, and those that have received the most attention, summed over all queries so far.

    Zhang et al. 2023, "H2O", section 4 (greedy eviction by accumulated attention) and section 5 (half of the budget
    for the newest keys). The attention is that of the kept keys alone, computed step by step; heads that share keys add
    theirs up.
    """

    newest: float = NEWEST

    def dropped(self, query: Query, key: Key, budget: int, *, layer: int = 0, report: Report = no_report) -> Dropped:  # noqa: ARG002
        """The key with the least accumulated attention is dropped, among all but the newest."""
        _check(budget)
        query, heads = query * query.shape[-1] ** -0.5, torch.arange(len(key))
        kept_keys = key[:, :budget].clone()
        received = _received(query[:, :, : budget - 1], key[:, : budget - 1], slots=kept_keys.shape[1])

        def worth(step: int, _positions: Tensor) -> Tensor:
            received.add_((query[:, :, step] @ kept_keys.mT).softmax(-1).sum(1))
            return received

        def replace(slots: Tensor, step: int) -> None:
            kept_keys[heads, slots] = key[:, step]
            received[heads, slots] = 0

        return _drop_least(worth, replace, key, budget, newest=self.newest, report=report)


@dataclass(frozen=True)
class SmallNorms:
    """The newest keys stay, and those with the smallest norm, which tend to receive the most attention.

    Devoto et al. 2024, "A Simple and Effective L2 Norm-Based Strategy for KV Cache Compression": the largest norms are
    dropped. A share for the newest keys is ours, so that this rule differs from the others by its score alone.
    """

    newest: float = NEWEST

    def dropped(self, query: Query, key: Key, budget: int, *, layer: int = 0, report: Report = no_report) -> Dropped:  # noqa: ARG002
        """The key with the largest norm is dropped, among all but the newest."""
        _check(budget)
        return _drop_by_rank(-key.norm(dim=-1), key, budget, newest=self.newest, report=report)


@dataclass(frozen=True)
class RandomKeys:
    """The newest keys stay, and a uniform random sample of all earlier ones: what a score must beat.

    Each key draws a number when it enters, and the smallest numbers go: reservoir sampling.
    """

    newest: float = NEWEST
    seed: int = 0

    def dropped(self, query: Query, key: Key, budget: int, *, layer: int = 0, report: Report = no_report) -> Dropped:  # noqa: ARG002
        """The key with the smallest number is dropped, among all but the newest; heads and layers draw anew."""
        _check(budget)
        generator = torch.Generator().manual_seed(1000 * self.seed + layer)
        drawn = torch.rand(key.shape[:2], generator=generator, dtype=torch.float64)
        return _drop_by_rank(drawn, key, budget, newest=self.newest, report=report)


RULES: dict[str, CacheRule] = {
    "Window": Window(),
    "Window and sinks": Window(SINKS),
    "Heavy hitters": HeavyHitters(),
    "Small norms": SmallNorms(),
    "Random": RandomKeys(),
}


def visible(dropped: Int[Tensor, "head key"], queries: Tensor, keys: Tensor) -> Bool[Tensor, "head query key"]:
    """Whether a query sees a key, for some queries and the keys at the positions `keys`, (key,) or (head, key).

    `dropped` has the steps of these keys only.
    """
    keys = keys.expand_as(dropped)[:, None]
    return (keys <= queries[:, None]) & (dropped[:, None] > queries[:, None])


def kept_at(dropped: Int[Tensor, " token"], step: int) -> Int[Tensor, " key"]:
    """The keys that the query of a step attends to, its own included, of one head."""
    return (dropped[: step + 1] > step).nonzero()[:, 0]


def _check(budget: int) -> None:
    if budget < FEWEST:
        raise InputError(f"A cache needs a budget of at least {FEWEST} keys for each head, not {budget}.")


def _received(query: Query, key: Key, *, slots: int) -> Float[Tensor, "head slot"]:
    """The attention that each key has received from all queries so far, while none is dropped; zeros for more slots."""
    length = key.shape[1]
    received, positions = key.new_zeros(len(key), slots), torch.arange(length)
    for rows in positions.split(ROWS):
        scores = query[:, :, rows] @ key[:, None].mT
        weights = scores.masked_fill(positions > rows[:, None], -torch.inf).softmax(-1)
        received[:, :length] += weights.sum((1, 2))
    return received


def _drop_by_rank(
    rank: Float[Tensor, "head token"], key: Key, budget: int, *, newest: float, report: Report
) -> Dropped:
    """Drop keys by a number that each has from the beginning, the smallest first."""
    return _drop_least(
        lambda _step, positions: rank.gather(1, positions),
        lambda _slots, _step: None,
        key,
        budget,
        newest=newest,
        report=report,
    )


def _drop_least(
    worth: Callable[[int, Tensor], Tensor],
    replace: Callable[[Tensor, int], None],
    key: Key,
    budget: int,
    *,
    newest: float,
    report: Report,
) -> Dropped:
    """Drop the key that is worth least after each step at which the cache is full.

    `worth(step, positions)` values the keys in all slots of the cache after a step, (head, slot); `positions` are those
    of their tokens. `replace(slots, step)` puts the keys of a step into a slot of each head. The newest keys stay: this
    share of what the next query sees.
    """
    heads, length, _ = key.shape
    dropped, every = torch.full((heads, length), length), torch.arange(heads)
    positions = torch.arange(min(budget, length)).repeat(heads, 1)
    protected = int(newest * budget)
    for step in range(budget - 1, length - 1):  # after the last step no key has to make room
        values = worth(step, positions).masked_fill(positions > step + 1 - protected, torch.inf)
        slots = values.argmin(-1)
        dropped[every, positions[every, slots]] = step + 1
        positions[every, slots] = step + 1
        replace(slots, step + 1)
        if step % ROWS == 0:
            report(step)
    return dropped
