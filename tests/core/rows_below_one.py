"""Small models whose rows of attention do not sum to 1 (a mask after the softmax, a sink), and calls of any weights."""

import torch
from torch import Tensor, nn

from core.capture import AttentionCall, record_attention
from core.capture.written_weights import WrittenWeights

WIDTH, HEADS, LAYERS = 16, 2, 2
EMPTY = 3  # the row of which the mask leaves nothing


def call_of(kind: str, tokens: int = 8) -> AttentionCall:
    """The call of one layer of `RowsBelowOne` on one random input."""
    torch.manual_seed(0)
    model = RowsBelowOne(kind).eval()
    with torch.no_grad(), record_attention(model) as record:
        model(torch.randn(1, tokens, WIDTH))
    return record[0]


def call_with(weights: Tensor) -> AttentionCall:
    """A call of one input with these weights (head, query, key)."""
    return AttentionCall("made", "self", None, WrittenWeights(tuple(range(len(weights))), weights[None]))


def late_mask(tokens: int) -> Tensor:
    """Causal, without every third key before a token's own, and with nothing at all in row EMPTY."""
    places = torch.arange(tokens)
    mask = (places <= places[:, None]).float()
    mask[(places % 3 == 1) & (places < places[:, None])] = 0
    if tokens > EMPTY:
        mask[EMPTY] = 0
    return mask


class RowsBelowOne(nn.Module):
    """Attention masked after its softmax (`kind` "mask"), or with a learned sink that has no key ("sink")."""

    def __init__(self, kind: str):
        super().__init__()
        self.kind, self.sink = kind, nn.Parameter(torch.randn(HEADS))
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))

    def maps(self, x: Tensor) -> Tensor:
        """The weights that meet the values."""
        query, key = (self._split(part(x)) for part in (self.query, self.key))
        scores = query @ key.mT
        tokens = x.shape[1]
        if self.kind == "mask":
            return scores.softmax(-1).masked_fill(late_mask(tokens) == 0, 0.0)
        scores = scores.masked_fill(torch.ones(tokens, tokens).triu(1) == 1, -torch.inf)
        sink = self.sink[None, :, None, None].expand(len(x), HEADS, tokens, 1)
        return torch.cat([scores, sink], dim=-1).softmax(-1)[..., :-1]

    def forward(self, x: Tensor) -> Tensor:
        return (self.maps(x) @ self._split(self.value(x))).transpose(1, 2).flatten(2)

    def _split(self, part: Tensor) -> Tensor:
        return part.unflatten(-1, (HEADS, -1)).transpose(1, 2)


class Language(nn.Module):
    """A causal language model of such layers."""

    def __init__(self, kind: str, vocabulary: int):
        super().__init__()
        torch.manual_seed(0)
        self.embedding, self.head = nn.Embedding(vocabulary, WIDTH), nn.Linear(WIDTH, vocabulary)
        self.layers = nn.ModuleList(RowsBelowOne(kind) for _ in range(LAYERS))

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        for layer in self.layers:
            x = x + layer(x)
        return self.head(x)
