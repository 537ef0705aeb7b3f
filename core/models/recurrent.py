"""Shared parts of the two recurrent translation models: lengths, reversal, the readout."""

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn

# What a decoder passes from one step to the next; the first axis of each tensor is the batch.
State = dict[str, Tensor]


class Readout(nn.Module):
    """Logits from the decoder's vectors: maxout of pairs (Goodfellow et al. 2013), then the tied embeddings."""

    def __init__(self, width_in: int, embedding: nn.Embedding):
        super().__init__()
        self.pairs = nn.Linear(width_in, 2 * embedding.embedding_dim)
        self.head = nn.Linear(embedding.embedding_dim, embedding.num_embeddings, bias=False)
        self.head.weight = embedding.weight
        nn.init.normal_(embedding.weight, std=embedding.embedding_dim**-0.5)

    def forward(self, x: Float[Tensor, "*leading width_in"]) -> Float[Tensor, "*leading vocabulary"]:
        return self.head(self.pairs(x).unflatten(-1, (-1, 2)).amax(dim=-1))


def lengths_of(
    source: Shaped[Tensor, "batch source *leading"], padding: Bool[Tensor, "batch source"] | None
) -> Int[Tensor, " batch"]:
    """The number of real tokens of each source; padding is at the end."""
    if padding is None:
        return torch.full((source.shape[0],), source.shape[1], device=source.device)
    return (~padding).sum(dim=1)


def reverse(
    x: Shaped[Tensor, "batch source *leading"], lengths: Int[Tensor, " batch"]
) -> Shaped[Tensor, "batch source *leading"]:
    """Each sequence (axis 1) from its last real token to its first; its padding stays at the end."""
    place = torch.arange(x.shape[1], device=x.device).expand(x.shape[0], -1)
    mirrored = lengths[:, None] - 1 - place
    place = torch.where(mirrored >= 0, mirrored, place)
    return x[torch.arange(x.shape[0], device=x.device)[:, None], place]
