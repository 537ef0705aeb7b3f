"""Masked language models (BERT): mask tokens and predict them, and predict whether one sentence follows another."""

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
from .text_models import A_WORD, LanguageModel, TextRun, batch_of, logits_of

MASKS = ("[MASK]", "<mask>", "<|mask|>")  # what tokenizers call the token that hides another


@dataclass(frozen=True, eq=False)
class MaskedLanguageModel(LanguageModel):
    """Encoder with a masked-language head (BERT): the logits at a position are those of the token at that position.

    `next_sentence` is the head of next sentence prediction, where it has one: from vectors (batch, token, width) to two
    logits, first that of "it follows".
    """

    question = "What would it write in the last place?"
    next_sentence: nn.Module | None = None

    @cached_property
    def mask(self) -> int:
        """The number of the mask token; ModelError where there is none."""
        numbers = [number for name in MASKS if (number := self.tokenizer.token_to_id(name)) is not None]
        if not numbers:
            raise ModelError(
                f"The tokenizer of {self.title} has no token that hides another ({' or '.join(MASKS[:2])}), so no word "
                "can be hidden from it. Choose another masked language model."
            )
        return numbers[0]

    @cached_property
    def has_segments(self) -> bool:
        """Whether it has embeddings of the first and the second sentence (RoBERTa has not)."""
        if isinstance(self.network, PretrainingBERT):
            return self.network.config.segments > 1
        has_argument = "token_type_ids" in inspect.signature(self.network.forward).parameters
        segments = getattr(self.network.config, "type_vocab_size", None) or 1
        return has_argument and segments > 1 and 1 in self.tokenizer.encode(A_WORD, A_WORD).type_ids

    def encode_pair(self, first: str, second: str) -> Tokens:
        """The tokens of two texts from `read_text` in one input; InputError where they do not fit."""
        with self._foreign_errors("read these sentences"):
            return encode_pair(self.tokenizer, first, second, context=self.context)

    def mask_places(self, tokens: Tokens, places: Iterable[int]) -> Tokens:
        """The same tokens with the mask at `places`."""
        ids, labels, label = list(tokens.ids), list(tokens.labels), self.label(self.mask)
        for place in places:
            ids[place] = self.mask
            labels[place] = f" {label}" if labels[place].startswith(" ") else label
        return replace(tokens, ids=tuple(ids), labels=tuple(labels))

    def logits_at(
        self,
        ids: Int[Tensor, "batch token"],
        where: Bool[Tensor, "batch token"],
        segments: Int[Tensor, "batch token"] | None = None,
    ) -> Float[Tensor, "place vocabulary"]:
        """The logits at the places where `where` is True, one text after the other; all texts have the same length."""
        with self._foreign_errors("run on this text"):
            if isinstance(self.network, PretrainingBERT):
                return self.network.words(self.network.bert(ids, segments)[where])
            return self._network_on(ids, segments)[where].float()

    def logits_for(self, texts: Int[Tensor, "batch token"], place: int) -> Float[Tensor, "batch vocabulary"]:
        """The logits in a place of several texts, in which the caller has masked it."""
        is_place = torch.zeros_like(texts, dtype=torch.bool)
        is_place[:, place] = True
        return self.logits_at(texts, is_place)

    def prediction_place(self, tokens: Tokens) -> int:
        """The first masked token; the last position where there is none."""
        return tokens.ids.index(self.mask) if self.mask in tokens.ids else -1

    def targets(self, tokens: Tokens, logits: Float[Tensor, "token class"]) -> tuple[Tensor, Tensor]:
        """The model's own first answer for each token that is not special."""
        is_special = torch.tensor(tokens.special)
        rows = torch.arange(len(logits))[~is_special] if not is_special.all() else torch.arange(len(logits))
        return rows, logits[rows].argmax(dim=-1)

    def with_network(self, network: nn.Module, *, name: str, title: str) -> "MaskedLanguageModel":
        """Another network with this tokenizer. The head for the next sentence belongs to the first and is not kept."""
        return replace(self, name=name, title=title, network=network, next_sentence=None)

    def follows(self, tokens: Tokens) -> float:
        """The probability that the second of two sentences follows the first; ModelError without such a head."""
        if self.next_sentence is None:
            raise ModelError(
                f"{self.title} was not trained to say whether one sentence follows another, or came without that "
                "head. Choose a BERT that has it, such as google-bert/bert-base-uncased."
            )
        ids, segments = batch_of(tokens), self._segments(tokens)
        network: Any = self.network
        with self._foreign_errors("compare these sentences"):
            if isinstance(network, PretrainingBERT):
                vectors = network.bert(ids, segments)
            else:
                arguments = {} if segments is None else {"token_type_ids": segments}
                vectors = network.base_model(ids, **arguments)[0]
            return float(self.next_sentence(vectors)[0].softmax(dim=-1)[0])

    def _run(self, tokens: Tokens) -> TextRun:
        """Logits (token, vocabulary)."""
        return TextRun(self._network_on(batch_of(tokens), self._segments(tokens))[0], {"text": tokens})

    def _segments(self, tokens: Tokens) -> Int[Tensor, "batch token"] | None:
        return torch.tensor([tokens.segments]) if tokens.segments and self.has_segments else None

    def _network_on(
        self, ids: Int[Tensor, "batch token"], segments: Int[Tensor, "batch token"] | None
    ) -> Float[Tensor, "batch token vocabulary"]:
        name = "segments" if isinstance(self.network, PretrainingBERT) else "token_type_ids"
        return logits_of(self.network(ids, **({} if segments is None else {name: segments})))
