"""Edits of a head: silence, uniform, temperature, cut links, paste a pattern, replace its product, patch its parts."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..errors import CaptureError

# An edit turns the masked scores of one head into weights; `allowed` says which keys its mask lets a query attend to.
Map = Float[Tensor, "batch query key"]
Allowed = Bool[Tensor, "batch query key"]


@dataclass(frozen=True)
class Silence:
    """All weights of the head become zero."""

    def __call__(self, scores: Map, allowed: Allowed) -> Map:
        """Zeros."""
        del allowed
        return torch.zeros_like(scores)


@dataclass(frozen=True)
class Uniform:
    """The head attends uniformly to the keys that its mask allows."""

    def __call__(self, scores: Map, allowed: Allowed) -> Map:
        """Equal weights for all allowed keys."""
        return normalise(torch.zeros_like(scores).masked_fill(~allowed, -math.inf))


@dataclass(frozen=True)
class Temperature:
    """The head's scores are divided by `degree`: below 1 its weights become sharper, above 1 flatter."""

    degree: float

    def __post_init__(self):
        if not (math.isfinite(self.degree) and self.degree > 0):
            raise CaptureError(f"A temperature is a number above 0, not {self.degree}.")

    def __call__(self, scores: Map, allowed: Allowed) -> Map:
        """A softmax at this temperature."""
        # Subtract the largest first: in a fully masked row the lowest finite number would become infinite.
        largest = scores.amax(-1, keepdim=True).nan_to_num(neginf=0.0)
        return normalise(((scores - largest) / self.degree).masked_fill(~allowed, -math.inf))


@dataclass(frozen=True)
class Cut:
    """The head may not attend along these (query, key) links; the softmax is computed without them.

    A query without any key left has zero weights. A link outside the map is an error, unless the map is `growing`, as
    while a text is generated token by token: then queries are counted from the beginning of the text, also where a
    step reads the newest one only and takes keys and values from a cache, and a link applies once there is such a
    query.
    """

    links: Iterable[tuple[int, int]]
    growing: bool = False

    def __post_init__(self):
        object.__setattr__(self, "links", frozenset(self.links))
        if invalid := [link for link in sorted(self.links) if min(link) < 0]:
            raise CaptureError(f"The link {invalid[0]} cannot be cut: queries and keys are counted from 0.")

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
    """The head's weights become this pattern, one for each input or one for all; it is not normalised."""

    pattern: Float[Tensor, "query key"] | Float[Tensor, "batch query key"]

    def __call__(self, scores: Map, allowed: Allowed) -> Map:
        """The pattern, expanded to all inputs; CaptureError where its shape does not fit."""
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

    Not an edit of weights: `product` receives query, key and value (batch, head, query | key, head_dim), with the query
    scaled so that scores are to be divided by sqrt(head_dim), and no dropout; it returns (batch, head, query,
    head_dim). `causal` says whether no query attends to a later key, and must agree with the layer. `weights` takes
    query and key and returns the map that the product stands for: only a record made at the same time needs it.
    """

    product: Callable[[Tensor, Tensor, Tensor], Tensor]
    causal: bool
    weights: Callable[[Tensor, Tensor], Tensor] | None = None


@dataclass(frozen=True, eq=False)
class Apply:
    """The head's weights become `function(weights)`, of shape (batch, query, key); they are not normalised."""

    function: Callable[[Tensor], Tensor]

    def __call__(self, scores: Map, allowed: Allowed) -> Map:
        """The function's weights; CaptureError where their shape differs."""
        new = self.function(normalise(scores.masked_fill(~allowed, -math.inf)))
        if not isinstance(new, Tensor) or new.shape != scores.shape:
            returned = tuple(new.shape) if isinstance(new, Tensor) else type(new).__name__
            raise CaptureError(
                f"A function of a head's weights gives weights of the same shape, {tuple(scores.shape)} (batch, query, "
                f"key), not {returned}."
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
        """The edit's weights for the selected inputs, the head's own for the others."""
        new = apply_edit(self.edit, scores, allowed, first)
        if self.items is None:
            return new
        if invalid := [item for item in self.items if not 0 <= item < len(scores)]:
            raise CaptureError(f"There is no input {invalid[0]} in this batch: it has {len(scores)}, numbered from 0.")
        is_edited = torch.zeros(len(scores), 1, 1, dtype=torch.bool, device=scores.device)
        is_edited[list(self.items)] = True
        return torch.where(is_edited, new, normalise(scores.masked_fill(~allowed, -math.inf)))


Edit = Silence | Uniform | Temperature | Cut | Paste | Apply | Only


@dataclass(frozen=True, eq=False)
class Patch:
    """A head's query, key, value or output is that of the same head in another recorded call: activation patching.

    Not an edit of weights: these follow from the patched query and key. The call must have been recorded from a fused
    kernel, with the same sizes (Meng et al. 2022, section 2, patch the output of a layer; here it is one head's part).
    """

    part: str  # "query", "key", "value" or "output"
    call: Any  # AttentionCall

    def __post_init__(self):
        if self.part not in ("query", "key", "value", "output"):
            raise CaptureError(f"A patch is of 'query', 'key', 'value' or 'output', not {self.part!r}.")
        if self.call.product is None:
            raise CaptureError(f"'{self.call.path}' was seen through its softmax: it has no {self.part} to patch with.")

    def of_head(
        self, head: int, like: Float[Tensor, "batch position head_dim"]
    ) -> Float[Tensor, "batch position head_dim"]:
        """The part of a head in the other run; CaptureError where its shape is not that of `like`."""
        if not 0 <= head < self.call.heads:
            raise CaptureError(f"'{self.call.path}' has no head {head}: they are numbered 0 to {self.call.heads - 1}.")
        if self.part == "output":
            patch = torch.stack([self.call.output(head, item) for item in range(self.call.batch_size)])
        else:
            patch = getattr(self.call, self.part)[:, head]
        if patch.shape != like.shape:
            raise CaptureError(
                f"The {self.part} of '{self.call.path}' has the sizes {tuple(patch.shape)} (batch, position, channel), "
                f"and {tuple(like.shape)} are needed: both runs must read inputs of the same lengths."
            )
        return patch.to(like)


def apply_edit(edit: "Edit", scores: Map, allowed: Allowed, first: int) -> Map:
    """The weights after an edit; `first` is the position of the map's first query in a growing text."""
    return edit(scores, allowed, first) if isinstance(edit, Cut | Only) else edit(scores, allowed)


def grows(edit: "Edit") -> bool:
    """Whether an edit counts queries from the beginning of a growing text."""
    return grows(edit.edit) if isinstance(edit, Only) else isinstance(edit, Cut) and edit.growing


NAMED = {"silence": Silence(), "uniform": Uniform(), "sharpen": Temperature(0.5), "flatten": Temperature(2.0)}


def read_edit(edit_or_name: Edit | Patch | Replace | Callable[[Tensor], Tensor] | str) -> Edit | Patch | Replace:
    """The edit for an edit, its name, or a function of weights; CaptureError for anything else."""
    edit = NAMED.get(edit_or_name, edit_or_name) if isinstance(edit_or_name, str) else edit_or_name
    if not isinstance(edit, Edit | Patch | Replace) and callable(edit) and not isinstance(edit, type):
        return Apply(edit)
    if not isinstance(edit, Edit | Patch | Replace):
        raise CaptureError(
            f"{edit_or_name!r} is not an edit: use one of {', '.join(map(repr, NAMED))}, Temperature(t), "
            "Cut({(query, key), ...}), Paste(pattern), Only(edit, items=..., steps=...), Patch(part, call), "
            "Replace(product, causal=...) or a function of the weights."
        )
    return edit


def normalise(scores: Float[Tensor, "*leading key"]) -> Float[Tensor, "*leading key"]:
    """Softmax over the keys, but zeros instead of NaN (and no NaN gradient) where no key is left."""
    empty = scores.amax(-1, keepdim=True).isneginf()
    return scores.masked_fill(empty, 0.0).softmax(-1).masked_fill(empty, 0.0)
