"""Captions by a transformer's decoder that attends to places of a picture (Vaswani et al. 2017, section 3.1).

The decoder is that of translation, with the places of a picture instead of an encoder's words.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from .recurrent import State
from .transformer import Decoder, Embedding, TransformerConfig


@dataclass(frozen=True)
class CaptionTransformerConfig:
    """The sizes of the decoder; `place_width`: channels of a place of the picture, `places`: their number."""

    vocabulary: int
    place_width: int = 128
    places: int = 64
    width: int = 192
    layers: int = 3
    heads: int = 4
    dropout: float = 0.2


class CaptionTransformer(nn.Module):
    """Places of a picture and the words so far in, logits for the next word out."""

    def __init__(self, config: CaptionTransformerConfig):
        super().__init__()
        self.config = config
        sizes = TransformerConfig(
            config.vocabulary,
            config.vocabulary,
            width=config.width,
            layers=config.layers,
            heads=config.heads,
            hidden=4 * config.width,
            norm="pre",
            dropout=config.dropout,
        )
        self.seeing = nn.Linear(config.place_width, config.width)
        self.positions = nn.Embedding(config.places, config.width)
        self.seen_norm = nn.LayerNorm(config.width)
        self.embedding = Embedding(config.vocabulary, config.width, config.dropout)
        self.decoder = Decoder(sizes)
        self.out = nn.Linear(config.width, config.vocabulary, bias=False)
        nn.init.normal_(self.embedding.tokens.weight, std=config.width**-0.5)
        self.out.weight = self.embedding.tokens.weight

    def forward(
        self,
        places: Float[Tensor, "batch patch width_in"],
        words: Int[Tensor, "batch target"],
        place_numbers: Int[Tensor, " patch"] | None = None,
    ) -> Float[Tensor, "batch target vocabulary"]:
        """The logits of the word after each; `place_numbers`: those of `places`, when training leaves out others."""
        return self.out(self.decoder(self.embedding(words), self._embed_places(places, place_numbers), None))

    def read(self, places: Float[Tensor, "batch patch width_in"]) -> State:
        """The state before the first word: the decoder's keys and values of all places."""
        written = torch.zeros(len(places), 0, dtype=torch.long, device=places.device)
        return {"written": written} | self.decoder.begin(self._embed_places(places))

    def step(self, word: Int[Tensor, " batch"], state: State) -> tuple[Float[Tensor, "batch vocabulary"], State]:
        """The logits after one more word, and the state in which the next step begins."""
        before = state["written"]
        state = state | {"written": torch.cat([before, word[:, None]], dim=1)}
        x, state = self.decoder.step(self.embedding(word[:, None], first=before.shape[1]), state, None)
        return self.out(x[:, -1]), state

    def _embed_places(
        self, places: Float[Tensor, "batch patch width_in"], indices: Int[Tensor, " patch"] | None = None
    ) -> Float[Tensor, "batch patch width"]:
        positions = self.positions.weight[: places.shape[1]] if indices is None else self.positions(indices)
        return self.seen_norm(self.seeing(places) + positions)
