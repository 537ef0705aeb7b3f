"""Several ways to shrink a network, one after the other: fewer layers, heads, neurons and bits."""

from dataclasses import dataclass
from itertools import product

from torch import nn

from .importance import Losses, by_module, gradient_importance, ranked
from .number_formats import FORMATS, in_number_format
from .pruned_heads import prune_heads
from .students import STUDENTS, student_network
from .zeros import without_neurons

SHARES = (0.0, 0.25, 0.5)  # of heads, and of neurons, that were measured


@dataclass(frozen=True)
class Recipe:
    """The steps in order: layers (`student`: one of STUDENTS, or ""), shares of heads and neurons, number format."""

    student: str = ""
    heads: float = 0.0
    neurons: float = 0.0
    number_format: str = "float32"

    @property
    def title(self) -> str:
        """The steps as a text; "whole" for a recipe that changes nothing."""
        steps = [
            self.student,
            f"{self.heads:.0%} of the heads gone" if self.heads else "",
            f"{self.neurons:.0%} of the neurons gone" if self.neurons else "",
            self.number_format if self.number_format != "float32" else "",
        ]
        return ", ".join(step for step in steps if step) or "whole"


def follow(recipe: Recipe, network: nn.Module, losses: Losses) -> nn.Module:
    """Apply a recipe; `losses` rank the heads by gradient importance. Nothing is trained between the steps."""
    smaller = student_network(recipe.student, network) if recipe.student else network
    if recipe.heads:
        order = ranked(gradient_importance(smaller, losses))
        smaller = prune_heads(smaller, by_module(order[: round(recipe.heads * len(order))]))
    if recipe.neurons:
        smaller = without_neurons(smaller, recipe.neurons)
    return in_number_format(smaller, recipe.number_format).eval().requires_grad_(False)


def recipes(model: str) -> list[Recipe]:
    """All recipes that are measured for a model, the one that changes nothing first."""
    students = ("", *STUDENTS.get(model, ()))
    return [Recipe(*steps) for steps in product(students, SHARES, SHARES, FORMATS)]
