"""Direct logit attribution: how much each part of a model wrote of the difference between two logits.

Where norms stand inside the branches, the stream of a token is a sum: its embedding, and what every head and every MLP
added (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits", section "Transformer Overview"). The
final norm divides that sum by one number. With this number frozen, at the value that it has at this token, norm and
unembedding are affine, so the difference of two logits is a sum with one term for each part. Wang et al. 2022
("Interpretability in the Wild", section 3.1) read a circuit of GPT-2 off such terms.

    written = compute_component_outputs(walk(model, run))            # at the last token
    found = attribute(written, one=262, other=11)      # of logit 262 - logit 11
    found.shares.sum(), found.difference               # the same number
    found.of_head(4, 2)                                # what head 2 of block 4 moved there, by source token

What follows the final norm is known by its gradient, whatever it is. Where the parts do not add up there is a
CaptureError.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..capture.hooked_copy import weight_sharing_copy
from ..errors import CaptureError
from .component_outputs import SAME, Component, ComponentOutputs
from .trace import tokens_of

NOT_AFFINE = (
    "What this model does after its final norm is not affine (some cap their logits), so they are not a sum of what "
    "each "
    "part wrote. Choose a model such as GPT-2, Llama or Qwen."
)


@dataclass(frozen=True, eq=False)
class Attribution:
    """The logit of `one` minus that of `other`, as a sum over all components, the constant last."""

    component_outputs: ComponentOutputs
    one: int
    other: int
    components: tuple[Component, ...]
    shares: Float[Tensor, " part"]
    difference: float  # the model's own
    reading: Float[Tensor, " width"]  # the direction of the stream in which the two logits differ

    @property
    def total(self) -> float:
        """All shares added up: `difference`, but for rounding."""
        return float(self.shares.sum())

    def share(self, component: Component) -> float:
        """What one part wrote; KeyError if there is none."""
        return self.by_component[component]

    @property
    def by_component(self) -> dict[Component, float]:
        """The share of each component."""
        return dict(zip(self.components, self.shares.tolist(), strict=True))

    def of_head(self, block: int, head: int) -> Float[Tensor, " key"]:
        """The share of a head by the token it was moved from: weight x value, through W_O, norm and unembedding."""
        heads = self.component_outputs.heads[block]
        reading = self.reading if heads.norm is None else heads.norm.pulled_back(self.reading)
        return heads.weights[head] * (heads.values[head] @ (heads.matrix[head] @ reading))


def attribute(component_outputs: ComponentOutputs, one: int, other: int) -> Attribution:
    """The difference between the logits of two tokens of the vocabulary, split into what each part wrote.

    Runs the model twice more. CaptureError where what follows the final norm is not affine.
    """
    along, at_zero, difference = _after_the_norm(component_outputs, one, other)
    norm = component_outputs.norm
    reading = norm.pulled_back(along)
    with torch.inference_mode():
        constant = float(along @ norm.beta) + at_zero
        shares = torch.cat([component_outputs.vectors @ reading, torch.tensor([constant])])
    largest = max(1.0, float(shares.abs().max()), abs(difference))
    if not abs(float(shares.sum()) - difference) <= SAME * largest:
        raise CaptureError(NOT_AFFINE)
    return Attribution(
        component_outputs,
        one,
        other,
        (*component_outputs.components, Component("constant")),
        shares,
        difference,
        reading.detach(),
    )


def _after_the_norm(
    component_outputs: ComponentOutputs, one: int, other: int
) -> tuple[Float[Tensor, " width"], float, float]:
    """How the difference of two logits depends on what the final norm hands on: its gradient, its value where that is
    zero, and its value as it is."""
    with torch.inference_mode(False), torch.enable_grad():
        real, handed_on = _difference(component_outputs, one, other, torch.Tensor.clone)
        (gradient,) = torch.autograd.grad(real, handed_on)
        at_zero, _ = _difference(component_outputs, one, other, torch.zeros_like)
    return tokens_of(gradient)[component_outputs.token], float(at_zero.detach()), float(real.detach())


def _difference(
    component_outputs: ComponentOutputs, one: int, other: int, change: Callable[[Tensor], Tensor]
) -> tuple[Tensor, Tensor]:
    """The difference of two logits when the final norm hands on something else, and what it hands on."""
    double, handed_on = weight_sharing_copy(component_outputs.network), list[Tensor]()

    def hand_on(module: nn.Module, args: tuple, output: Tensor) -> Tensor:
        del module, args
        handed_on.append(change(output.detach()).requires_grad_())
        return handed_on[-1]

    double.get_submodule(component_outputs.norm_path).register_forward_hook(hand_on)
    output = component_outputs.run(double)
    logits = output if isinstance(output, Tensor) else output.logits  # type: ignore[attr-defined]
    row = logits[0, component_outputs.token].float()
    return row[one] - row[other], handed_on[-1]
