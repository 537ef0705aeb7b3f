"""Alignment maps of a BERT that reads a sentence and its translation as one input.

Rows and columns are those of `core.translation.given_words`, so links are extracted and compared in the same way.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from tokenizers import Tokenizer
from torch import Tensor

from ..capture import record_attention
from ..models.bert import PretrainingBERT
from .given_words import Pieces


def pair_input(tokenizer: Tokenizer, source: Pieces, target: Pieces) -> tuple[list[int], list[int]]:
    """Token ids of [CLS] source [SEP] target [SEP], and their segments (0 and 1).

    Raises ValueError for a tokenizer without [CLS] and [SEP].
    """
    begin, separator = (tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]"))
    if begin is None or separator is None:
        raise ValueError("This tokenizer has no [CLS] and [SEP], which stand around the sentences of a BERT.")
    # The last piece is the end mark of a translator, which BERT's separator replaces.
    token_ids = [begin, *source.ids[:-1], separator, *target.ids[:-1], separator]
    return token_ids, [0] * (len(source.ids) + 1) + [1] * len(target.ids)


@torch.no_grad()
def bert_alignment_maps(
    network: PretrainingBERT, tokenizer: Tokenizer, pairs: Sequence[tuple[Pieces, Pieces]]
) -> list[Float[Tensor, "layer head target source"]]:
    """For each pair the attention from target to source tokens, separators included, in every layer and head."""
    maps = []
    for source, target in pairs:
        token_ids, segments = pair_input(tokenizer, source, target)
        with record_attention(network) as record:
            network.bert(_batch_of_one(token_ids), _batch_of_one(segments))
        source_end, target_end = 1 + len(source.ids), 1 + len(source.ids) + len(target.ids)
        layers = [torch.cat(list(call.weights_by_heads())) for call in record.calls]
        maps.append(torch.stack(layers)[:, :, source_end:target_end, 1:source_end])
    return maps


def _batch_of_one(numbers: Sequence[int]) -> Int[Tensor, "1 token"]:
    return torch.tensor([numbers])
