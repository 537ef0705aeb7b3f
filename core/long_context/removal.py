"""What a far link is worth: the loss of what follows when it, its sentence, or all that is far is taken away."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ..efficient import SlidingWindow
from ..errors import CaptureError
from ..progress import Progress, no_progress
from ..text import Tokens
from ..zoo.text_models import TextModel
from .blockwise import attend
from .reading import Place, places, run


@dataclass(frozen=True)
class RemovedLink:
    """One query of one head may not attend to one key; its other weights grow so that they sum to 1 again."""

    layer: int
    head: int
    query: int
    key: int


@dataclass(frozen=True)
class RemovedTokens:
    """No token from `stop` on may attend to the tokens from `first` to `stop` - 1, in any head."""

    first: int
    stop: int


@dataclass(frozen=True)
class RemovedFar:
    """No token may attend to one that is more than `distance` tokens before it, in any head."""

    distance: int


Removal = RemovedLink | RemovedTokens | RemovedFar


def losses_without(
    model: TextModel, tokens: Tokens, removal: Removal | None, progress: Progress = no_progress
) -> Float[Tensor, " _"]:
    """Bits of each token but the first, in a run without what is removed; None removes nothing.

    `progress` as in `run`. Raises CaptureError where the model looks ahead or does not predict the next token, where
    there is no such link, or where a link is all that its query may attend to.
    """
    attentions = places(model)
    numbers = {place.path: number for number, place in enumerate(attentions)}
    _check(attentions, len(tokens), removal)

    def attention(place: Place, query: Tensor, key: Tensor, value: Tensor, report: Callable[[int], None]) -> Tensor:
        if isinstance(removal, RemovedFar):
            return SlidingWindow(window=removal.distance + 1, causal=True).output(query, key, value)
        if isinstance(removal, RemovedTokens):
            return _without_tokens(removal, query, key, value)
        output, normaliser = attend(query, key, value, causal=True, progress=report)
        if isinstance(removal, RemovedLink) and numbers[place.path] == removal.layer:
            _remove_link(removal, output, normaliser, query, key, value)
        return output

    losses = run(model, tokens, attention, progress)
    if losses is None:
        raise CaptureError(f"{model.title} does not predict the next token, so there is no loss to measure.")
    return losses


def _check(attentions: Sequence[Place], count: int, removal: Removal | None) -> None:
    if not all(place.causal for place in attentions):
        raise CaptureError("What follows a link can only be measured in a model that reads from left to right.")
    if isinstance(removal, RemovedLink):
        exists = 0 <= removal.layer < len(attentions) and 0 <= removal.head < attentions[removal.layer].heads
        if not exists or not 0 <= removal.key <= removal.query < count:
            raise CaptureError(f"There is no {removal} in this reading of {count:,} tokens.")
        if removal.query == 0:
            raise CaptureError("The first token attends to itself alone: this link cannot be removed.")
    if isinstance(removal, RemovedTokens) and not 0 <= removal.first < removal.stop <= count:
        raise CaptureError(f"There are no tokens {removal.first:,} to {removal.stop - 1:,} among {count:,}.")
    if isinstance(removal, RemovedTokens) and removal.first == 0 and removal.stop == count:
        raise CaptureError("Not all tokens can be removed.")
    if isinstance(removal, RemovedFar) and removal.distance < 0:
        raise CaptureError(f"A distance is at least 0, not {removal.distance}.")


def _without_tokens(removal: RemovedTokens, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """All rows up to the removed tokens as they are, and the later ones over the other keys alone."""
    before, _ = attend(query[:, :, : removal.stop], key[:, :, : removal.stop], value[:, :, : removal.stop], causal=True)
    if removal.stop == query.shape[2]:
        return before
    after = slice(removal.stop, None)
    rest, normaliser = attend(query[:, :, after], key[:, :, after], value[:, :, after], causal=True)
    if removal.first:
        start = slice(0, removal.first)
        earlier, earlier_normaliser = attend(query[:, :, after], key[:, :, start], value[:, :, start], causal=False)
        share = torch.sigmoid(earlier_normaliser - normaliser)[..., None]  # of the earlier keys
        rest = share * earlier + (1 - share) * rest
    return torch.cat([before, rest], dim=2)


def _remove_link(
    removal: RemovedLink, output: Tensor, normaliser: Tensor, query: Tensor, key: Tensor, value: Tensor
) -> None:
    """Change the output of one row in place."""
    head, row = removal.head, removal.query
    score = query[0, head, row] @ key[0, head, removal.key] * query.shape[-1] ** -0.5
    weight = (score - normaliser[0, head, row]).exp()
    # The mean of the other values: stable unless the link is nearly all of the row, which is computed anew then.
    if weight < 0.99:
        output[0, head, row] = (output[0, head, row] - weight * value[0, head, removal.key]) / (1 - weight)
        return
    scores = key[0, head, : row + 1] @ query[0, head, row] * query.shape[-1] ** -0.5
    scores[removal.key] = -torch.inf
    output[0, head, row] = scores.softmax(-1) @ value[0, head, : row + 1]
