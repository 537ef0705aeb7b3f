"""The three translation models in a size that runs in milliseconds: random weights, always the same ones."""

import torch
from torch import Tensor, nn

from core.models.bahdanau import Bahdanau, BahdanauConfig
from core.models.seq2seq import Seq2Seq, Seq2SeqConfig
from core.models.transformer import Transformer, TransformerConfig
from core.translation.decoding import BEGIN, END

VOCABULARY = 12
KINDS = ("seq2seq", "bahdanau", "transformer")


def tiny(kind: str, *, vocabulary: int = VOCABULARY, seed: int = 0, spread: float = 0.5, **changes) -> nn.Module:
    """A model whose weights are large enough that it prefers some tokens to others."""
    torch.manual_seed(seed)
    recurrent = {"vocabulary": vocabulary, "width": 10, "state": 14}
    made: nn.Module
    if kind == "seq2seq":
        made = Seq2Seq(Seq2SeqConfig(**recurrent))
    elif kind == "bahdanau":
        made = Bahdanau(BahdanauConfig(**recurrent, encoder=9, attention=11, **changes))
    else:
        sizes = {"width": 16, "layers": 2, "heads": 4, "hidden": 24, **changes}
        made = Transformer(TransformerConfig(source_vocabulary=vocabulary, target_vocabulary=vocabulary, **sizes))
    for parameter in made.parameters():
        nn.init.normal_(parameter, std=spread)
    return made.eval().requires_grad_(False)


def sentence(*, length: int = 6, vocabulary: int = VOCABULARY, seed: int = 1) -> Tensor:
    """(1, length) ordinary tokens, the end mark last."""
    words = torch.randint(4, vocabulary, (1, length - 1), generator=torch.Generator().manual_seed(seed))
    return torch.cat([words, torch.tensor([[END]])], dim=1)


def reads(target: Tensor) -> Tensor:
    """What the decoder has read before it writes each token of `target`: (1, target)."""
    return torch.cat([torch.tensor([[BEGIN]]), target[:, :-1]], dim=1)
