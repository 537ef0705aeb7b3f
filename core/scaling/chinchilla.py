"""The law of Chinchilla: two power laws and an irreducible loss."""

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from jaxtyping import Float
from numpy import ndarray
from scipy.optimize import least_squares
from scipy.special import softmax

from .law import FLOPS_EACH, Law, Points, enough

HUBER = 1e-3  # Hoffmann et al. 2022, section 3.3: errors of log losses beyond this count linearly
# A coarser grid than the paper's 4,500 starts: it finds the same minimum.
STARTS = tuple(product((-1.0, 0.5), (5.0, 15.0), (5.0, 15.0), (0.5,), (0.5,)))


@dataclass(frozen=True)
class Chinchilla(Law):
    """L(N, D) = E + A / N^alpha + B / D^beta (Hoffmann et al. 2022, equation 2)."""

    irreducible: float  # E
    parameter_scale: float  # A
    token_scale: float  # B
    alpha: float
    beta: float

    def loss(self, parameters: Float[ndarray, "*point"], tokens: Float[ndarray, "*point"]) -> Float[ndarray, "*point"]:
        """The loss in nats per token, by equation 2."""
        return self.irreducible + self.parameter_scale / parameters**self.alpha + self.token_scale / tokens**self.beta

    def lowest(self, flops: Float[ndarray, " point"]) -> Float[ndarray, " point"]:
        """The loss at the `optimal` split."""
        return self.loss(*self.optimal(flops))

    @classmethod
    def fit(cls, points: Points, start: Law | None = None) -> "Chinchilla":
        """Huber loss of log losses (section 3.3, equation 3, "approach 3"); by Gauss-Newton steps, not by L-BFGS.

        Both find the same minimum, these steps a hundred times faster.
        """
        enough(points, cls)
        size, data, target = np.log(points.parameters), np.log(points.tokens), np.log(points.loss)

        def terms(of: ndarray) -> ndarray:
            e, a, b, alpha, beta = of
            return np.stack([np.full_like(size, e), a - alpha * size, b - beta * data])

        def errors(of: ndarray) -> ndarray:
            return np.logaddexp.reduce(terms(of)) - target

        def slopes(of: ndarray) -> ndarray:
            shares = softmax(terms(of), axis=0)
            return np.stack([*shares, -shares[1] * size, -shares[2] * data], axis=1)

        starts = STARTS if start is None else (_logged(start.values()),)
        options = {"loss": "huber", "f_scale": HUBER, "x_scale": "jac"}
        best = min((least_squares(errors, at, slopes, **options) for at in starts), key=lambda fit: fit.cost)
        e, a, b, alpha, beta = map(float, best.x)
        return cls(float(np.exp(e)), float(np.exp(a)), float(np.exp(b)), alpha, beta)

    def optimal(self, flops: Float[ndarray, "*point"]) -> tuple[Float[ndarray, "*point"], Float[ndarray, "*point"]]:
        """Parameters and tokens with the lowest loss for a compute of C = 6 N D (equation 4)."""
        alpha, beta = self.alpha, self.beta
        ratio = (alpha * self.parameter_scale / (beta * self.token_scale)) ** (1 / (alpha + beta))
        products = np.asarray(flops) / FLOPS_EACH
        return ratio * products ** (beta / (alpha + beta)), products ** (alpha / (alpha + beta)) / ratio


def _logged(values: tuple[float, ...]) -> tuple[float, ...]:
    return (*(math.log(scale) for scale in values[:3]), *values[3:])
