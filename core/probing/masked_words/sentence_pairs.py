"""Two sentences in one input: how much of each head's attention crosses from one to the other."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from ...capture import AttentionCall, Record
from ...heads.measures import shares
from ...text import Tokens


@dataclass(frozen=True, eq=False)
class Crossing:
    """Mean attention of each head from the words of two sentences to the other sentence and to special tokens.

    Each row of weights is divided by its sum, so values are from 0 to 1; NaN where all rows of a head sum to 0.

    `other`: attention to words of the other sentence; `separators`: to the special tokens after the first one; `first`:
    to the first token. `even`: the value of `other` for uniform attention.
    """

    other: Float[Tensor, "layer head"]
    separators: Float[Tensor, "layer head"]
    first: Float[Tensor, "layer head"]
    even: float


def crossing(record: Record, tokens: Tokens) -> Crossing:
    """Measure all heads of a run over tokens of `MaskedLanguageModel.encode_pair`; ValueError for one text alone."""
    if set(tokens.segments) != {0, 1}:
        raise ValueError("Attention can cross from one sentence to another only where there are two.")
    calls = [call for call in record.calls if (call.query_length, call.key_length) == (len(tokens), len(tokens))]
    special, across = torch.tensor(tokens.special), links_across(tokens)
    rows, first = ~special, torch.zeros_like(special)
    first[0] = special[0]
    most = max(call.heads for call in calls)
    means = torch.full((3, len(calls), most), torch.nan)
    for layer, call in enumerate(calls):
        weights = _weights(call)[:, rows]
        means[0, layer, : call.heads] = (weights * across[rows]).sum(dim=-1).nanmean(dim=-1)
        means[1, layer, : call.heads] = weights[..., special & ~first].sum(dim=-1).nanmean(dim=-1)
        means[2, layer, : call.heads] = weights[..., first].sum(dim=-1).nanmean(dim=-1)
    other, separators, first_token = means
    return Crossing(other, separators, first_token, even=float(across[rows].float().sum(dim=-1).mean()) / len(tokens))


def links_across(tokens: Tokens) -> Bool[Tensor, "query key"]:
    """True where query and key are words of different sentences."""
    segments, special = torch.tensor(tokens.segments), torch.tensor(tokens.special)
    return (segments[:, None] != segments) & ~special[:, None] & ~special


def _weights(call: AttentionCall) -> Float[Tensor, "head query key"]:
    return shares(torch.cat(list(call.weights_by_heads())))


def segment_vectors(network: nn.Module) -> Float[Tensor, "place width"] | None:
    """The table of segment embeddings, a row for each sentence; None where the network has none.

    It is recognised by the names that this project and transformers give it.
    """
    for path, module in network.named_modules():
        name = path.rpartition(".")[2]
        if isinstance(module, nn.Embedding) and name in ("segment_embedding", "token_type_embeddings"):
            return module.weight.detach().float()
    return None
