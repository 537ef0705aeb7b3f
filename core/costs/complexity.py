"""Complexity of layers that process a sequence: Table 1 of Vaswani et al. 2017 (section 4), as numbers.

n tokens of d channels; k is the kernel of a convolution, r the neighbourhood of restricted self-attention. As in the
table, constants are left out: an LSTM has 8 matrices where a simple recurrent network has 2, both count n d^2.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """The sizes in the formulas. Raises ValueError if one of them is below 1, or a kernel below 2."""

    n: int  # tokens
    d: int  # channels of a token
    k: int  # tokens under the kernel of a convolution
    r: int  # neighbourhood of restricted self-attention

    def __post_init__(self):
        for name, least in (("n", 1), ("d", 1), ("k", 2), ("r", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is at least {least}, not {getattr(self, name)}.")


@dataclass(frozen=True)
class Count:
    """One cell of the table: the formula in LaTeX, and its value for given sizes, rounded up to whole steps."""

    formula: str
    of: Callable[[Sizes], int]


@dataclass(frozen=True)
class Way:
    """One row of the table."""

    title: str
    operations: Count  # multiplications in one layer
    sequential: Count  # operations that must wait for one another, however many processors there are
    path: Count  # length of the longest path of a signal between two tokens


def window(sizes: Sizes) -> int:
    """The neighbourhood of restricted self-attention, at most the number of tokens."""
    return min(sizes.r, sizes.n)


def ceiling_log(base: int, value: int) -> int:
    """The smallest whole power p with base ** p >= value, exactly (a floating-point logarithm may be one too high)."""
    power = 0
    while base**power < value:
        power += 1
    return power


_ONE = Count("O(1)", lambda _: 1)
_CONVOLVE = Count(r"O(k\,n\,d^2)", lambda s: s.k * s.n * s.d**2)

WAYS: Mapping[str, Way] = {
    "self_attention": Way("Self-attention", Count(r"O(n^2\,d)", lambda s: s.n**2 * s.d), _ONE, _ONE),
    "recurrent": Way(
        "Recurrent",
        Count(r"O(n\,d^2)", lambda s: s.n * s.d**2),
        Count("O(n)", lambda s: s.n),
        Count("O(n)", lambda s: s.n),
    ),
    # Kernels side by side; section 4, third paragraph: "O(n/k) convolutional layers in the case of contiguous kernels".
    "convolution": Way("Convolution", _CONVOLVE, _ONE, Count("O(n/k)", lambda s: -(-s.n // s.k))),
    "dilated": Way(
        "Dilated convolution", _CONVOLVE, _ONE, Count(r"O(\log_k n)", lambda s: max(1, ceiling_log(s.k, s.n)))
    ),
    "restricted": Way(
        "Restricted self-attention",
        Count(r"O(r\,n\,d)", lambda s: window(s) * s.n * s.d),
        _ONE,
        Count("O(n/r)", lambda s: -(-s.n // window(s))),
    ),
}


def crossover(sizes: Sizes) -> dict[str, int]:
    """The number of tokens up to which self-attention needs no more operations than each other layer.

    n^2 d = n d^2 at n = d; n^2 d = k n d^2 at n = k d; n^2 d = r n d at n = r, where nothing is left to restrict.
    """
    return {"recurrent": sizes.d, "convolution": sizes.k * sizes.d, "restricted": sizes.r}
