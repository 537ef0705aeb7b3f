"""Masked language models (BERT): hide tokens, ask what should stand there, and whether one sentence follows another."""

import inspect
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ..errors import ModelError
from ..models.bert import PretrainingBERT
from ..text import Tokens, encode_pair
from .text_models import A_WORD, NextToken, TextRun, batch_of, logits_of

MASKS = ("[MASK]", "<mask>", "<|mask|>")  # what tokenizers call the token that hides another


@dataclass(frozen=True, eq=False)
class MissingToken(NextToken):
    """Encoder with a masked-language head (BERT): the logits at a position say what should stand there.

    `next_sentence` is its second head, if it was trained to say whether one sentence follows another: from vectors
    (batch, token, width) to two logits, first that of "it follows".
    """

    next_sentence: nn.Module | None = None

    @cached_property
    def mask(self) -> int:
        """The number of the token that hides another; ModelError where there is none."""
        numbers = [self.tokenizer.token_to_id(name) for name in MASKS]
        known = [number for number in numbers if number is not None]
        if not known:
            raise ModelError(
                f"The tokenizer of {self.title} has no token that hides another ({' or '.join(MASKS[:2])}), so no word "
                "can be hidden from it. Choose another masked language model."
            )
        return known[0]

    @cached_property
    def tells_segments(self) -> bool:
        """Whether it is told, by vectors that are added, which of two sentences a token belongs to (RoBERTa is not)."""
        if isinstance(self.network, PretrainingBERT):
            return self.network.config.segments > 1
        takes = "token_type_ids" in inspect.signature(self.network.forward).parameters
        kinds = getattr(self.network.config, "type_vocab_size", None) or 1
        return takes and kinds > 1 and 1 in self.tokenizer.encode(A_WORD, A_WORD).type_ids

    def encode_pair(self, first: str, second: str) -> Tokens:
        """The tokens of two texts from `read_text` in one input; InputError where they do not fit."""
        with self._failing("read these sentences"):
            return encode_pair(self.tokenizer, first, second, context=self.context)

    def hide(self, tokens: Tokens, places: Iterable[int]) -> Tokens:
        """The same with the mask in these places."""
        ids, labels, label = list(tokens.ids), list(tokens.labels), self.label(self.mask)
        for place in places:
            ids[place] = self.mask
            labels[place] = f" {label}" if labels[place].startswith(" ") else label
        return replace(tokens, ids=tuple(ids), labels=tuple(labels))

    def ask(
        self,
        ids: Int[Tensor, "batch token"],
        asked: Bool[Tensor, "batch token"],
        segments: Int[Tensor, "batch token"] | None = None,
    ) -> Float[Tensor, "place vocabulary"]:
        """The logits at the places that are asked about, one text after the other; all texts have one length."""
        with self._failing("run on this text"):
            if isinstance(self.network, PretrainingBERT):
                return self.network.words(self.network.bert(ids, segments)[asked])
            return self._network_on(ids, segments)[asked].float()

    def follows(self, tokens: Tokens) -> float:
        """How probable it says it is that the second of two sentences follows the first; ModelError if it cannot."""
        if self.next_sentence is None:
            raise ModelError(
                f"{self.title} was not trained to say whether one sentence follows another, or came without that "
                "head. Choose a BERT that has it, such as google-bert/bert-base-uncased."
            )
        ids, segments = batch_of(tokens), self._segments(tokens)
        network: Any = self.network
        with self._failing("compare these sentences"):
            if isinstance(network, PretrainingBERT):
                vectors = network.bert(ids, segments)
            else:
                told = {} if segments is None else {"token_type_ids": segments}
                vectors = network.base_model(ids, **told)[0]
            return float(self.next_sentence(vectors)[0].softmax(dim=-1)[0])

    def _run(self, tokens: Tokens) -> TextRun:
        """Logits (token, vocabulary)."""
        return TextRun(self._network_on(batch_of(tokens), self._segments(tokens))[0], {"text": tokens})

    def _segments(self, tokens: Tokens) -> Int[Tensor, "batch token"] | None:
        return torch.tensor([tokens.segments]) if tokens.segments and self.tells_segments else None

    def _network_on(
        self, ids: Int[Tensor, "batch token"], segments: Int[Tensor, "batch token"] | None
    ) -> Float[Tensor, "batch token vocabulary"]:
        name = "segments" if isinstance(self.network, PretrainingBERT) else "token_type_ids"
        return logits_of(self.network(ids, **({} if segments is None else {name: segments})))
