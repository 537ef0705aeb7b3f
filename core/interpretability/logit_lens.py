"""The logit lens (nostalgebraist 2020): the prediction of the model if it stopped after a layer.

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
from .walk import ModelWalk


@dataclass(frozen=True, eq=False)
class Lens:
    """The most probable token after each layer at each position; layer 0 is before the first block.

    Of a classifier, which predicts one class for the whole input, there is one position.
    """

    best: Int[Tensor, "layer token"]  # the number of the token or class
    probability: Float[Tensor, "layer token"]  # of that one
    final: Int[Tensor, " token"]  # the prediction of the model itself
    final_probability: Float[Tensor, "layer token"]  # of `final`, after each layer
    final_rank: Int[Tensor, "layer token"]  # 1: the most probable one
    logits: Float[Tensor, "token class"]  # of the model itself, that is, of the lens after the last layer


@torch.inference_mode()
def logit_lens(model_walk: ModelWalk, progress: Progress | None = None) -> Lens:
    """Apply the rest of the model to the residual stream after each block of the last stack.

    `progress(done, total)` is called for each layer. Raises CaptureError for a model without an output layer.
    """
    blocks, returned, streams = _blocks_and_streams(model_walk)
    final = _logits_from(model_walk, blocks, returned, streams[-1])
    predicted = final.argmax(dim=-1)
    rows = []
    for number, stream in enumerate(streams):
        if progress:
            progress(number, len(streams))
        rows.append(_lens_row(_logits_from(model_walk, blocks, returned, stream), predicted))
    best, probability, final_probability, rank = (torch.stack(values) for values in zip(*rows, strict=True))
    return Lens(best, probability, predicted, final_probability, rank, final)


@torch.inference_mode()
def logits_along(
    model_walk: ModelWalk, token: int = -1, *, readout_run: Run | None = None, progress: Progress | None = None
) -> Float[Tensor, "layer vocabulary"]:
    """All logits of the lens at one token, before the first block and after each; the last are the model's own.

    `readout_run`: the run that applies the output layer, where that of `model_walk` edits attention (in this pass the
    blocks do not run).
    """
    blocks, returned, streams = _blocks_and_streams(model_walk)
    reader = replace(model_walk, run=readout_run) if readout_run else model_walk
    rows = []
    for number, stream in enumerate(streams):
        if progress:
            progress(number, len(streams))
        rows.append(_logits_from(reader, blocks, returned, stream)[token])
    return torch.stack(rows)


def _blocks_and_streams(model_walk: ModelWalk) -> tuple[list[str], object, list[Tensor]]:
    """The paths of the blocks, what the last one returns, and the stream before the first block and after each."""
    if model_walk.logits is None:
        raise CaptureError("This model has no head, so there is nothing to read its layers with: choose another one.")
    blocks = [block.path for block in model_walk.stack.blocks]
    first, outputs = _streams(model_walk, blocks)
    return blocks, outputs[-1], [first, *(stream_in(tensors_in(output)) for output in outputs)]


def _lens_row(logits: Float[Tensor, "token class"], predicted: Int[Tensor, " token"]) -> tuple[Tensor, ...]:
    probabilities = logits.softmax(dim=-1)
    predicted_probability = probabilities.gather(-1, predicted[:, None])
    return (
        probabilities.argmax(dim=-1),
        probabilities.amax(dim=-1),
        predicted_probability[:, 0],
        1 + (probabilities > predicted_probability).sum(dim=-1),
    )


def _streams(model_walk: ModelWalk, blocks: list[str]) -> tuple[Tensor, list[object]]:
    """The stream before the first block, and the unchanged return value of each block."""
    copy, passes = weight_sharing_copy(model_walk.network), {}

    def hook_for(path: str) -> Callable:
        def hook(module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
            del module
            passes[path] = ((args, kwargs), output)

        return hook

    for path in blocks:
        copy.get_submodule(path).register_forward_hook(hook_for(path), with_kwargs=True)
    model_walk.run(copy)
    return stream_in(tensors_in(passes[blocks[0]][0])), [passes[path][1] for path in blocks]


def _logits_from(
    model_walk: ModelWalk, blocks: list[str], returned: object, stream: Tensor
) -> Float[Tensor, "token class"]:
    """The logits of the model when its last block returns `stream`: on a copy, whose blocks are not run."""
    copy, block_output = weight_sharing_copy(model_walk.network), _replace_stream(returned, stream)
    for path in blocks:
        copy.get_submodule(path).forward = lambda *_, **__: block_output
    output = model_walk.run(copy)
    logits = output if isinstance(output, Tensor) else output.logits  # type: ignore[attr-defined]
    return (logits[0] if logits[0].ndim == 2 else logits).float()


def _replace_stream(returned: object, stream: Tensor) -> object:
    """The return value of a block, with `stream` in place of its token vectors."""
    if isinstance(returned, Tensor):
        return stream
    if not isinstance(returned, tuple | list):
        raise CaptureError("The blocks of this model return something unusual, so they cannot be read through a lens.")
    place = next(place for place, value in enumerate(returned) if isinstance(value, Tensor))
    return (*returned[:place], stream, *returned[place + 1 :])
