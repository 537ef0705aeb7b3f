"""Positional encodings, rotary embeddings and position biases, as pure functions."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

BASE = 10_000.0  # of the wavelengths, in Vaswani et al. 2017 and in Su et al. 2021


def frequencies(width: int, base: float = BASE) -> Float[Tensor, " pair"]:
    """Angular frequency of each pair i of channels, in radians per token: base^(-2i / width).

    Vaswani et al. 2017, section 3.5; Su et al. 2021, equation 15. Raises ValueError for an odd width.
    """
    if width % 2 or width < 2:
        raise ValueError(f"Waves come in pairs of a sine and a cosine: {width} channels cannot be paired.")
    return base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)


def sinusoidal(length: int, width: int, base: float = BASE) -> Float[Tensor, "token width"]:
    """PE(pos, 2i) = sin(pos f_i), PE(pos, 2i + 1) = cos(pos f_i) (Vaswani et al. 2017, section 3.5)."""
    angles = torch.arange(length, dtype=torch.float64)[:, None] * frequencies(width, base)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=-2).float()


def rotation_matrix(frequency: float, offset: int) -> Float[Tensor, "2 2"]:
    """M_k: rotates the pair (sine, cosine) of any position to that of the position `offset` tokens later.

    PE(pos + k) = M_k PE(pos), and M_k does not depend on pos: "for any fixed offset k, PE(pos+k) can be represented as
    a linear function of PE(pos)" (Vaswani et al. 2017, section 3.5). By the sums of angles,
    sin(a + b) = sin a cos b + cos a sin b and cos(a + b) = cos a cos b - sin a sin b.
    """
    sine, cosine = math.sin(offset * frequency), math.cos(offset * frequency)
    return torch.tensor([[cosine, sine], [-sine, cosine]], dtype=torch.float64)


def shift_encoding(
    encoding: Float[Tensor, "*leading token width"], offset: int, base: float = BASE
) -> Float[Tensor, "*leading token width"]:
    """The sinusoidal encoding `offset` tokens later: every pair rotated by its own M_k.

    Vaswani et al. 2017, section 3.5. Computed in the dtype of `encoding`.
    """
    matrices = torch.stack([rotation_matrix(f, offset) for f in frequencies(encoding.shape[-1], base).tolist()])
    pairs = encoding.unflatten(-1, (-1, 2))
    return torch.einsum("pij,...pj->...pi", matrices.to(encoding), pairs).flatten(start_dim=-2)


def similarity_at(distance: Int[Tensor, "*leading"], width: int, base: float = BASE) -> Float[Tensor, "*leading"]:
    """PE(pos) · PE(pos + distance), the same for every pos: the sum of cos(distance x f_i) over the pairs.

    Follows from section 3.5 of Vaswani et al. 2017: sin a sin b + cos a cos b = cos(a - b).
    """
    return (distance[..., None] * frequencies(width, base)).cos().sum(dim=-1).float()


def rotary(
    x: Float[Tensor, "*leading token head_dim"], positions: Int[Tensor, " token"], base: float = BASE
) -> Float[Tensor, "*leading token head_dim"]:
    """Queries or keys with each pair of channels (2i, 2i + 1) rotated by position x f_i (Su et al. 2021, equation 34).

    The product of a query at m and a key at n then depends on m - n alone (equation 16). The pairs are neighbours, as
    in the paper; Llama and others pair channel i with i + head_dim/2.
    """
    return apply_rotary(x, positions, frequencies(x.shape[-1], base))


def apply_rotary(
    x: Float[Tensor, "*leading token head_dim"], positions: Int[Tensor, " token"], speeds: Float[Tensor, " pair"]
) -> Float[Tensor, "*leading token head_dim"]:
    """`rotary` with the frequencies `speeds`, in radians per token: those of `frequencies`, `ntk` or `yarn`."""
    # In double precision up to the sine: bfloat16 cannot represent an angle of thousands of radians.
    angles = positions[:, None] * speeds.double().to(x.device)
    sine, cosine = angles.sin().to(x.dtype), angles.cos().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], dim=-1).flatten(start_dim=-2)


def ntk(width: int, stretch: float, base: float = BASE) -> Float[Tensor, " pair"]:
    """Frequencies for texts `stretch` times longer than those of the training, by a larger base.

    base' = base x stretch^(width / (width - 2)): the lowest frequency is divided by `stretch`, the highest is unchanged
    ("NTK-aware" scaling: Peng et al. 2023, version 2, section 3.1). Raises ValueError for fewer than 4 channels.
    """
    if width < 4:
        raise ValueError(f"The slowest pair must not be the fastest: {width} channels are too few, 4 will do.")
    return frequencies(width, base * stretch ** (width / (width - 2)))


def yarn(
    width: int, stretch: float, trained: int, base: float = BASE, *, slow: float = 1.0, fast: float = 32.0
) -> Float[Tensor, " pair"]:
    """Frequencies for texts `stretch` times longer, scaled pair by pair ("NTK-by-parts").

    Peng et al. 2023, version 2, section 3.2. Pairs with more than `fast` turns within the `trained` tokens are
    unchanged, those with fewer than `slow` turns are divided by `stretch`, and in between the two are interpolated
    linearly. YaRN also sharpens the scores, see `yarn_sharpness`.
    """
    unscaled = frequencies(width, base)
    turns = trained * unscaled / (2 * math.pi)
    unscaled_share = ((turns - slow) / (fast - slow)).clamp(0, 1)
    return unscaled_share * unscaled + (1 - unscaled_share) * unscaled / stretch


def yarn_sharpness(stretch: float) -> float:
    """The factor by which YaRN multiplies queries and keys: 0.1 ln(stretch) + 1.

    Peng et al. 2023, version 2, section 3.4.
    """
    return 0.1 * math.log(stretch) + 1


def alibi_slopes(heads: int) -> Float[Tensor, " head"]:
    """ALiBi's slope of each head, per token of distance: 2^(-8/heads), its square, its cube ...

    Press et al. 2022, section 3. For a number of heads that is not a power of two, these are the slopes of the next
    lower power, then every second one of the next higher, as in the authors' code.
    """
    lower = 2 ** math.floor(math.log2(heads))
    slopes = [2 ** (-8 * (head + 1) / lower) for head in range(lower)]
    next_slopes = [2 ** (-8 * (head + 1) / (2 * lower)) for head in range(0, 2 * lower, 2)]
    return torch.tensor((slopes + next_slopes)[:heads])


def alibi(heads: int, queries: int, keys: int) -> Float[Tensor, "head query key"]:
    """ALiBi's bias of the scores: -slope x distance (Press et al. 2022, section 3). The last query is the last key.

    The paper's attention is causal; here later keys have the bias of earlier ones at the same distance.
    """
    return -alibi_slopes(heads)[:, None, None] * distances(queries, keys).abs()


def distances(queries: int, keys: int) -> Int[Tensor, "query key"]:
    """Position of the key minus position of the query; the last query is the last key."""
    return torch.arange(keys)[None, :] - torch.arange(keys - queries, keys)[:, None]


def relative_buckets(
    distance: Int[Tensor, "*leading"], *, buckets: int = 32, longest: int = 128, bidirectional: bool
) -> Int[Tensor, "*leading"]:
    """The number of T5's learned bias for a distance (key minus query) (Raffel et al. 2020, section 2.1).

    Half of the buckets are for single distances, the others for ranges that grow logarithmically up to `longest`;
    larger distances share the last one. In bidirectional models half of the buckets are for later keys.
    """
    offset = torch.zeros_like(distance)
    if bidirectional:
        buckets //= 2
        offset = (distance > 0) * buckets
        distance_back = distance.abs()
    else:
        distance_back = (-distance).clamp(min=0)
    exact = buckets // 2
    # In float32 and rounded down, as in T5's own code: its checkpoints depend on it.
    ratio = torch.log(distance_back.clamp(min=1).float() / exact) / math.log(longest / exact)
    logarithmic = (exact + (ratio * (buckets - exact)).long()).clamp(max=buckets - 1)
    return offset + torch.where(distance_back < exact, distance_back, logarithmic)


def window_index(rows: int, columns: int) -> Int[Tensor, "query key"]:
    """The number of the learned bias, of Swin's (2 rows - 1)(2 columns - 1), for each pair of patches in a window.

    Liu et al. 2021, section 3.2, equation 4: the relative position on each axis lies between -(M - 1) and M - 1. The
    biases are numbered row by row over query minus key, as in the authors' code.
    """
    row = torch.arange(rows).repeat_interleave(columns)
    column = torch.arange(columns).repeat(rows)
    down = row[:, None] - row + rows - 1
    across = column[:, None] - column + columns - 1
    return down * (2 * columns - 1) + across
