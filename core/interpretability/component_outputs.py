"""What each part of a model wrote into the stream of one token: vectors that add up to what the final norm is given.

Nothing is assumed about names: sums are those of `core.interpretability.walk`, W_O is that of
`core.heads.contributions`.
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
from .walk import Walked

Kind = Literal["token", "position", "head", "attention", "bias", "MLP", "other", "constant"]

# How far two vectors that should be one may be apart, as a share of the largest number; rounding stays far below it.
SAME = 1e-3

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
    """A part that writes into the stream; blocks and heads are counted from 0.

    "token" is what is there before the first sum, "attention" a whole layer whose heads cannot be told apart, "bias"
    that of W_O, "other" a branch of another kind, "constant" what the final norm and the unembedding add by themselves.
    """

    kind: Kind
    block: int | None = None
    head: int | None = None


@dataclass(frozen=True, eq=False)
class HeadsAt:
    """The heads of one layer as one token uses them; `norm` stands between W_O and the stream, in some models."""

    path: str
    weights: Float[Tensor, "head key"]
    values: Float[Tensor, "head key each"]
    matrix: Float[Tensor, "head each width"]  # the rows of W_O that belong to each head
    norm: FrozenNorm | None = None


@dataclass(frozen=True, eq=False)
class ComponentOutputs:
    """What each part wrote into the stream of one token: vectors that add up to what the final norm is given.

    `heads` holds the layers whose heads can be told apart, by block, and `whole` says of each other one why not.
    """

    network: nn.Module
    run: Run
    token: int
    components: tuple[Component, ...]
    vectors: Float[Tensor, "part width"]
    norm: FrozenNorm
    norm_path: str
    heads: dict[int, HeadsAt]
    whole: dict[int, str]


@torch.inference_mode()
def compute_component_outputs(walked: Walked, token: int = -1) -> ComponentOutputs:
    """Run the model again and keep what each part writes at a token, by default the last.

    CaptureError where the stream is no sum of what its parts wrote (post-norm), or where the final norm is not known.
    """
    if walked.logits is None or walked.logits.ndim != 2:
        raise CaptureError("This model gives its tokens no logits, so there is nothing to take apart. Choose another.")
    token %= len(walked.logits)
    final = _final_norm(walked)
    beside = {part.path for _, step in _steps(walked) for part in step.parts if _kinds(step) >= {"attention", "MLP"}}
    seen = _seen(walked, {final.path, *beside}, token)
    writing = _Writing(walked, token, {path: made for path, (_, made) in seen.items()})
    for block, step in _steps(walked):
        if step.summed is not None:
            writing.add(block, step)
    given, handed_on = seen[final.path]
    if not given.isfinite().all():
        raise CaptureError(NO_NUMBERS)
    writing.check(given, final.path)
    norm = _frozen(walked.network.get_submodule(final.path), given, handed_on)
    if norm is None:
        raise CaptureError(NO_FORMULA.format(path=final.path))
    return ComponentOutputs(
        network=walked.network,
        run=walked.run,
        token=token,
        components=tuple(writing.components),
        vectors=torch.stack(writing.vectors),
        norm=norm,
        norm_path=final.path,
        heads=writing.heads,
        whole=writing.whole,
    )


class _Writing:
    """Collects who writes what into the stream of one token, sum by sum, and checks that it is a sum."""

    def __init__(self, walked: Walked, token: int, seen: dict[str, Tensor]):
        self.walked, self.token, self.seen = walked, token, seen
        self.components: list[Component] = []
        self.vectors: list[Tensor] = []
        self.heads: dict[int, HeadsAt] = {}
        self.whole: dict[int, str] = {}
        self._stream: Tensor | None = None
        self._outputs = _by_turn(watch_outputs(walked.network, walked.run))

    def add(self, block: int | None, step: Step) -> None:
        """One sum of the stream."""
        assert step.summed is not None
        before, added = (_row(side.tensor, self.token) for side in (step.summed.before, step.summed.added))
        if self._stream is None:
            self._note(Component("token"), before)
        else:
            self.check(before, step.summed.inside or "its first block")
        self._stream = before + added
        kinds = _kinds(step)
        if block is None or not kinds:
            self._note(Component("position" if block is None else "other", block), added)
        elif "attention" in kinds or "cross-attention" in kinds:
            self._attention(block, step, added)
        else:
            self._note(Component("MLP", block), added)

    def check(self, given: Tensor, inside: str) -> None:
        """CaptureError unless the stream, as far as it was added up, is what goes on."""
        if self._stream is None or not _same(given, self._stream):
            raise CaptureError(POST_NORM.format(inside=inside))

    def _attention(self, block: int, step: Step, added: Tensor) -> None:
        """Heads and bias, and the MLP beside them, where both are added at once.

        Of a block that attends twice (encoder-decoders) only the heads that attend first are told apart.
        """
        first, *more = (part for part in step.parts if part.kind in ("attention", "cross-attention"))
        outputs = self._outputs.get((first.path, first.turn))
        if more or block in self.heads.keys() | self.whole.keys() or outputs is None:
            self._note(Component("other", block), added)
            return
        if outputs.output_map is None:
            self._as_a_whole(block, step, added, outputs.reason)
            return
        returned, norm = outputs.known[2][0, self.token].float(), None
        mlps = [part.path for part in step.parts if part.kind == "MLP"]
        beside = added - returned
        if mlps:
            is_sum = len(mlps) == 1 and _same(beside, self.seen[mlps[0]], added)
        elif not (is_sum := _same(returned, added)):
            norm = self._norm_after(step, first, returned, added)
            is_sum = norm is not None
        if not is_sum:
            self._as_a_whole(block, step, added, BETWEEN.format(path=first.path))
            return
        vectors, bias = contributions(outputs, queries=[self.token])[:, 0], bias_of(outputs)
        if norm is not None:
            vectors, bias = norm.part_of(vectors), norm.part_of(bias) + norm.beta
        for head, vector in enumerate(vectors):
            self._note(Component("head", block, head), vector)
        if bias.any():
            self._note(Component("bias", block), bias)
        if mlps:
            self._note(Component("MLP", block), beside)
        self.heads[block] = _heads_at(outputs, self.token, norm)

    def _norm_after(self, step: Step, attention: Part, returned: Tensor, added: Tensor) -> FrozenNorm | None:
        """The norm between W_O and the stream, if it is all that stands there (Gemma)."""
        after = step.parts[step.parts.index(attention) + 1 :]
        if len(after) != 1 or after[0].kind != "norm":
            return None
        return _frozen(self.walked.network.get_submodule(after[0].path), returned, added)

    def _as_a_whole(self, block: int, step: Step, added: Tensor, reason: str) -> None:
        self.whole[block] = reason
        self._note(Component("other" if "MLP" in _kinds(step) else "attention", block), added)

    def _note(self, component: Component, vector: Tensor) -> None:
        """What a component adds in two sums (positions of two kinds) counts together."""
        if component in self.components:
            self.vectors[self.components.index(component)] += vector
        else:
            self.components.append(component)
            self.vectors.append(vector)


def _steps(walked: Walked) -> Iterator[tuple[int | None, Step]]:
    """All steps on the way to the logits, each with the number of its block."""
    number = -1
    for item in walked.lanes[-1].items:
        if isinstance(item, Stack):
            for block in item.blocks:
                number += 1
                yield from ((number, step) for step in block.steps)
        else:
            yield None, item


def _kinds(step: Step) -> set[str]:
    """What the parts of a branch are for; linear maps alone are an MLP."""
    kinds: set[str] = {part.kind for part in step.parts if part.kind in ("attention", "cross-attention", "MLP")}
    return kinds or {"MLP" for part in step.parts if part.kind == "linear"}


def _final_norm(walked: Walked) -> Part:
    """The one norm between the last block and the logits."""
    items = walked.lanes[-1].items
    last = max(place for place, item in enumerate(items) if item is walked.stack)
    after = [part for item in items[last + 1 :] if isinstance(item, Step) for part in item.parts]
    norms = [part for part in after if part.kind == "norm"]
    if len(norms) != 1:
        raise CaptureError(NO_NORM.format(count=len(norms)))
    return norms[0]


def _seen(walked: Walked, paths: set[str], token: int) -> dict[str, tuple[Tensor, Tensor]]:
    """What some modules are given and make at a token."""
    found: dict[str, tuple[Tensor, Tensor]] = {}

    def see(path: str, module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
        del module
        if path in paths:
            given, made = (tensors_in(value)[0] for value in ((args, kwargs), output))
            found[path] = _row(given, token), _row(made, token)

    with hooked_copy(walked.network, see) as double:
        walked.run(double)
    return found


def _by_turn(outputs: tuple[HeadOutputs, ...]) -> dict[tuple[str, int], HeadOutputs]:
    """The recorded calls by path and by how often the path ran before."""
    found: dict[tuple[str, int], HeadOutputs] = {}
    for one in outputs:
        turn = sum(path == one.call.path for path, _ in found)
        found[one.call.path, turn] = one
    return found


def _heads_at(outputs: HeadOutputs, token: int, norm: FrozenNorm | None) -> HeadsAt:
    call, (_, output_map, _) = outputs.call, outputs.known
    rows = [call.weights(head, queries=[token])[0] for head in range(call.heads)]
    assert call.value is not None
    return HeadsAt(
        call.path,
        torch.stack(rows).nan_to_num(nan=0.0),  # who may look at nothing takes nothing
        call.value[0].float().clone(),
        output_map.weight.float().unflatten(0, (call.heads, -1)),
        norm,
    )


def _frozen(module: nn.Module, given: Tensor, made: Tensor) -> FrozenNorm | None:
    """The norm with its scale at one token; None if it follows neither formula."""
    norm = freeze(module, given, made)
    return norm if _same(norm.part_of(given) + norm.beta, made) else None


def _row(tensor: Tensor, token: int) -> Float[Tensor, " width"]:
    """The vector of one token; what is the same for all tokens may be there once."""
    rows = tokens_of(tensor)
    return rows[token if len(rows) > 1 else 0].clone()


def _same(one: Tensor, other: Tensor, beside: Tensor | None = None) -> bool:
    """Whether two vectors are one but for rounding, which grows with a third from which they were made."""
    largest = max(float(each.abs().max()) for each in (other, beside) if each is not None)
    return bool(((one - other).abs() <= SAME * largest).all())
