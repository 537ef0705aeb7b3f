"""The laws of Kaplan et al. 2020, "Scaling Laws for Neural Language Models": powers of size, data and compute."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy import ndarray
from scipy.optimize import least_squares

from .law import FLOPS_EACH, Law, Points, enough, frontier

# Logarithms of the critical sizes, and exponents.
LEAST, MOST = (0.0, 0.0, 1e-3, 1e-3), (120.0, 120.0, 2.0, 2.0)
STARTS = ((30.0, 30.0, 0.08, 0.1), (25.0, 25.0, 0.2, 0.2))


@dataclass(frozen=True)
class Kaplan(Law):
    """L(N, D) = ((N_c / N)^(alpha_N / alpha_D) + D_c / D)^alpha_D (Kaplan et al. 2020, equation 1.5)."""

    critical_parameters: float  # N_c
    critical_tokens: float  # D_c
    alpha_parameters: float  # alpha_N
    alpha_tokens: float  # alpha_D

    def loss(self, parameters: Float[ndarray, "*point"], tokens: Float[ndarray, "*point"]) -> Float[ndarray, "*point"]:
        """The loss in nats per token, by equation 1.5."""
        by_size = (self.critical_parameters / parameters) ** (self.alpha_parameters / self.alpha_tokens)
        return (by_size + self.critical_tokens / tokens) ** self.alpha_tokens

    def lowest(self, flops: Float[ndarray, " point"]) -> Float[ndarray, " point"]:
        """Where the derivative with respect to N of (N_c / N)^p + D_c N / (C / 6), with p = alpha_N / alpha_D, is 0."""
        power = self.alpha_parameters / self.alpha_tokens
        products = flops / FLOPS_EACH
        # N^(p + 1) = p N_c^p C / (6 D_c), by logarithms: N_c to a high power is too large for a number.
        logs = power * np.log(self.critical_parameters) + np.log(power * products / self.critical_tokens)
        parameters = np.exp(logs / (power + 1))
        return self.loss(parameters, products / parameters)

    @classmethod
    def fit(cls, points: Points, start: Law | None = None) -> "Kaplan":
        """Least squares of log losses."""
        enough(points, cls)
        size, data, target = np.log(points.parameters), np.log(points.tokens), np.log(points.loss)

        def errors(of: ndarray) -> ndarray:
            n, d, alpha_n, alpha_d = of
            return alpha_d * np.logaddexp((n - size) * alpha_n / alpha_d, d - data) - target

        starts = STARTS if start is None else (_logged(start.values()),)
        best = min((least_squares(errors, at, bounds=(LEAST, MOST)) for at in starts), key=lambda fit: fit.cost)
        n, d, alpha_n, alpha_d = map(float, best.x)
        return cls(float(np.exp(n)), float(np.exp(d)), alpha_n, alpha_d)


@dataclass(frozen=True)
class ComputeFrontier(Law):
    """L(C) = E + (C_c / C)^alpha: the loss that a compute buys at best, whatever the size of the model.

    Kaplan et al. 2020, equation 1.3, with the irreducible loss of Henighan et al. 2020, equation 1.1. It is fitted to
    the runs with the lowest loss for their compute.
    """

    irreducible: float  # E
    critical_flops: float  # C_c
    alpha: float

    def loss(self, parameters: Float[ndarray, "*point"], tokens: Float[ndarray, "*point"]) -> Float[ndarray, "*point"]:
        """The loss in nats per token, by equation 1.3 with C = 6 N D."""
        return self.irreducible + (self.critical_flops / (FLOPS_EACH * parameters * tokens)) ** self.alpha

    def lowest(self, flops: Float[ndarray, " point"]) -> Float[ndarray, " point"]:
        """The loss, which is the same for every split."""
        return self.loss(flops / FLOPS_EACH, np.ones_like(flops))

    @classmethod
    def fit(cls, points: Points, start: Law | None = None) -> "ComputeFrontier":
        """Least squares of log losses over the `frontier` of the points."""
        best = points.where(frontier(points))
        enough(best, cls)
        compute, target = np.log(best.flops), np.log(best.loss)
        lowest = float(best.loss.min())

        def errors(of: ndarray) -> ndarray:
            share, critical, alpha = of
            return np.logaddexp(np.log(share * lowest), alpha * (critical - compute)) - target

        # The irreducible loss as a share of the lowest one that was reached.
        first = np.array([0.5, 45.0, 0.1])
        if start is not None:
            irreducible, critical_flops, alpha = start.values()
            first = np.array([irreducible / lowest, np.log(critical_flops), alpha])
        least, most = (1e-6, 0.0, 1e-3), (1.0, 400.0, 2.0)
        fit = least_squares(errors, np.clip(first, least, most), bounds=(least, most))
        share, critical, alpha = map(float, fit.x)
        return cls(share * lowest, float(np.exp(critical)), alpha)


def _logged(values: tuple[float, ...]) -> ndarray:
    return np.clip([*np.log(values[:2]), *values[2:]], LEAST, MOST)
