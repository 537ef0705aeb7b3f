"""The loss of a language model with another attention in its layers, without any training.

surprises(model, tokens)                                  # nats for each token but the first
surprises(model, tokens, BigBird(), paths=("blocks.0.attention",))
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from ..capture import Replace, edit_attention
from ..errors import InputError, ModelError
from ..progress import Progress
from ..text import Tokens
from ..zoo import TextModel
from . import Variant

ROWS = 2048  # rows of logits that are normalised at once


def check(model: TextModel, tokens: Tokens) -> None:
    """Raise ModelError for a model that does not predict the next token, InputError for a text of one token."""
    if not model.is_causal:
        raise ModelError(
            f"{model.title} does not predict the next token, so that it has no loss on a text. Choose a GPT, such as "
            "gpt-books."
        )
    if len(tokens) < 2:
        raise InputError(
            f"A loss needs at least 2 tokens, one to read and one to expect; this text has {len(tokens)}. Write a few "
            "words more."
        )


@torch.inference_mode()
def surprises(
    model: TextModel,
    tokens: Tokens,
    variant: Variant | None = None,
    *,
    paths: Sequence[str] = (),
    progress: Progress | None = None,
) -> Float[Tensor, " token"]:
    """-log p of each token after the first, in nats, with `variant` in place of the attention at `paths`.

    `progress` is called after each layer that was replaced, and may stop the work by an exception.
    """
    check(model, tokens)
    if variant is not None and (variant.looks_ahead or not variant.causal):
        raise InputError(
            f"{type(variant).__name__} lets later tokens have a say: a model that predicts them cannot be measured "
            "with it. Choose another method."
        )
    editing: AbstractContextManager[None] = nullcontext()
    if variant is not None:
        edit = Replace(_product_with_progress(variant, len(paths), progress), causal=True, weights=variant.weights)
        editing = edit_attention(model.network, dict.fromkeys(paths, edit))
    with editing:
        logits = model.run(tokens).logits
    assert logits is not None
    targets = torch.tensor(tokens.ids[1:])
    rows = zip(logits[:-1].split(ROWS), targets.split(ROWS), strict=True)
    return torch.cat([F.cross_entropy(chunk.float(), answers, reduction="none") for chunk, answers in rows])


def _product_with_progress(
    variant: Variant, layers: int, progress: Progress | None
) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """The output of a variant in float32, as a product for `Replace`; calls `progress` after each layer."""
    done = 0

    def product(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        nonlocal done
        mixed = variant.output(query.float(), key.float(), value.float())
        done += 1
        if progress:
            progress(done, layers)
        return mixed

    return product
