"""Queries and keys of one head in a plane: where they point, how much of them the plane keeps, a query that turns.

    axes = plane_of_query(query, key[strongest])     # the query lies in it: its dot products there are exact
    axes = plane_of_most(torch.cat([queries, keys])) # keeps the most of all vectors together
    key @ axes                                       # (key, 2): places in the plane

A head of two channels is a plane already: `is_plane` is True for it, and both functions return its own channels.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

SMALL = 1e-6  # what is shorter, as a share of the vector that it is a part of, is rounding


def is_plane(vectors: Float[Tensor, "*leading head_dim"]) -> bool:
    """Whether the vectors have at most two channels, so that a plane shows all of them."""
    return vectors.shape[-1] <= 2


def plane_of_query(query: Float[Tensor, " head_dim"], other: Float[Tensor, " head_dim"]) -> Float[Tensor, "head_dim 2"]:
    """Two orthonormal axes that span a query and another vector; the query lies on the first, on its positive side.

    Gram and Schmidt's way. Where the two vectors span only a line, or nothing, other directions are taken, in the
    order of the channels.
    """
    if is_plane(query):
        return _own_channels(query)
    candidates = [query, other, *torch.eye(len(query), dtype=query.dtype)]
    axes: list[Tensor] = []
    for candidate in candidates:
        rest = candidate - sum(((candidate @ axis) * axis for axis in axes), torch.zeros_like(candidate))
        if float(rest.norm()) > SMALL * float(candidate.norm()):
            axes.append(rest / rest.norm())
        if len(axes) == 2:
            break
    first, second = axes
    second = second - (second @ first) * first  # once more: rounding is then that of one step
    return torch.stack([first, second / second.norm()], dim=1)


def plane_of_most(vectors: Float[Tensor, "token head_dim"]) -> Float[Tensor, "head_dim 2"]:
    """The first two right singular vectors: no other plane through 0 keeps more of the vectors' squared length.

    (Eckart and Young 1936.) An axis points to where the sum of the vectors' places on it is not negative.
    """
    if is_plane(vectors):
        return _own_channels(vectors[0])
    axes = torch.linalg.svd(vectors, full_matrices=len(vectors) < 2).Vh[:2].T
    signs = torch.where((vectors @ axes).sum(dim=0) < 0, -1.0, 1.0).to(axes.dtype)
    return axes * signs


def turned(
    query: Float[Tensor, " head_dim"], axes: Float[Tensor, "head_dim 2"], degrees: float
) -> Float[Tensor, " head_dim"]:
    """The query with its part in the plane turned by an angle, from the first axis towards the second.

    What is outside of the plane stays, and so does the length.
    """
    angle = math.radians(degrees)
    cosine, sine = math.cos(angle), math.sin(angle)
    across, up = query @ axes
    rotated = torch.stack([cosine * across - sine * up, sine * across + cosine * up])
    return query + axes @ (rotated - torch.stack([across, up]))


def products_outside(
    query: Float[Tensor, " head_dim"], keys: Float[Tensor, "key head_dim"], axes: Float[Tensor, "head_dim 2"]
) -> Float[Tensor, " key"]:
    """The part of each dot product that lies outside of a plane with orthonormal axes: no turn in it changes this part.

    query · key = (query @ axes) · (key @ axes) + this part, and `turned` changes only the first term.
    """
    return keys @ (query - axes @ (axes.T @ query))


def squared_length_kept(vectors: Float[Tensor, "token head_dim"], axes: Float[Tensor, "head_dim 2"]) -> float:
    """The share of the vectors' squared length that lies in the plane, from 0 to 1; NaN if all vectors are 0."""
    total = float(vectors.double().square().sum())
    in_plane = float((vectors.double() @ axes.double()).square().sum())
    return min(1.0, in_plane / total) if total > 0 else math.nan


def angles_between(query: Float[Tensor, " head_dim"], key: Float[Tensor, "key head_dim"]) -> Float[Tensor, " key"]:
    """The angle between a query and each of the keys, in degrees from 0 to 180; NaN where one of the two is 0."""
    query, key = query.double(), key.double()
    lengths = query.norm() * key.norm(dim=1)
    cosines = torch.where(lengths > 0, (key @ query) / lengths, torch.nan)
    return cosines.clamp(-1, 1).arccos().rad2deg()


def _own_channels(vector: Float[Tensor, " head_dim"]) -> Float[Tensor, "head_dim 2"]:
    """The channels of a head that has one or two, as axes; the second axis of a single channel is 0."""
    return torch.eye(len(vector), 2, dtype=vector.dtype)
