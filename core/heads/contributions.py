"""What each head adds to the output of its layer, through W_O, for any model.

The output of a layer is W_O [head_1; ...; head_h] + b (Vaswani et al. 2017, section 3.2.2). A matrix times a
concatenation is a sum: each head has its own rows of W_O, so the output is head_1 W_O^1 + ... + head_h W_O^h + b, one
contribution from each head (Elhage et al. 2021, "Attention Heads are Independent and Additive").
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..capture import AttentionCall, record_attention
from ..capture.hooked_copy import hooked_copy
from ..errors import CaptureError

# The largest difference between a map's input and the concatenated heads, relative to the largest number: rounding in
# the fused kernel stays far below it, a norm or a gate in between goes far beyond it.
TOLERANCE, HALF_PRECISION_TOLERANCE = 1e-3, 3e-2

Run = Callable[[nn.Module], object]


@dataclass(frozen=True, eq=False)
class OutputMap:
    """W_O: the linear map of the model, named by `path`, that takes the concatenated heads to the layer's output."""

    path: str
    weight: Float[Tensor, "width_in width_out"]
    bias: Float[Tensor, " width_out"] | None


@dataclass(frozen=True, eq=False)
class HeadOutputs:
    """One recorded call: the concatenated outputs of its heads, the map they go through, and the output of that map.

    Without a map, `reason` is the sentence that says why; then `joined` and `returned` may be None too.
    """

    call: AttentionCall
    joined: Float[Tensor, "batch query width_in"] | None
    output_map: OutputMap | None = None
    returned: Float[Tensor, "batch query width_out"] | None = None
    reason: str = ""

    @property
    def input_map_output(self) -> tuple[Tensor, OutputMap, Tensor]:
        """`joined`, `output_map` and `returned`; CaptureError, with the reason, where there is no map."""
        if self.joined is None or self.output_map is None or self.returned is None:
            raise CaptureError(self.reason)
        return self.joined, self.output_map, self.returned


def watch_outputs(model: nn.Module, run: Run) -> tuple[HeadOutputs, ...]:
    """One entry for each attention call that `run(model)` makes, in their order.

    `run` is called with a weight-sharing copy of the model (`core.capture.hooked_copy`), which it must call; the model
    itself is not changed. W_O is identified by its input: it is the first linear map (nn.Linear, transformers' Conv1D,
    nn.MultiheadAttention's own) whose input equals the concatenation of the call's heads. So nothing is assumed about
    the architecture; where a norm or a gate stands in between there is no map. Raises CaptureError if no attention was
    recorded.
    """
    search = _Search()
    with torch.inference_mode(), hooked_copy(model, search.see) as copy, record_attention(copy) as record:
        search.calls = lambda: record.calls
        run(copy)
    search.gather()
    return tuple(search.outputs)


def contributions(
    outputs: HeadOutputs, item: int = 0, queries: Sequence[int] | None = None
) -> Float[Tensor, "head query width_out"]:
    """What each head adds to the layer's output at each token: head_h W_O^h, without the bias.

    `queries` chooses tokens (all by default). Raises CaptureError where the layer has no map.
    """
    joined, output_map, _ = outputs.input_map_output
    rows = joined[item] if queries is None else joined[item, list(queries)]
    heads = rows.unflatten(-1, (outputs.call.heads, -1)).transpose(0, 1)  # (head, query, value_dim)
    return heads @ output_map.weight.float().unflatten(0, (outputs.call.heads, -1))


def bias_of(outputs: HeadOutputs) -> Float[Tensor, " width_out"]:
    """The bias of W_O; zeros where it has none."""
    _, output_map, _ = outputs.input_map_output
    return torch.zeros(output_map.weight.shape[1]) if output_map.bias is None else output_map.bias.float()


@dataclass(frozen=True)
class Difference:
    """The difference between the sum of the contributions and the output of the model, over all tokens and channels."""

    largest: float
    scale: float  # the largest number that the model returned

    @property
    def relative(self) -> float:
        """The largest difference as a share of the largest number."""
        return self.largest / self.scale if self.scale else self.largest


def largest_difference(outputs: HeadOutputs, item: int = 0) -> Difference:
    """Compare the sum of all heads' contributions and the bias with the output of the model.

    That is the output of W_O, before dropout, layer scale, norm and residual connection.
    """
    returned = outputs.input_map_output[2][item].float()
    total = contributions(outputs, item).sum(dim=0) + bias_of(outputs)
    return Difference(float((total - returned).abs().max()), float(returned.abs().max()))


def cosines(vectors: Float[Tensor, "head width_out"]) -> Float[Tensor, "head _"]:
    """The cosine between each two contributions: 1 the same direction, 0 at right angles, -1 opposite (they cancel).

    NaN where a contribution is zero and has no direction.
    """
    directions = vectors / vectors.norm(dim=-1, keepdim=True)
    return (directions @ directions.T).clamp(-1, 1)


def output_shares(outputs: HeadOutputs, item: int = 0) -> Float[Tensor, " head"]:
    """Each head's share of its layer's output, by the norm after W_O.

    share_h = mean over tokens t of ||c_h(t)|| / (||c_1(t)|| + ... + ||c_H(t)||), where c_h(t) = head_h(t) W_O^h. The
    shares sum to 1, as tokens at which every contribution is zero are left out. Norms after W_O, as in the norm-based
    analysis of Kobayashi et al. 2020 (section 3), here of a head instead of each pair of tokens. A large share means
    that the output is large, not that it is useful: heads may cancel.
    """
    norms = contributions(outputs, item).norm(dim=-1)  # (head, query)
    return (norms / norms.sum(dim=0)).nanmean(dim=-1)


class _Search:
    """Finds, while a model runs, the linear map that each call's heads go through."""

    def __init__(self) -> None:
        self.calls: Callable[[], tuple[AttentionCall, ...]] = tuple
        self.outputs: list[HeadOutputs] = []

    def gather(self) -> None:
        """Append the calls that were recorded since the last time."""
        self.outputs += [HeadOutputs(call, *_join(call)) for call in self.calls()[len(self.outputs) :]]

    def see(self, path: str, module: nn.Module, args: tuple, _: dict, output: object) -> None:
        """The forward hook of every module of the copy."""
        output_map = _linear_map(path, module)
        if output_map is None:
            return
        with torch._C.DisableTorchFunction():  # hides these operations from the recorder
            self.gather()
            for place, outputs in enumerate(self.outputs):
                if outputs.output_map is None and outputs.joined is not None:
                    returned = _returned(module, outputs, output_map, args, output)
                    if returned is not None:
                        self.outputs[place] = replace(outputs, output_map=output_map, returned=returned, reason="")
                        return


def _join(call: AttentionCall) -> tuple[Tensor | None, None, None, str]:
    """The concatenated outputs of all heads, as arguments of HeadOutputs; or the reason why they are not known."""
    if call.value is None:
        reason = f"The values of '{call.path}' could not be seen, so nobody can say what its heads write."
        return None, None, None, reason
    items = [torch.cat([call.output(head, item) for head in range(call.heads)], -1) for item in range(call.batch_size)]
    reason = (
        f"No linear map takes the heads of '{call.path}' as they are: something stands between them and W_O, such as a "
        "norm or a gate, so its output is not a sum over heads."
    )
    # The weights of a query whose keys are all masked are NaN; its output is zero, as in torch's kernel.
    return torch.stack(items).nan_to_num(nan=0.0), None, None, reason


def _linear_map(path: str, module: nn.Module) -> OutputMap | None:
    if isinstance(module, nn.MultiheadAttention):  # it calls its map as a function, so only its own hook runs
        return OutputMap(f"{path}.out_proj".lstrip("."), module.out_proj.weight.detach().T, _bias(module.out_proj))
    if isinstance(module, nn.Linear):
        return OutputMap(path, module.weight.detach().T, _bias(module))
    weight = getattr(module, "weight", None)
    if type(module).__name__ == "Conv1D" and isinstance(weight, Tensor):  # GPT-2's: (in, out) already
        return OutputMap(path, weight.detach(), _bias(module))
    return None


def _bias(module: nn.Module) -> Tensor | None:
    bias = getattr(module, "bias", None)
    return bias.detach() if isinstance(bias, Tensor) else None


def _returned(
    module: nn.Module, outputs: HeadOutputs, output_map: OutputMap, args: tuple, output: object
) -> Tensor | None:
    """The output of a module, (batch, query, width_out), if it is the map of these heads; else None."""
    joined = outputs.joined
    assert joined is not None
    if joined.shape[-1] != output_map.weight.shape[0]:
        return None
    if isinstance(module, nn.MultiheadAttention):
        assert isinstance(output, tuple)
        bias = torch.zeros(1) if output_map.bias is None else output_map.bias.float()
        returned = _flatten_tokens(output[0] if module.batch_first else output[0].transpose(0, -2), joined)
        expected = joined @ output_map.weight.float() + bias
        return returned if returned is not None and _is_close(returned, expected) else None
    map_input = _flatten_tokens(args[0] if args else None, joined)
    returned = _flatten_tokens(output, joined) if map_input is not None and _is_close(map_input, joined) else None
    return None if returned is None else returned.clone()  # what follows may change it in place


def _flatten_tokens(tensor: object, joined: Tensor) -> Tensor | None:
    """Reshape to (batch, query, width); None if the number of tokens differs."""
    batch, queries, _ = joined.shape
    if not isinstance(tensor, Tensor) or tensor.shape[:-1].numel() != batch * queries:
        return None
    return tensor.detach().reshape(batch, queries, -1)


def _is_close(actual: Tensor, expected: Tensor) -> bool:
    if actual.shape != expected.shape:
        return False
    share = HALF_PRECISION_TOLERANCE if actual.dtype in (torch.float16, torch.bfloat16) else TOLERANCE
    tolerance = share * float(expected.abs().max())
    return bool(((actual.float() - expected).abs() <= tolerance).all())
