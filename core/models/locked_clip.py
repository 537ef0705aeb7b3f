"""Words and pictures in one space, from two networks that others trained: contrastive tuning (Zhai et al. 2022).

a_i   = EfficientNet's features at place i of the picture, locked                     (core/models/efficientnet.py)
x     = blocks([class; W a_i + position_i])                 a transformer over the places, which learns
I     = W_i norm(x_class) / |.|
u     = mean of MiniLM's vectors of tokens / |.|, locked      one vector a sentence (Reimers and Gurevych 2019)
T     = (u + W_2 gelu(W_1 u + b_1) + b_2) / |.|               an adapter, which learns too (Gao et al. 2021)
s_ij  = exp(t) I_i . T_j                                      similarities, with a learned temperature

Zhai et al. lock the picture encoder and learn the other; here both are locked and what lies between them is learned.
"""

from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from .bert import BERT
from .clip import FIRST_SCALE, Block, EncoderConfig, TwoEncoders, temperature_of
from .efficientnet import CHANNELS

PADDING = 0  # the token [PAD] of BERT's vocabulary


@dataclass(frozen=True)
class LockedCLIPConfig:
    """The sizes of the transformer over places, of the adapter, and of the space, in which sentences have vectors."""

    picture: EncoderConfig = field(default_factory=lambda: EncoderConfig(width=256, layers=3, heads=4))
    side: int = 224
    patch: int = 16
    space: int = 384
    context: int = 64  # tokens of a sentence
    adapter: int = 768  # hidden units of the adapter, twice the width of the space


class LockedCLIP(TwoEncoders):
    """Two locked networks, one of pictures and one of sentences, with the layers that learn behind each."""

    pictures: "HybridEncoder"

    def __init__(self, config: LockedCLIPConfig, body: nn.Module, tuned: "TunedLayers", bert: BERT):
        super().__init__()
        self.config = config
        self.pictures = HybridEncoder(body, tuned.places)
        self.texts = AdaptedSentenceEncoder(bert, tuned.adapter)

    @property
    def scale(self) -> Float[Tensor, ""]:  # type: ignore[override]
        """The logarithm of the temperature, which is learned and stored with the transformer."""
        return self.pictures.places.scale


class TunedLayers(nn.Module):
    """The layers that learn and are stored: a transformer over features of pictures, an adapter of sentence vectors.

    Its methods take the outputs of the locked networks.
    """

    def __init__(self, config: LockedCLIPConfig):
        super().__init__()
        self.places = PlaceTransformer(config)
        self.adapter = TextAdapter(config.space, config.adapter)

    @property
    def temperature(self) -> Float[Tensor, ""]:
        """The factor of the cosine similarities."""
        return self.places.temperature

    def picture(
        self, places: Float[Tensor, "batch patch width_in"], place_numbers: Int[Tensor, " patch"] | None = None
    ) -> Float[Tensor, "batch width"]:
        """A vector of length 1 for each picture, from its features at places, numbered as in `PlaceTransformer`."""
        return F.normalize(self.places(places, place_numbers), dim=-1)

    def text(self, sentences: Float[Tensor, "batch width"]) -> Float[Tensor, "batch width"]:
        """A vector of length 1 for each text, from the locked network's vector of length 1."""
        return F.normalize(self.adapter(sentences), dim=-1)


class PlaceTransformer(nn.Module):
    """A vision transformer over features of places, as a hybrid (Dosovitskiy et al. 2020, section 3.1)."""

    def __init__(self, config: LockedCLIPConfig):
        super().__init__()
        width, places = config.picture.width, (config.side // config.patch) ** 2
        self.embedding = nn.Linear(CHANNELS, width)
        self.class_token = nn.Parameter(torch.zeros(width))
        self.positions = nn.Embedding(1 + places, width)
        self.first_norm = nn.LayerNorm(width)
        self.blocks = nn.ModuleList(Block(config.picture, quick=False) for _ in range(config.picture.layers))
        self.norm = nn.LayerNorm(width)
        self.projection = nn.Linear(width, config.space, bias=False)
        self.scale = nn.Parameter(torch.tensor(FIRST_SCALE).log())
        nn.init.normal_(self.positions.weight, std=0.02)

    @property
    def temperature(self) -> Float[Tensor, ""]:
        """The factor of the cosine similarities."""
        return temperature_of(self.scale)

    def forward(
        self, places: Float[Tensor, "batch patch width_in"], place_numbers: Int[Tensor, " patch"] | None = None
    ) -> Float[Tensor, "batch width"]:
        """The vector of the class token; `place_numbers`: those of `places`, where training leaves out the others."""
        positions = self.positions.weight[1:] if place_numbers is None else self.positions(1 + place_numbers)
        x = self.embedding(places) + positions
        token = self.class_token + self.positions.weight[0]
        x = self.first_norm(torch.cat([token.expand(len(x), 1, -1), x], dim=1))
        for block in self.blocks:
            x = block(x)
        return self.projection(self.norm(x[:, 0]))


class TextAdapter(nn.Module):
    """A residual MLP on vectors of texts: u + W_2 gelu(W_1 u + b_1) + b_2 (CLIP-Adapter, Gao et al. 2021, section 3).

    Theirs is a bottleneck with ReLU, blended with u by a residual ratio. This one is wider than the space and is added
    to u. W_2 and b_2 are zero before training, so that it begins as the identity; adapters inside a network begin near
    it for the same reason (Houlsby et al. 2019, section 2.1).
    """

    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.up = nn.Linear(width, hidden)  # W_1
        self.out = nn.Linear(hidden, width)  # W_2
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, x: Float[Tensor, "batch width"]) -> Float[Tensor, "batch width"]:
        return x + self.out(F.gelu(self.up(x)))


class HybridEncoder(nn.Module):
    """A picture as a vector: a convolutional network's places, then a transformer over them."""

    def __init__(self, body: nn.Module, places: PlaceTransformer):
        super().__init__()
        self.body, self.places = body, places

    def forward(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width"]:
        return self.places(self.body(pixels).flatten(2).transpose(1, 2))


class SentenceEncoder(nn.Module):
    """A sentence as the mean of the vectors that a BERT gives its tokens."""

    def __init__(self, bert: BERT):
        super().__init__()
        self.bert = bert

    def forward(self, ids: Int[Tensor, "batch token"]) -> Float[Tensor, "batch width"]:
        padding = ids == PADDING
        x = self.bert(ids, padding=padding if bool(padding.any()) else None)
        real = (~padding)[..., None].float()
        return (x * real).sum(dim=1) / real.sum(dim=1)


class AdaptedSentenceEncoder(SentenceEncoder):
    """A sentence as the mean of the vectors of its tokens, made length 1, then through an adapter."""

    def __init__(self, bert: BERT, adapter: TextAdapter):
        super().__init__(bert)
        self.adapter = adapter

    def forward(self, ids: Int[Tensor, "batch token"]) -> Float[Tensor, "batch width"]:
        return self.adapter(F.normalize(super().forward(ids), dim=-1))
