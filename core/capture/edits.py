"""What may be done to a head: silence it, level it, sharpen or flatten it, cut links, paste a pattern, replace it."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..errors import CaptureError

# An edit turns the masked scores of one head into weights; `allowed` says which keys its mask lets a query look at.
Map = Float[Tensor, "batch query key"]
Allowed = Bool[Tensor, "batch query key"]


@dataclass(frozen=True)
class Silence:
    """The head says nothing: its weights are zero."""

    def __call__(self, scores: Map, allowed: Allowed) -> Map:
        """Nothing of anything."""
        del allowed
        return torch.zeros_like(scores)


@dataclass(frozen=True)
class Uniform:
    """The head takes the same of each key that its mask allows."""

    def __call__(self, scores: Map, allowed: Allowed) -> Map:
        """The same of each allowed key."""
        return normalise(torch.zeros_like(scores).masked_fill(~allowed, -math.inf))


@dataclass(frozen=True)
class Temperature:
    """The head's scores are divided by `degree`: below 1 it is more decided, above 1 less."""

    degree: float

    def __post_init__(self):
        if not (math.isfinite(self.degree) and self.degree > 0):
            raise CaptureError(f"A temperature is a number above 0, not {self.degree}.")

    def __call__(self, scores: Map, allowed: Allowed) -> Map:
        """A softmax at this temperature."""
        # Less their best first: in a row that is forbidden as a whole the lowest finite number would become infinite.
        best = scores.amax(-1, keepdim=True).nan_to_num(neginf=0.0)
        return normalise(((scores - best) / self.degree).masked_fill(~allowed, -math.inf))


@dataclass(frozen=True)
class Cut:
    """The head may not look along these (query, key) links; what is left of a row is shared out again.

    A query that has no key left takes nothing: its weights are zero. A link outside the map is an error, unless the
    map is `growing`, as while a text is written token by token: then queries are counted from the beginning of the
    text, also where a step reads the newest one only and takes keys and values from a cache, and a link waits until
    there is such a query.
    """

    links: Iterable[tuple[int, int]]
    growing: bool = False

    def __post_init__(self):
        object.__setattr__(self, "links", frozenset(self.links))
        if wrong := [link for link in sorted(self.links) if min(link) < 0]:
            raise CaptureError(f"The link {wrong[0]} cannot be cut: queries and keys are counted from 0.")

    def __call__(self, scores: Map, allowed: Allowed, first: int = 0) -> Map:
        """A softmax without the cut links; `first` is the number of the map's first query in a growing text."""
        _, queries, keys = scores.shape
        links = sorted(self.links)
        if self.growing:
            links = [(query - first, key) for query, key in links if first <= query < first + queries]
        for query, key in links:
            if not (0 <= query < queries and 0 <= key < keys):
                raise CaptureError(
                    f"The link ({query}, {key}) cannot be cut: there are {queries} queries and {keys} keys here."
                )
        cut = torch.zeros(queries, keys, dtype=torch.bool, device=scores.device)
        if links:
            cut[tuple(torch.tensor(links).T)] = True
        return normalise(scores.masked_fill(cut | ~allowed, -math.inf))


@dataclass(frozen=True, eq=False)
class Paste:
    """The head looks as this pattern says, one for each input or one for all; it is taken as it is."""

    pattern: Float[Tensor, "query key"] | Float[Tensor, "batch query key"]

    def __call__(self, scores: Map, allowed: Allowed) -> Map:
        """The pattern, for each input."""
        del allowed
        if self.pattern.shape not in (scores.shape, scores.shape[1:]):
            raise CaptureError(
                f"A pattern of shape {tuple(self.pattern.shape)} does not fit: the head's own is {tuple(scores.shape)} "
                "(batch, query, key), or the same for all inputs (query, key)."
            )
        return self.pattern.to(scores).expand_as(scores)


@dataclass(frozen=True, eq=False)
class Replace:
    """The product of query, key and value is computed in another way, for instance by an approximation.

    Not an edit of weights: `product` gets query, key and value (batch, head, query | key, each), with the query scaled
    so that scores are to be divided by sqrt(each), and no dropout; it gives (batch, head, query, each). `causal` says
    whether it lets no query look at a later key, and must agree with the layer. `weights` (query, key) writes out the
    map that it stands for: only a record that is made at the same time asks for it.
    """

    product: Callable[[Tensor, Tensor, Tensor], Tensor]
    causal: bool
    weights: Callable[[Tensor, Tensor], Tensor] | None = None


@dataclass(frozen=True, eq=False)
class Apply:
    """The head's weights become what a function makes of them: (batch, query, key), taken as it is."""

    function: Callable[[Tensor], Tensor]

    def __call__(self, scores: Map, allowed: Allowed) -> Map:
        """The function's weights."""
        new = self.function(normalise(scores.masked_fill(~allowed, -math.inf)))
        if not isinstance(new, Tensor) or new.shape != scores.shape:
            found = tuple(new.shape) if isinstance(new, Tensor) else type(new).__name__
            raise CaptureError(
                f"A function of a head's weights gives weights of the same shape, {tuple(scores.shape)} (batch, query, "
                f"key), not {found}."
            )
        return new.to(scores)


@dataclass(frozen=True, eq=False)
class Only:
    """An edit for some inputs of the batch, or in some runs of the module, counted from 0 (steps of `generate`)."""

    edit: "Edit"
    items: Sequence[int] | None = None
    steps: Sequence[int] | None = None

    def __post_init__(self):
        inner = read_edit(self.edit)
        if isinstance(inner, Patch | Replace):
            raise CaptureError(f"Only an edit of weights can be for some inputs or runs, not {type(inner).__name__}.")
        object.__setattr__(self, "edit", inner)

    def __call__(self, scores: Map, allowed: Allowed, first: int = 0) -> Map:
        """The edit's weights for the chosen inputs, the head's own for the others."""
        new = made(self.edit, scores, allowed, first)
        if self.items is None:
            return new
        if wrong := [item for item in self.items if not 0 <= item < len(scores)]:
            raise CaptureError(f"There is no input {wrong[0]} in this batch: it has {len(scores)}, numbered from 0.")
        chosen = torch.zeros(len(scores), 1, 1, dtype=torch.bool, device=scores.device)
        chosen[list(self.items)] = True
        return torch.where(chosen, new, normalise(scores.masked_fill(~allowed, -math.inf)))


Edit = Silence | Uniform | Temperature | Cut | Paste | Apply | Only


@dataclass(frozen=True, eq=False)
class Patch:
    """A head's query, key, value or output is that of the same head in another recorded call: activation patching.

    Not an edit of weights: these follow from what the head is given. The call must have been seen as a fused one, with
    the same sizes (Meng et al. 2022, section 2, patch what a layer writes; here it is one head's part).
    """

    part: str  # "query", "key", "value" or "output"
    call: Any  # AttentionCall

    def __post_init__(self):
        if self.part not in ("query", "key", "value", "output"):
            raise CaptureError(f"A patch is of 'query', 'key', 'value' or 'output', not {self.part!r}.")
        if self.call.product is None:
            raise CaptureError(f"'{self.call.path}' was seen through its softmax: it has no {self.part} to patch with.")

    def of_head(self, head: int, like: Float[Tensor, "batch position each"]) -> Float[Tensor, "batch position each"]:
        """The other run's part of a head; CaptureError where its sizes are others than those of `like`."""
        if not 0 <= head < self.call.heads:
            raise CaptureError(f"'{self.call.path}' has no head {head}: they are numbered 0 to {self.call.heads - 1}.")
        if self.part == "output":
            found = torch.stack([self.call.output(head, item) for item in range(self.call.batch_size)])
        else:
            found = getattr(self.call, self.part)[:, head]
        if found.shape != like.shape:
            raise CaptureError(
                f"The {self.part} of '{self.call.path}' has the sizes {tuple(found.shape)} (batch, position, channel), "
                f"and {tuple(like.shape)} are needed: both runs must read inputs of the same lengths."
            )
        return found.to(like)


def made(edit: "Edit", scores: Map, allowed: Allowed, first: int) -> Map:
    """The weights after an edit; `first` is the number of the map's first query, for links of a growing text."""
    return edit(scores, allowed, first) if isinstance(edit, Cut | Only) else edit(scores, allowed)


def grows(edit: "Edit") -> bool:
    """Whether an edit counts queries from the beginning of a text that is being written."""
    return grows(edit.edit) if isinstance(edit, Only) else isinstance(edit, Cut) and edit.growing


NAMED = {"silence": Silence(), "uniform": Uniform(), "sharpen": Temperature(0.5), "flatten": Temperature(2.0)}


def read_edit(wanted: Edit | Patch | Replace | Callable[[Tensor], Tensor] | str) -> Edit | Patch | Replace:
    """An edit, or the one with this name, or that of a function of weights."""
    edit = NAMED.get(wanted, wanted) if isinstance(wanted, str) else wanted
    if not isinstance(edit, Edit | Patch | Replace) and callable(edit) and not isinstance(edit, type):
        return Apply(edit)
    if not isinstance(edit, Edit | Patch | Replace):
        raise CaptureError(
            f"{wanted!r} is not an edit: use one of {', '.join(map(repr, NAMED))}, Temperature(t), "
            "Cut({(query, key), ...}), Paste(pattern), Only(edit, items=..., steps=...), Patch(part, call), "
            "Replace(product, causal=...) or a function of the weights."
        )
    return edit


def normalise(scores: Float[Tensor, "*leading key"]) -> Float[Tensor, "*leading key"]:
    """Softmax over the keys, but zeros instead of NaN (and no NaN gradient) where no key is left."""
    empty = scores.amax(-1, keepdim=True).isneginf()
    return scores.masked_fill(empty, 0.0).softmax(-1).masked_fill(empty, 0.0)
