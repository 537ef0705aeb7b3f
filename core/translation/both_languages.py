"""A sentence and its translation in one input of a BERT: what each side takes of the other, as alignment maps.

Rows and columns are those of `core.translation.given_words`, so that links are taken and compared in the same way.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from tokenizers import Tokenizer
from torch import Tensor

from ..capture import record_attention
from ..models.bert import PretrainingBERT
from .given_words import Pieces


def in_one_row(tokenizer: Tokenizer, source: Pieces, target: Pieces) -> tuple[list[int], list[int]]:
    """[CLS] source [SEP] target [SEP] as token numbers, and the segment of each of them."""
    begin, separator = (tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]"))
    if begin is None or separator is None:
        raise ValueError("This tokenizer has no [CLS] and [SEP], which stand around the sentences of a BERT.")
    # The last of the pieces is the end mark of a translator, in whose place a BERT has its separator.
    row = [begin, *source.ids[:-1], separator, *target.ids[:-1], separator]
    return row, [0] * (len(source.ids) + 1) + [1] * len(target.ids)


@torch.no_grad()
def read_both(
    network: PretrainingBERT, tokenizer: Tokenizer, pairs: Sequence[tuple[Pieces, Pieces]]
) -> list[Float[Tensor, "layer head target source"]]:
    """For each pair what the target's tokens take of the source's, separators included, in every layer and head."""
    maps = []
    for source, target in pairs:
        row, segments = in_one_row(tokenizer, source, target)
        with record_attention(network) as record:
            network.bert(_one(row), _one(segments))
        first, second = 1 + len(source.ids), 1 + len(source.ids) + len(target.ids)
        layers = [torch.cat(list(call.weights_by_heads())) for call in record.calls]
        maps.append(torch.stack(layers)[:, :, first:second, 1:first])
    return maps


def _one(numbers: Sequence[int]) -> Int[Tensor, "1 token"]:
    return torch.tensor([numbers])
