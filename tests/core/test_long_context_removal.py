"""What is removed from a long text is removed as an explicit mask would remove it."""

import math

import pytest
import torch

from core.capture import edit_attention
from core.errors import CaptureError
from core.long_context.removal import RemovedFar, RemovedLink, RemovedTokens, losses_without
from tests.core.tiny_long_models import cut, family

COUNT = 120


def bits(model, tokens, allowed=None, only=None) -> torch.Tensor:
    """The loss in bits with the weights of the heads (or of `only` one) renormalised over allowed links."""

    def masked(weights: torch.Tensor) -> torch.Tensor:
        kept = weights * allowed
        return kept / kept.sum(-1, keepdim=True)

    edits = {} if allowed is None else {("*", None) if only is None else only: masked}
    with torch.inference_mode(), edit_attention(model.network, edits):
        logits = model.run(tokens).logits
    return torch.nn.functional.cross_entropy(logits[:-1], torch.tensor(tokens.ids[1:]), reduction="none") / math.log(2)


@pytest.mark.parametrize("name", ["rotary", "llama"])
@pytest.mark.parametrize("removed", [(0, 10), (30, 47), (100, 120)])
def test_later_tokens_do_not_see_removed_ones(name, removed):
    model = family(name)
    tokens = cut(model, COUNT)
    row, column = torch.arange(COUNT)[:, None], torch.arange(COUNT)
    allowed = ~((row >= removed[1]) & (column >= removed[0]) & (column < removed[1]))
    losses = losses_without(model, tokens, RemovedTokens(*removed))
    torch.testing.assert_close(losses, bits(model, tokens, allowed.float()), atol=2e-3, rtol=2e-3)


@pytest.mark.parametrize("distance", [0, 5, 1000])
def test_far_tokens_are_not_seen(distance):
    model = family("rotary")
    tokens = cut(model, COUNT)
    row, column = torch.arange(COUNT)[:, None], torch.arange(COUNT)
    losses = losses_without(model, tokens, RemovedFar(distance))
    expected = bits(model, tokens, (row - column <= distance).float())
    torch.testing.assert_close(losses, expected, atol=2e-3, rtol=2e-3)


@pytest.mark.parametrize("name", ["rotary", "llama"])
def test_one_link_is_removed_from_one_head(name):
    model = family(name)
    tokens = cut(model, COUNT)
    allowed = torch.ones(COUNT, COUNT)
    allowed[80, 12] = 0
    path = "blocks.1.attention" if name == "rotary" else "model.layers.1.self_attn"
    losses = losses_without(model, tokens, RemovedLink(1, 2, 80, 12))
    torch.testing.assert_close(losses, bits(model, tokens, allowed, (path, 2)), atol=2e-3, rtol=2e-3)
    unchanged = losses_without(model, tokens, None)
    torch.testing.assert_close(unchanged, bits(model, tokens), atol=2e-3, rtol=2e-3)
    torch.testing.assert_close(losses[:80], unchanged[:80])  # nothing before the query changes


@pytest.mark.parametrize(
    "removal",
    [
        *(RemovedLink(2, 0, 5, 1), RemovedLink(0, 4, 5, 1), RemovedLink(0, 0, 5, 6), RemovedLink(0, 0, 0, 0)),
        *(RemovedTokens(5, 5), RemovedTokens(0, COUNT), RemovedTokens(5, COUNT + 1), RemovedFar(-1)),
    ],
)
def test_what_is_not_there_cannot_be_removed(removal):
    model = family("rotary")
    with pytest.raises(CaptureError):
        losses_without(model, cut(model, COUNT), removal)


def test_an_encoder_has_nothing_that_follows():
    model = family("bert")
    with pytest.raises(CaptureError, match="left to right"):
        losses_without(model, cut(model, COUNT), None)
