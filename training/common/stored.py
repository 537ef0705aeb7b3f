"""A trained network as its file of weights holds it, which is what a report measures."""

import copy
from pathlib import Path
from typing import TypeVar

from torch import nn

from core.models.stored_weights import load_weights, save_weights

Network = TypeVar("Network", bound=nn.Module)


def as_stored(network: Network, file: Path, *, eight_bits: bool) -> Network:
    """Write the weights to a file, in 8 bits or in half precision; returns a copy that has the weights of the file."""
    save_weights(network, file, eight_bits=eight_bits)
    return load_weights(lambda: copy.deepcopy(network), file)
