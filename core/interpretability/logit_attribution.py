"""Direct logit attribution: how much each component of a model contributes to the difference between two logits.

In pre-norm models the residual stream of a token is a sum: its embedding, and the outputs of every head and every MLP
(Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits", section "Transformer Overview"). The
final norm divides that sum by one number. With this number frozen, at the value that it has at this token, norm and
unembedding are affine, so the difference of two logits is a sum with one term for each part. Wang et al. 2022
("Interpretability in the Wild", section 3.1) read a circuit of GPT-2 off such terms.

    outputs = compute_component_outputs(walk(model, run))       # at the last token
    attribution = attribute(outputs, target=262, foil=11)       # of logit 262 - logit 11
    attribution.shares.sum(), attribution.difference            # the same number
    attribution.of_head(4, 2)                                   # the part of head 2 of block 4, by source token

What follows the final norm is read off its gradient. Raises CaptureError where the parts do not add up.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..capture.hooked_copy import weight_sharing_copy
from ..errors import CaptureError
from .component_outputs import TOLERANCE, Component, ComponentOutputs
from .trace import tokens_of

NOT_AFFINE = (
    "What this model does after its final norm is not affine (some cap their logits), so they are not a sum of what "
    "each "
    "part wrote. Choose a model such as GPT-2, Llama or Qwen."
)


@dataclass(frozen=True, eq=False)
class Attribution:
    """The logit of `target` minus that of `foil`, as a sum over all components, the constant last."""

    component_outputs: ComponentOutputs
    target: int
    foil: int
    components: tuple[Component, ...]
    shares: Float[Tensor, " part"]
    difference: float  # the model's own
    reading: Float[Tensor, " width"]  # the direction of the stream in which the two logits differ

    @property
    def total(self) -> float:
        """The sum of all shares: `difference`, up to rounding."""
        return float(self.shares.sum())

    def share(self, component: Component) -> float:
        """The share of one component; KeyError if there is none."""
        return self.by_component[component]

    @property
    def by_component(self) -> dict[Component, float]:
        """The share of each component."""
        return dict(zip(self.components, self.shares.tolist(), strict=True))

    def of_head(self, block: int, head: int) -> Float[Tensor, " key"]:
        """The share of a head by source token: weight x value, through W_O, norm and unembedding."""
        heads = self.component_outputs.heads[block]
        reading = self.reading if heads.norm is None else heads.norm.pull_back(self.reading)
        return heads.weights[head] * (heads.values[head] @ (heads.matrix[head] @ reading))


def attribute(component_outputs: ComponentOutputs, target: int, foil: int) -> Attribution:
    """Split the logit of `target` minus that of `foil`, tokens of the vocabulary, into one share for each component.

    Runs the model twice more. Raises CaptureError where what follows the final norm is not affine.
    """
    gradient, at_zero, difference = _as_function_of_norm_output(component_outputs, target, foil)
    norm = component_outputs.norm
    reading = norm.pull_back(gradient)
    with torch.inference_mode():
        constant = float(gradient @ norm.beta) + at_zero
        shares = torch.cat([component_outputs.vectors @ reading, torch.tensor([constant])])
    largest = max(1.0, float(shares.abs().max()), abs(difference))
    if not abs(float(shares.sum()) - difference) <= TOLERANCE * largest:
        raise CaptureError(NOT_AFFINE)
    return Attribution(
        component_outputs,
        target,
        foil,
        (*component_outputs.components, Component("constant")),
        shares,
        difference,
        reading.detach(),
    )


def _as_function_of_norm_output(
    component_outputs: ComponentOutputs, target: int, foil: int
) -> tuple[Float[Tensor, " width"], float, float]:
    """The difference of two logits as a function of the final norm's output.

    Its gradient at this token, its value where the norm's output is replaced by zeros, and its actual value.
    """
    with torch.inference_mode(False), torch.enable_grad():
        real, norm_output = _difference(component_outputs, target, foil, torch.Tensor.clone)
        (gradient,) = torch.autograd.grad(real, norm_output)
        at_zero, _ = _difference(component_outputs, target, foil, torch.zeros_like)
    return tokens_of(gradient)[component_outputs.token], float(at_zero.detach()), float(real.detach())


def _difference(
    component_outputs: ComponentOutputs, target: int, foil: int, change: Callable[[Tensor], Tensor]
) -> tuple[Tensor, Tensor]:
    """The difference of two logits when `change` is applied to the final norm's output, and that output."""
    copy, norm_outputs = weight_sharing_copy(component_outputs.network), list[Tensor]()

    def replace_output(module: nn.Module, args: tuple, output: Tensor) -> Tensor:
        del module, args
        norm_outputs.append(change(output.detach()).requires_grad_())
        return norm_outputs[-1]

    copy.get_submodule(component_outputs.norm_path).register_forward_hook(replace_output)
    output = component_outputs.run(copy)
    logits = output if isinstance(output, Tensor) else output.logits  # type: ignore[attr-defined]
    row = logits[0, component_outputs.token].float()
    return row[target] - row[foil], norm_outputs[-1]
