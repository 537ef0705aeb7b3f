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
    """Where the words of two sentences look, in each head, on average over all that have attention.

    Shares of a row's own sum, from 0 to 1; NaN where no row of a head has any.

    `other`: at words of the other sentence; `separators`: at the special tokens after the first one; `first`: at the
    first token. `even` is what `other` would be of a head that looks at all tokens alike.
    """

    other: Float[Tensor, "layer head"]
    separators: Float[Tensor, "layer head"]
    first: Float[Tensor, "layer head"]
    even: float


def crossing(record: Record, tokens: Tokens) -> Crossing:
    """Measure all heads of a run over the tokens of `MissingToken.encode_pair`; ValueError for one text alone."""
    if set(tokens.segments) != {0, 1}:
        raise ValueError("Attention can cross from one sentence to another only where there are two.")
    calls = [call for call in record.calls if (call.query_length, call.key_length) == (len(tokens), len(tokens))]
    special, across = torch.tensor(tokens.special), links_across(tokens)
    rows, first = ~special, torch.zeros_like(special)
    first[0] = special[0]
    most = max(call.heads for call in calls)
    found = torch.full((3, len(calls), most), torch.nan)
    for layer, call in enumerate(calls):
        weights = _weights(call)[:, rows]
        found[0, layer, : call.heads] = (weights * across[rows]).sum(dim=-1).nanmean(dim=-1)
        found[1, layer, : call.heads] = weights[..., special & ~first].sum(dim=-1).nanmean(dim=-1)
        found[2, layer, : call.heads] = weights[..., first].sum(dim=-1).nanmean(dim=-1)
    across_it, others, first_one = found
    return Crossing(across_it, others, first_one, even=float(across[rows].float().sum(dim=-1).mean()) / len(tokens))


def links_across(tokens: Tokens) -> Bool[Tensor, "query key"]:
    """Which links lead from a word of one sentence to a word of the other."""
    segments, special = torch.tensor(tokens.segments), torch.tensor(tokens.special)
    return (segments[:, None] != segments) & ~special[:, None] & ~special


def _weights(call: AttentionCall) -> Float[Tensor, "head query key"]:
    return shares(torch.cat(list(call.weights_by_heads())))


def segment_vectors(network: nn.Module) -> Float[Tensor, "place width"] | None:
    """The vectors that are added to the tokens of each sentence, the first sentence's first; None where there are none.

    They are found by the names that the libraries give their table.
    """
    for path, module in network.named_modules():
        name = path.rpartition(".")[2]
        if isinstance(module, nn.Embedding) and name in ("segment_embedding", "token_type_embeddings"):
            return module.weight.detach().float()
    return None
