"""Examples of attention small enough to check by hand."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from .equations import Step
from .steps import Projection, Projections, steps_from_heads, steps_from_tokens


@dataclass(frozen=True)
class WorkedExample:
    """Named matrices: either `X, W_Q, W_K, W_V, W_O`, or `Q, K, V` of a single head."""

    title: str
    tokens: tuple[str, ...]
    matrices: dict[str, Float[Tensor, "row column"]]
    heads: int = 1
    channels: tuple[str, ...] = ()  # what the columns of X stand for; empty where nothing is meant

    def steps(self, *, scale: bool = True, causal: bool = False, temperature: float = 1.0) -> tuple[Step, ...]:
        """The attention of the example, step by step."""
        if "X" not in self.matrices:
            query, key, value = (self.matrices[name][None] for name in "QKV")
            return steps_from_heads(query, key, value, scale=scale, causal=causal, temperature=temperature)
        maps = Projections(*(Projection(self.matrices[name]) for name in ("W_Q", "W_K", "W_V", "W_O")))
        x = self.matrices["X"]
        return steps_from_tokens(x, maps, heads=self.heads, scale=scale, causal=causal, temperature=temperature)


def _matrix(*rows: Sequence[int | float]) -> Float[Tensor, "row column"]:
    return torch.tensor(rows, dtype=torch.float32)


# In head 0 the verb asks "who does it?" (its query points along the first channel) and the noun's key answers.
# Head 1 knows only places: the first token finds itself, the last one cannot decide between the three.
SENTENCE = WorkedExample(
    title="Three tokens, two heads",
    tokens=("the", "cat", "sleeps"),
    channels=("article", "noun", "verb", "place"),
    matrices={
        "X": _matrix([1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 2]),
        "W_Q": _matrix([0, 1.5, 1, 0], [0.5, 0, 1, 0], [2, 0, 1, 0], [0, 0.5, 0, 1]),
        "W_K": _matrix([0, 0, 2, 0], [2, 1, 1, 0], [0.5, 0.5, 0, 0], [0, 0, 0, 0.5]),
        "W_V": _matrix([0, 0, 1, 0], [2, 0, 0, 1], [0, 2, 1, 1], [0.5, 0.5, 0, 0]),
        "W_O": _matrix([1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0.5, 0, 1]),
    },
    heads=2,
)

# The first query is all ones, so its scores are 32 x 2 + 32 x 1.5 = 112 and 32 x 1 + 32 x 2 = 96: the numbers of
# Alammar (2018), "The Illustrated Transformer", which gives no channels; these are ours.
CLASSIC = WorkedExample(
    title="The classic: scores 112 and 96",
    tokens=("Thinking", "Machines"),
    matrices={
        "Q": _matrix([1] * 64, [0.5] * 32 + [1] * 32),
        "K": _matrix([2] * 32 + [1.5] * 32, [1] * 32 + [2] * 32),
        "V": _matrix([1] * 32 + [0] * 32, [0] * 32 + [1] * 32),
    },
)

EXAMPLES = {"sentence": SENTENCE, "classic": CLASSIC}
