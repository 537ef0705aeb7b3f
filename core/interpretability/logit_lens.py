"""The logit lens (nostalgebraist 2020): what would the model say if it stopped after this layer?

"interpreting GPT: the logit lens", LessWrong 2020: the model's own final norm and unembedding, applied to the residual
stream after each layer. Here the model applies them itself: it is run again with the last block returning an earlier
stream, so whatever follows the blocks (norm, pooling, a masked-language head) is exactly its own.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..capture.hooked_copy import weight_sharing_copy
from ..errors import CaptureError
from ..progress import Progress
from .residual_stream import stream_in
from .trace import Run, tensors_in
from .walk import Walked


@dataclass(frozen=True, eq=False)
class Lens:
    """What is most probable after each layer at each token; layer 0 is before the first block.

    Where the model says one thing for the whole input (a class), there is one token.
    """

    best: Int[Tensor, "layer token"]  # the number of the token or class
    probability: Float[Tensor, "layer token"]  # of that one
    final: Int[Tensor, " token"]  # what the model says in the end
    final_probability: Float[Tensor, "layer token"]  # of that, after each layer
    final_rank: Int[Tensor, "layer token"]  # 1: it is the most probable one already
    logits: Float[Tensor, "token class"]  # through the lens after the last layer: the model's own


@torch.inference_mode()
def logit_lens(walked: Walked, progress: Progress | None = None) -> Lens:
    """Read the stream after each block of the last stack through the rest of the model.

    `progress(done, total)` is told of each layer. CaptureError for a model that has no head.
    """
    blocks, returned, streams = _points(walked)
    final = _read(walked, blocks, returned, streams[-1])
    chosen = final.argmax(dim=-1)
    rows = []
    for number, stream in enumerate(streams):
        if progress:
            progress(number, len(streams))
        rows.append(_row(_read(walked, blocks, returned, stream), chosen))
    best, probability, of_final, rank = (torch.stack(values) for values in zip(*rows, strict=True))
    return Lens(best, probability, chosen, of_final, rank, final)


@torch.inference_mode()
def logits_along(
    walked: Walked, token: int = -1, *, through: Run | None = None, progress: Progress | None = None
) -> Float[Tensor, "layer vocabulary"]:
    """All logits of the lens at one token, before the first block and after each; the last are the model's own.

    `through`: the run whose head reads them, where that of `walked` edits attention: the blocks do not run then.
    """
    blocks, returned, streams = _points(walked)
    reader = replace(walked, run=through) if through else walked
    rows = []
    for number, stream in enumerate(streams):
        if progress:
            progress(number, len(streams))
        rows.append(_read(reader, blocks, returned, stream)[token])
    return torch.stack(rows)


def _points(walked: Walked) -> tuple[list[str], object, list[Tensor]]:
    """The paths of the blocks, what the last one returns, and the stream before the first block and after each."""
    if walked.logits is None:
        raise CaptureError("This model has no head, so there is nothing to read its layers with: choose another one.")
    blocks = [block.path for block in walked.stack.blocks]
    first, outputs = _streams(walked, blocks)
    return blocks, outputs[-1], [first, *(stream_in(tensors_in(output)) for output in outputs)]


def _row(logits: Float[Tensor, "token class"], chosen: Int[Tensor, " token"]) -> tuple[Tensor, ...]:
    probabilities = logits.softmax(dim=-1)
    of_chosen = probabilities.gather(-1, chosen[:, None])
    return (
        probabilities.argmax(dim=-1),
        probabilities.amax(dim=-1),
        of_chosen[:, 0],
        1 + (probabilities > of_chosen).sum(dim=-1),
    )


def _streams(walked: Walked, blocks: list[str]) -> tuple[Tensor, list[object]]:
    """What the first block is given, and what each block returns, as it returns it."""
    double, seen = weight_sharing_copy(walked.network), {}

    def see(path: str) -> Callable:
        def hook(module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
            del module
            seen[path] = ((args, kwargs), output)

        return hook

    for path in blocks:
        double.get_submodule(path).register_forward_hook(see(path), with_kwargs=True)
    walked.run(double)
    return stream_in(tensors_in(seen[blocks[0]][0])), [seen[path][1] for path in blocks]


def _read(walked: Walked, blocks: list[str], returned: object, stream: Tensor) -> Float[Tensor, "token class"]:
    """The logits of the model when all its blocks return `stream`; they do not run, on this twin."""
    double, answer = weight_sharing_copy(walked.network), _replaced(returned, stream)
    for path in blocks:
        double.get_submodule(path).forward = lambda *_, **__: answer
    output = walked.run(double)
    logits = output if isinstance(output, Tensor) else output.logits  # type: ignore[attr-defined]
    return (logits[0] if logits[0].ndim == 2 else logits).float()


def _replaced(returned: object, stream: Tensor) -> object:
    """What a block returned, with another stream in it."""
    if isinstance(returned, Tensor):
        return stream
    if not isinstance(returned, tuple | list):
        raise CaptureError("The blocks of this model return something unusual, so they cannot be read through a lens.")
    place = next(place for place, value in enumerate(returned) if isinstance(value, Tensor))
    return (*returned[:place], stream, *returned[place + 1 :])
