"""A made-up run: attention whose patterns are chosen, so that what is said of them can be checked."""

import torch
import torch.nn.functional as F

from core.capture import AttentionCall, Record, edit_attention, record_attention
from core.text import Tokens
from core.zoo.text_models import CausalLanguageModel, TextRun
from dashboard.recordings.watched import WatchedText
from tests.core.saved_models import byte_level_tokenizer


def record_of(*patterns: torch.Tensor, silenced: tuple[tuple[int, int], ...] = ()) -> Record:
    """A record with one call for each (head, query, key) array of weights; `silenced` are (call, head).

    Where a weight is negative a mask forbids to look, as the kernel is told.
    """
    model = Patterns(patterns)
    edits = {(f"layers.{layer}", head): "silence" for layer, head in silenced}
    with edit_attention(model, edits), record_attention(model) as record:
        model()
    return record


def calls_of(*patterns: torch.Tensor, silenced: tuple[tuple[int, int], ...] = ()) -> dict[int, AttentionCall]:
    """The same calls by their numbers."""
    return dict(enumerate(record_of(*patterns, silenced=silenced).calls))


def watched_text(text: Tokens, *patterns: torch.Tensor) -> WatchedText:
    """A made-up run on a text: each pattern is a layer of heads, (head, query, key)."""
    model = CausalLanguageModel("made up", "made up", torch.nn.Identity(), byte_level_tokenizer(), 32)
    return WatchedText(model, text, TextRun(None, {"text": text}), record_of(*patterns), identity=object())


def causal(pattern: torch.Tensor) -> torch.Tensor:
    """The same weights under a causal mask: each row sums to 1 again, and later keys are forbidden."""
    visible = pattern.tril()
    hidden = torch.ones_like(pattern).triu(1)
    return visible / visible.sum(dim=-1, keepdim=True) - hidden


def attend(x: torch.Tensor, pattern: torch.Tensor) -> torch.Tensor:
    """Call the fused kernel so that its weights are the pattern: its logarithm as queries, the identity as keys.

    Both are projected from one sequence (batch, token, width), the identity.
    """
    scores = pattern.clamp_min(1e-30).log()
    queries = torch.stack([F.linear(x, head.T) for head in scores], dim=1)
    keys = F.linear(x, torch.eye(pattern.shape[-1]))[:, None].expand(-1, len(pattern), -1, -1)
    mask = (pattern >= 0)[None]
    mask = None if mask.all() else mask
    return F.scaled_dot_product_attention(queries, keys, keys, mask, scale=1.0)


class Patterns(torch.nn.Module):
    def __init__(self, patterns: tuple[torch.Tensor, ...]):
        super().__init__()
        self.layers = torch.nn.ModuleList(_Layer(pattern) for pattern in patterns)

    def forward(self) -> None:
        for layer in self.layers:
            layer(torch.eye(layer.pattern.shape[-1])[None])


class _Layer(torch.nn.Module):
    def __init__(self, pattern: torch.Tensor):
        super().__init__()
        self.pattern = pattern

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return attend(x, self.pattern)


def tokens_of(text: str) -> Tokens:
    """One token a word."""
    words = text.split()
    return Tokens(tuple(range(len(words))), tuple(words), (False,) * len(words), tuple(range(len(words))))
