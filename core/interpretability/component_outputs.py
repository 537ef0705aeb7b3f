"""What each component of a model writes to the residual stream of one token; they sum to the final norm's input.

Nothing is assumed about module names: sums are those that `core.interpretability.walk` records, W_O is the one that
`core.heads.contributions` identifies.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..capture.hooked_copy import hooked_copy
from ..errors import CaptureError
from ..heads.contributions import HeadOutputs, bias_of, contributions, watch_outputs
from .flow import Stack, Step
from .norms import FrozenNorm, freeze
from .parts import Part
from .trace import Run, tensors_in, tokens_of
from .walk import ModelWalk

Kind = Literal["token", "position", "head", "attention", "bias", "MLP", "other", "constant"]

# The largest difference between two vectors that count as equal, relative to the largest number; rounding stays below.
TOLERANCE = 1e-3

POST_NORM = (
    "Before '{inside}' the stream of this model is not what its parts have written so far: a norm, or something else, "
    "has changed it. So its logits are not a sum of what each part wrote. Choose a model whose norms are inside the "
    "branches, such as GPT-2, Llama or Qwen."
)
NO_NORM = (
    "This model has {count} norms between its last block and its logits, and there must be one. Choose a model such as "
    "GPT-2, Llama or Qwen."
)
NO_NUMBERS = (
    "The stream of this model holds values that are no numbers (NaN or infinite), so nothing adds up. Choose another."
)
BETWEEN = "Something stands between the W_O of '{path}' and the stream, so what it adds is not a sum over heads."
NO_FORMULA = (
    "The final norm '{path}' follows no formula that is known here. Choose a model such as GPT-2, Llama or Qwen."
)


@dataclass(frozen=True)
class Component:
    """A component that writes to the residual stream; blocks and heads are counted from 0.

    "token" is the embedding before the first sum, "attention" a layer that cannot be split into heads, "bias" the bias
    of W_O, "other" a branch of another kind, "constant" what the final norm and the unembedding add by themselves.
    """

    kind: Kind
    block: int | None = None
    head: int | None = None


@dataclass(frozen=True, eq=False)
class HeadsAtToken:
    """The heads of one layer at one query token; `norm`, if any, stands between W_O and the stream."""

    path: str
    weights: Float[Tensor, "head key"]
    values: Float[Tensor, "head key head_dim"]
    matrix: Float[Tensor, "head head_dim width"]  # the rows of W_O that belong to each head
    norm: FrozenNorm | None = None


@dataclass(frozen=True, eq=False)
class ComponentOutputs:
    """What each component writes to the residual stream of one token: vectors that sum to the final norm's input.

    `heads` holds, by block, the layers that can be split into heads; `undivided` says of the others why not.
    """

    network: nn.Module
    run: Run
    token: int
    components: tuple[Component, ...]
    vectors: Float[Tensor, "part width"]
    norm: FrozenNorm
    norm_path: str
    heads: dict[int, HeadsAtToken]
    undivided: dict[int, str]


@torch.inference_mode()
def compute_component_outputs(model_walk: ModelWalk, token: int = -1) -> ComponentOutputs:
    """Run the model again and keep the output of each component at one token, by default the last.

    Raises CaptureError where the stream is not the sum of the outputs (post-norm), or where the final norm is
    not one of the known formulas.
    """
    if model_walk.logits is None or model_walk.logits.ndim != 2:
        raise CaptureError("This model gives its tokens no logits, so there is nothing to take apart. Choose another.")
    token %= len(model_walk.logits)
    final = _final_norm(model_walk)
    parallel_paths = {
        part.path for _, step in _steps(model_walk) for part in step.parts if _kinds(step) >= {"attention", "MLP"}
    }
    passes = _inputs_and_outputs(model_walk, {final.path, *parallel_paths}, token)
    collector = _OutputCollector(model_walk, token, {path: output for path, (_, output) in passes.items()})
    for block, step in _steps(model_walk):
        if step.addition is not None:
            collector.add(block, step)
    norm_input, norm_output = passes[final.path]
    if not norm_input.isfinite().all():
        raise CaptureError(NO_NUMBERS)
    collector.check(norm_input, final.path)
    norm = _freeze_if_exact(model_walk.network.get_submodule(final.path), norm_input, norm_output)
    if norm is None:
        raise CaptureError(NO_FORMULA.format(path=final.path))
    return ComponentOutputs(
        network=model_walk.network,
        run=model_walk.run,
        token=token,
        components=tuple(collector.components),
        vectors=torch.stack(collector.vectors),
        norm=norm,
        norm_path=final.path,
        heads=collector.heads,
        undivided=collector.undivided,
    )


class _OutputCollector:
    """Collects the component outputs at one token, sum by sum, and checks that they add up to the residual stream."""

    def __init__(self, model_walk: ModelWalk, token: int, module_outputs: dict[str, Tensor]):
        self.model_walk, self.token, self.module_outputs = model_walk, token, module_outputs
        self.components: list[Component] = []
        self.vectors: list[Tensor] = []
        self.heads: dict[int, HeadsAtToken] = {}
        self.undivided: dict[int, str] = {}
        self._stream: Tensor | None = None
        self._head_outputs = _by_turn(watch_outputs(model_walk.network, model_walk.run))

    def add(self, block: int | None, step: Step) -> None:
        """Split the branch that one sum of the residual stream adds into component outputs."""
        assert step.addition is not None
        before, added = (_token_vector(side.tensor, self.token) for side in (step.addition.before, step.addition.added))
        if self._stream is None:
            self._accumulate(Component("token"), before)
        else:
            self.check(before, step.addition.inside or "its first block")
        self._stream = before + added
        kinds = _kinds(step)
        if block is None or not kinds:
            self._accumulate(Component("position" if block is None else "other", block), added)
        elif "attention" in kinds or "cross-attention" in kinds:
            self._add_attention(block, step, added)
        else:
            self._accumulate(Component("MLP", block), added)

    def check(self, vector: Tensor, inside: str) -> None:
        """Raise CaptureError unless `vector` is the residual stream as summed up so far."""
        if self._stream is None or not _is_close(vector, self._stream):
            raise CaptureError(POST_NORM.format(inside=inside))

    def _add_attention(self, block: int, step: Step, added: Tensor) -> None:
        """Add the outputs of the heads and of the bias, and of a parallel MLP where both are added in one sum.

        Of a block with two attention layers (encoder-decoders) only the first is split into heads.
        """
        attention, *others = (part for part in step.parts if part.kind in ("attention", "cross-attention"))
        outputs = self._head_outputs.get((attention.path, attention.turn))
        if others or block in self.heads.keys() | self.undivided.keys() or outputs is None:
            self._accumulate(Component("other", block), added)
            return
        if outputs.output_map is None:
            self._add_undivided(block, step, added, outputs.reason)
            return
        returned, norm = outputs.input_map_output[2][0, self.token].float(), None
        mlps = [part.path for part in step.parts if part.kind == "MLP"]
        mlp_output = added - returned
        if mlps:
            is_sum = len(mlps) == 1 and _is_close(mlp_output, self.module_outputs[mlps[0]], added)
        elif not (is_sum := _is_close(returned, added)):
            norm = self._norm_after(step, attention, returned, added)
            is_sum = norm is not None
        if not is_sum:
            self._add_undivided(block, step, added, BETWEEN.format(path=attention.path))
            return
        vectors, bias = contributions(outputs, queries=[self.token])[:, 0], bias_of(outputs)
        if norm is not None:
            vectors, bias = norm.linear_part(vectors), norm.linear_part(bias) + norm.beta
        for head, vector in enumerate(vectors):
            self._accumulate(Component("head", block, head), vector)
        if bias.any():
            self._accumulate(Component("bias", block), bias)
        if mlps:
            self._accumulate(Component("MLP", block), mlp_output)
        self.heads[block] = _heads_at_token(outputs, self.token, norm)

    def _norm_after(self, step: Step, attention: Part, returned: Tensor, added: Tensor) -> FrozenNorm | None:
        """The norm between W_O and the residual stream, if it is the only module there (Gemma); else None."""
        after = step.parts[step.parts.index(attention) + 1 :]
        if len(after) != 1 or after[0].kind != "norm":
            return None
        return _freeze_if_exact(self.model_walk.network.get_submodule(after[0].path), returned, added)

    def _add_undivided(self, block: int, step: Step, added: Tensor, reason: str) -> None:
        self.undivided[block] = reason
        self._accumulate(Component("other" if "MLP" in _kinds(step) else "attention", block), added)

    def _accumulate(self, component: Component, vector: Tensor) -> None:
        """Append the vector, or add it to that of the same component (positions of two kinds)."""
        if component in self.components:
            self.vectors[self.components.index(component)] += vector
        else:
            self.components.append(component)
            self.vectors.append(vector)


def _steps(model_walk: ModelWalk) -> Iterator[tuple[int | None, Step]]:
    """All steps from the input to the logits, each with the number of its block (None outside the blocks)."""
    number = -1
    for item in model_walk.lanes[-1].items:
        if isinstance(item, Stack):
            for block in item.blocks:
                number += 1
                yield from ((number, step) for step in block.steps)
        else:
            yield None, item


def _kinds(step: Step) -> set[str]:
    """Which of attention, cross-attention and MLP a branch holds; linear maps alone count as an MLP."""
    kinds: set[str] = {part.kind for part in step.parts if part.kind in ("attention", "cross-attention", "MLP")}
    return kinds or {"MLP" for part in step.parts if part.kind == "linear"}


def _final_norm(model_walk: ModelWalk) -> Part:
    """The one norm between the last block and the logits."""
    items = model_walk.lanes[-1].items
    last = max(place for place, item in enumerate(items) if item is model_walk.stack)
    after = [part for item in items[last + 1 :] if isinstance(item, Step) for part in item.parts]
    norms = [part for part in after if part.kind == "norm"]
    if len(norms) != 1:
        raise CaptureError(NO_NORM.format(count=len(norms)))
    return norms[0]


def _inputs_and_outputs(model_walk: ModelWalk, paths: set[str], token: int) -> dict[str, tuple[Tensor, Tensor]]:
    """The input and output vector of the modules at these paths, for one token."""
    passes: dict[str, tuple[Tensor, Tensor]] = {}

    def hook(path: str, module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
        del module
        if path in paths:
            input_vector, output_vector = (tensors_in(value)[0] for value in ((args, kwargs), output))
            passes[path] = _token_vector(input_vector, token), _token_vector(output_vector, token)

    with hooked_copy(model_walk.network, hook) as double:
        model_walk.run(double)
    return passes


def _by_turn(outputs: tuple[HeadOutputs, ...]) -> dict[tuple[str, int], HeadOutputs]:
    """The recorded calls by (path, turn); the turn counts the earlier calls of the same path."""
    by_turn: dict[tuple[str, int], HeadOutputs] = {}
    for output in outputs:
        turn = sum(path == output.call.path for path, _ in by_turn)
        by_turn[output.call.path, turn] = output
    return by_turn


def _heads_at_token(outputs: HeadOutputs, token: int, norm: FrozenNorm | None) -> HeadsAtToken:
    call, (_, output_map, _) = outputs.call, outputs.input_map_output
    rows = [call.weights(head, queries=[token])[0] for head in range(call.heads)]
    assert call.value is not None
    return HeadsAtToken(
        call.path,
        torch.stack(rows).nan_to_num(nan=0.0),  # a query whose keys are all masked
        call.value[0].float().clone(),
        output_map.weight.float().unflatten(0, (call.heads, -1)),
        norm,
    )


def _freeze_if_exact(module: nn.Module, before: Tensor, after: Tensor) -> FrozenNorm | None:
    """The norm with its scale frozen at one token; None if it follows neither formula."""
    norm = freeze(module, before, after)
    return norm if _is_close(norm.linear_part(before) + norm.beta, after) else None


def _token_vector(tensor: Tensor, token: int) -> Float[Tensor, " width"]:
    """The vector of one token; a tensor of a single row is the same for all tokens."""
    rows = tokens_of(tensor)
    return rows[token if len(rows) > 1 else 0].clone()


def _is_close(first: Tensor, second: Tensor, third: Tensor | None = None) -> bool:
    """Whether two vectors are equal up to rounding, relative to the larger of `second` and `third`."""
    largest = max(float(vector.abs().max()) for vector in (second, third) if vector is not None)
    return bool(((first - second).abs() <= TOLERANCE * largest).all())
