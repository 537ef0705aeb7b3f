"""Small vocabularies with one token for each word: their tokenizers, and texts as padded rows of numbers."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Int
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import Tensor

PAD, BEGIN, END, UNKNOWN = SPECIAL = ("[PAD]", "[BEGIN]", "[END]", "[UNK]")  # numbers 0 to 3


def words_tokenizer(words: Sequence[str]) -> Tokenizer:
    """A tokenizer with one token for each word."""
    numbers = {word: number for number, word in enumerate((*SPECIAL, *words))}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token=UNKNOWN))
    tokenizer.add_special_tokens(list(SPECIAL))  # so that they are not read out
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN} $A {END}", special_tokens=[(BEGIN, 1), (END, 2)]
    )
    return tokenizer


def ids_of(tokenizer: Tokenizer, texts: Sequence[str], context: int) -> Int[Tensor, "batch token"]:
    """Token ids of texts, padded to the longest; longer than `context` truncated before the end token."""
    tokenizer.enable_truncation(context)
    tokenizer.enable_padding(pad_id=0, pad_token=PAD)
    return torch.tensor([encoding.ids for encoding in tokenizer.encode_batch(list(texts))])


def filled(tokenizer: Tokenizer, texts: list[str], context: int) -> Int[Tensor, "batch token"]:
    """Token ids of texts, padded to `context`; longer ones truncated."""
    ids = ids_of(tokenizer, texts, context)
    return F.pad(ids, (0, context - ids.shape[1]))
