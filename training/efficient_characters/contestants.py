"""The models of training/efficient_characters/train.py: a small character model with each kind of attention.

All start from the same weights and differ only in what their layers multiply, `CONTEXT` characters at a time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from core.attention.positional_encodings import rotary
from core.efficient import (
    BigBird,
    Clustered,
    Fused,
    Linformer,
    LowRank,
    Performer,
    SlidingWindow,
    Variant,
    WrittenOut,
    causal_linformer_attention,
    linformer_attention,
)
from core.models.character import CharacterModel
from core.models.self_attention import Attention

CONTEXT, SEED = 256, 0
WIDTH, HEADS = 128, 4
SIZES: dict[str, int | str] = {
    "width": WIDTH,
    "layers": 3,
    "heads": HEADS,
    "context": CONTEXT,
    "positions": "rotary",
}
RANK, BLOCK = 32, 32  # causally, Linformer makes 4 rows of a block of 32 characters: 32 rows of the whole context
ROWS = RANK * BLOCK // CONTEXT

Product = Callable[[Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Contestant:
    """A kind of attention: a factory of its product, a text of its settings, and the multiplications of a head."""

    make: Callable[[], Product]
    settings: str
    multiplications: int

    @classmethod
    def of(cls, variant: Variant, settings: str) -> "Contestant":
        """A kind of attention without weights of its own."""
        return cls(lambda: variant.output, settings, variant.multiplications(CONTEXT, WIDTH // HEADS))


class EfficientAttention(Attention):
    """The attention of the character model, with rotary positions, and another product.

    The product is made in single precision also where the rest of a training is not: only exact attention is faster
    in half, on a processor.
    """

    def __init__(self, product: Product):
        super().__init__(WIDTH, HEADS, "rotary")
        self.product = product

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        """As in `Attention`."""
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2).float() for part in self.qkv(x).chunk(3, dim=-1)
        )
        places = torch.arange(x.shape[1])
        with torch.autocast("cpu", enabled=False):
            mixed = self.product(rotary(query, places), rotary(key, places), value)
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))


class TrainedLinformer(nn.Module):
    """Linformer with its own E and F, learned like every other matrix (Wang et al. 2020, section 4).

    E and F are shared by the heads of a layer; causally, by its blocks as well.
    """

    def __init__(self, *, causal: bool):
        super().__init__()
        self.product = causal_linformer_attention if causal else linformer_attention
        rows, tokens = (ROWS, BLOCK) if causal else (RANK, CONTEXT)
        # They start as means of neighbours, with some noise that tells the rows apart.
        means = F.adaptive_avg_pool1d(torch.eye(tokens), rows).T
        noise = 0.02 if causal else 0.02 * tokens**-0.5
        self.keys, self.values = (nn.Parameter(means + noise * torch.randn(rows, tokens)) for _ in range(2))

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """(batch, head, token, head_dim) in and out."""
        return self.product(query, key, value, self.keys, self.values)


def contestants(*, causal: bool) -> Mapping[str, Contestant]:
    """The kinds of attention by name: those that can be causal, or all for masked characters."""
    linformer = Linformer(rank=RANK, block=BLOCK, causal=causal)
    rank = f"rank {ROWS} for each block of {BLOCK}" if causal else f"rank {RANK}"
    by_name = {
        "Exact": Contestant.of(Fused(causal=causal), "all pairs"),
        "Sliding window": Contestant.of(SlidingWindow(window=32, causal=causal), "window of 32"),
        "BigBird": Contestant.of(
            BigBird(block=8, window=3, random=1, global_tokens=8, causal=causal),
            "blocks of 8: window of 3, 1 random, 8 global tokens",
        ),
        "Linformer, trained E and F": Contestant(
            lambda: TrainedLinformer(causal=causal), rank, linformer.multiplications(CONTEXT, WIDTH // HEADS)
        ),
        "Linformer, means": Contestant.of(linformer, rank),
        "Performer": Contestant.of(Performer(features=64, causal=causal), "64 features"),
    }
    looking_ahead = (Clustered(clusters=16, causal=causal), LowRank(rank=RANK, causal=causal))
    if causal:  # these would read in later characters what they are to predict
        assert all(variant.looks_ahead for variant in looking_ahead)
        return by_name
    clustered, low_rank = looking_ahead
    exact = WrittenOut(causal=causal).multiplications(CONTEXT, WIDTH // HEADS)
    return by_name | {
        "Clustered": Contestant.of(clustered, "16 clusters"),
        # It is cut out of the exact map; what it takes to find the best cut is not even counted.
        "Low rank": Contestant(
            lambda: low_rank.output, f"rank {RANK}", exact + low_rank.multiplications(CONTEXT, WIDTH // HEADS)
        ),
    }


def build(contestant: Contestant, vocabulary: int) -> CharacterModel:
    """The character model with this attention in every layer; all start from the same weights."""
    torch.manual_seed(SEED)
    model = CharacterModel("self_attention", SIZES, vocabulary)
    for layer in model.body.layers:  # type: ignore[union-attr]  # ModuleList, to torch's stubs any module
        attention = EfficientAttention(contestant.make())
        attention.load_state_dict(layer.attention.state_dict(), strict=False)
        layer.attention = attention
    return model
