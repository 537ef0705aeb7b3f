"""What the heads of a layer add up to at one token, and what is worth noticing in it."""

from dataclasses import dataclass

import numpy as np
import torch

from core.heads.contributions import HeadOutputs, bias_of, contributions, cosines, output_shares
from dashboard import layout

RIGHT = -0.1  # a cosine above it is nearly a right angle: such heads do not cancel


@dataclass(frozen=True, eq=False)
class Sum:
    """What every head of a layer adds at one token: arrays (head, channel) and (channel,)."""

    heads: np.ndarray  # (head, each_value): before W_O
    vectors: np.ndarray
    bias: np.ndarray
    returned: np.ndarray  # by the model itself

    @property
    def total(self) -> np.ndarray:
        """Heads and bias, added up."""
        return self.vectors.sum(axis=0) + self.bias

    @property
    def rows(self) -> dict[str, np.ndarray]:
        """All vectors by name, the total last."""
        heads = {f"head {head}": vector for head, vector in enumerate(self.vectors)}
        bias = {"bias": self.bias} if self.bias.any() else {}
        return heads | bias | {"sum": self.total}


def named(label: str) -> str:
    """A token's name as Markdown."""
    return layout.plain(label)


def add_up(outputs: HeadOutputs, token: int) -> Sum:
    """The contributions to one token; CaptureError where the layer's output is no sum over heads."""
    with torch.inference_mode():
        joined, _, returned = outputs.known
        return Sum(
            heads=joined[0, token].unflatten(0, (outputs.call.heads, -1)).numpy(),
            vectors=contributions(outputs, queries=[token])[:, 0].numpy(),
            bias=bias_of(outputs).numpy(),
            returned=returned[0, token].float().numpy(),
        )


def noticed(added: Sum, outputs: HeadOutputs, label: str) -> tuple[str, ...]:
    """Who writes most, who pulls against whom, and how much of it remains."""
    lengths = np.linalg.norm(added.vectors, axis=-1)
    most, shares = int(lengths.argmax()), output_shares(outputs)
    rest = "It does so over all tokens, too" if int(shares.argmax()) == most else _other(int(shares.argmax()))
    sentences = [
        f"**Head {most}** writes most at {named(label)}: a vector of length {lengths[most]:.2f}, "
        f"{lengths[most] / lengths.sum():.0%} of all lengths together. {rest}: {float(shares.max()):.0%} on average.",
    ]
    if len(lengths) > 1:
        sentences.append(_opposed(added))
    total = float(np.linalg.norm(added.total))
    sentences.append(
        f"The lengths of all heads add up to {lengths.sum():.2f}, and the sum of the vectors, bias included, is "
        f"{total:.2f} long"
        + (": the heads point in different directions." if total < lengths.sum() else ": here the bias counts.")
    )
    return tuple(sentences)


def _other(head: int) -> str:
    return f"Over all tokens it is head {head} that writes most"


def _opposed(added: Sum) -> str:
    between = cosines(torch.from_numpy(added.vectors)).nan_to_num(nan=1.0).numpy()
    first, second = np.unravel_index(between.argmin(), between.shape)
    lowest, pair = float(between.min()), sorted((int(first), int(second)))
    if lowest >= 0:
        return f"No two heads pull against each other here: the smallest cosine between two of them is {lowest:.2f}."
    if lowest > RIGHT:
        return (
            f"No two heads cancel each other here: heads {pair[0]} and {pair[1]} come closest to it, and their cosine "
            f"is only −{-lowest:.2f}, nearly a right angle."
        )
    alone = np.linalg.norm(added.vectors[pair], axis=-1)
    both = float(np.linalg.norm(added.vectors[pair].sum(axis=0)))
    return (
        f"**Heads {pair[0]} and {pair[1]}** cancel each other most (cosine −{-lowest:.2f}): alone they are "
        f"{alone[0]:.2f} and {alone[1]:.2f} long, together {both:.2f}."
    )
