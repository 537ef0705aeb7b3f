"""Scaling laws of the loss fitted to published runs, and the resources that a model needs."""

from .bands import Bootstrap, bootstrap
from .budget import (
    EXACT,
    RULE,
    Device,
    hours,
    running_memory,
    training_flops,
    training_memory,
)
from .chinchilla import Chinchilla
from .kaplan import ComputeFrontier, Kaplan
from .law import FLOPS_EACH, Law, Points, frontier

LAWS: dict[str, type[Law]] = {
    "Chinchilla": Chinchilla,
    "Kaplan": Kaplan,
    "Compute frontier": ComputeFrontier,
}

__all__ = [
    "EXACT",
    "FLOPS_EACH",
    "LAWS",
    "RULE",
    "Bootstrap",
    "Chinchilla",
    "ComputeFrontier",
    "Device",
    "Kaplan",
    "Law",
    "Points",
    "bootstrap",
    "frontier",
    "hours",
    "running_memory",
    "training_flops",
    "training_memory",
]
