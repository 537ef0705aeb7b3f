"""Many attention maps made into one for each layer, or into one at all: what "Taken together" shows."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from core.capture import AttentionCall
from core.errors import CaptureError, InputError
from core.heads import relevance
from core.progress import Progress
from core.text import Tokens
from dashboard.components.attention_view import Layer, Scene, TextSequence
from pages.foundations.many_heads.words_together import NOT_WHOLE, TOO_LONG

LONGEST = 768  # tokens: the work grows with the cube of their number, the memory with the square
NAMES = MEAN, LARGEST, OVERALL, ROLLOUT, STRONGEST, WIDEST = (
    "Mean over heads",
    "Largest over heads",
    "Mean over layers",
    "Rollout",
    "Strongest path",
    "Widest path",
)
PATHS = (STRONGEST, WIDEST)
ACROSS = (ROLLOUT, *PATHS)  # from a layer down to the input


@dataclass(frozen=True, eq=False)
class Stack:
    """The self-attention layers of one sequence, from the input up, by their numbers in the record."""

    calls: dict[int, AttentionCall]
    sequence: str
    left_out: tuple[int, ...]  # layers in between, in which not all tokens look at all

    @property
    def length(self) -> int:
        """How many tokens there are."""
        return next(iter(self.calls.values())).query_length


@dataclass(frozen=True, eq=False)
class Together:
    """What was made of a stack.

    `maps` has one entry for each layer (a single one for the mean over layers); `means` are the mean maps of the
    layers, and `apart` tells for each head how much of its attention lies elsewhere than its layer's mean does.
    """

    name: str
    maps: Float[np.ndarray, "layer token token"]
    means: Float[np.ndarray, "layer token token"]
    apart: tuple[Float[np.ndarray, " head"], ...]


def stack_of(model, run, record) -> Stack:  # of a text or of a picture
    """The layers that can be taken together: of an encoder-decoder those of the encoder.

    Raises CaptureError if no layer lets all tokens look at all, InputError if there are too many tokens.
    """
    names = [model.sequences_of(call, run) for call in record.calls]
    own = [between[0] for between in names if between and between[0] == between[1]]
    if not own:
        raise CaptureError(NOT_WHOLE.format(title=model.title))
    sequence = own[0]
    calls = {
        number: call
        for number, (call, between) in enumerate(zip(record.calls, names, strict=True))
        if between == (sequence, sequence)
    }
    others = (number for number in range(len(names)) if number not in calls)
    stack = Stack(calls, sequence, () if "target" in run.sequences else tuple(others))
    if stack.length > LONGEST:
        raise InputError(TOO_LONG.format(most=LONGEST, count=stack.length))
    return stack


def take_together(stack: Stack, name: str, progress: Progress | None = None) -> Together:
    """One of `NAMES`; `progress` is told the layers that are done, and may stop the work by an exception."""
    steps = len(stack.calls) * (2 if name in PATHS else 1)
    found, apart = [], []
    largest = []
    for done, call in enumerate(stack.calls.values(), start=1):
        weights = torch.stack([call.weights(head=head) for head in range(call.heads)])
        mean = relevance.mean_over_heads(weights)
        found.append(mean)
        apart.append((weights - mean).abs().sum(dim=-1).nanmean(dim=-1).div(2).numpy())
        if name == LARGEST:
            largest.append(relevance.max_over_heads(weights))
        _tell(progress, done, steps)
    means = torch.stack(found)
    maps = torch.stack(largest) if largest else _combine(name, means, _from(progress, len(stack.calls), steps))
    return Together(name, maps.numpy(), means.numpy(), tuple(apart))


def graph_of(together: Together) -> Float[Tensor, "layer token token"]:
    """The graph of rollout and paths."""
    return relevance.with_residual(torch.from_numpy(together.means))


def join(together: Together, spans: tuple[range, ...]) -> Together:
    """The same between words. Where the best counts, the best between their pieces; else sums and means."""
    joining = relevance.best_of_words if together.name in (LARGEST, *PATHS) else relevance.join_words
    return replace(together, maps=joining(torch.from_numpy(together.maps), spans, spans).numpy())


def scene_of(together: Together, stack: Stack, source: Scene, tokens: Tokens | None = None) -> Scene:
    """One head for each layer, over the same sequence as in `source`; over words if `tokens` are given.

    Where layers are put one upon another, the last one is in view at first.
    """
    sequence = source.sequences[stack.sequence]
    if tokens is not None:
        spans = relevance.word_spans(tokens)
        together = join(together, spans)
        sequence = TextSequence(
            tuple("".join(tokens.labels[place] for place in span) for span in spans),
            tuple(tokens.special[span.start] for span in spans),
        )
    labels = ["all layers"] if together.name == OVERALL else [str(number) for number in stack.calls]
    causal = all(call.causal for call in stack.calls.values())
    layers = tuple(
        Layer(
            label=label,
            query=stack.sequence,
            key=stack.sequence,
            heads=1,
            weights=_whatever_head(values),
            path=together.name,
            causal=causal,
        )
        for label, values in zip(labels, together.maps, strict=True)
    )
    start = len(layers) - 1 if together.name in ACROSS else 0
    return Scene({stack.sequence: sequence}, layers, title=source.title, start=(start, 0))


def _combine(name: str, means: Tensor, progress: Progress | None) -> Tensor:
    if name == MEAN:
        return means
    if name == OVERALL:
        return relevance.mean_over_layers(means)[None]
    graph = relevance.with_residual(means)
    if name == ROLLOUT:
        return relevance.rollout(graph)
    return {STRONGEST: relevance.strongest_paths, WIDEST: relevance.widest_paths}[name](graph, progress)


def _whatever_head(values: np.ndarray) -> Callable[[int], np.ndarray]:
    return lambda _: values


def _tell(progress: Progress | None, done: int, steps: int) -> None:
    if progress is not None:
        progress(done, steps)


def _from(progress: Progress | None, before: int, steps: int) -> Progress | None:
    """Progress of the second half of the work."""
    return None if progress is None else lambda done, _: progress(before + done, steps)
