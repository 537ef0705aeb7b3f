"""What is computed for Weights: the network with zeros, the same as compressed rows, and without whole neurons."""

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
from torch import nn

from core.shrinking.layouts import matrices_of
from core.shrinking.number_formats import size_in_bytes
from core.shrinking.zeros import as_sparse, bytes_packed, share_of_zeros, with_zeros, without_neurons
from dashboard.cache.memo import cached
from dashboard.inputs.photograph import Photograph
from pages.scale.shrinking.compute import Beside, Question, beside, linear_network, network_of

COLUMNS = 61  # of the histogram; odd, so that one stands around 0


@dataclass(frozen=True, eq=False)
class Zeros:
    """The network with a share of its weights at zero: as full matrices, and as compressed rows.

    `packed`: bytes on disk if a bit says of each weight whether it is zero and only the others are written;
    `by_matrix`: the share of zeros in each matrix.
    """

    full: Beside
    rows: Beside
    share: float
    packed: int
    full_bytes: int
    by_matrix: dict[str, float]
    identity: Hashable = field(kw_only=True)


@dataclass(frozen=True, eq=False)
class Cut:
    """A matrix as a histogram: between `edges`, how many weights stay and how many become zero."""

    edges: np.ndarray
    remaining: np.ndarray
    gone: np.ndarray


@cached("Setting weights to zero …", computes=False)
def networks(name: str, pictures: bool, percent: int) -> tuple[nn.Module, nn.Module]:
    """A network with zeros in full matrices, and as compressed rows: the same for everything that it is asked."""
    network = with_zeros(linear_network(name, pictures), percent / 100)
    return network, as_sparse(network)


def networks_of(question: Question, percent: int) -> tuple[nn.Module, nn.Module]:
    """The same for the network of a question."""
    return networks(question.name, isinstance(question.model_input, Photograph), percent)


@cached("Setting weights to zero …")
def zeroed(question: Question, percent: int) -> Zeros:
    """The smallest weights of all matrices together become zeros."""
    full_network = network_of(question)
    network, compressed = networks_of(question, percent)
    full = beside(question, network, identity=(question, percent, "full"))
    rows = beside(question, compressed, identity=(question, percent, "rows"))
    shares = {name: float((linear.weight == 0).float().mean()) for name, linear in matrices_of(network).items()}
    return Zeros(
        full,
        rows,
        share_of_zeros(network),
        bytes_packed(network),
        size_in_bytes(full_network),
        shares,
        identity=(question, percent),
    )


@cached("Setting weights to zero …")
def cut(question: Question, percent: int, matrix: str) -> Cut:
    """What becomes of the weights of one matrix."""
    full_network = network_of(question)
    before = matrices_of(full_network)[matrix].weight.detach().numpy().ravel()
    after = matrices_of(networks_of(question, percent)[0])[matrix].weight.numpy().ravel()
    most = float(np.abs(before).max()) or 1.0
    edges = np.linspace(-most, most, COLUMNS + 1)
    remaining, gone = (np.histogram(before[chosen], bins=edges)[0] for chosen in (after != 0, after == 0))
    return Cut(edges, remaining, gone)


@cached("Taking neurons out …")
def without(question: Question, percent: int) -> Beside:
    """As large a share of the neurons of each feed-forward layer is really gone; ModelError where none are known."""
    return beside(
        question, without_neurons(network_of(question), percent / 100), identity=(question, percent, "neurons")
    )
