"""SentencePiece models (.spm, .model) as they lie on the disk, cut and numbered by the tokenizers library."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from ..errors import ModelError

LARGEST = 50_000_000  # bytes: those of models for two hundred languages have five million
LONGEST_PIECE = 1_000  # characters, SentencePiece's own limit is 16: each is cut at every place

# As sentencepiece_model.proto numbers them (Kudo and Richardson 2018).
NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = range(1, 7)
UNIGRAM, BPE = 1, 2


@dataclass(frozen=True)
class Piece:
    """A piece of a word ("▁" is the space before it), its log-probability or rank, and what it is for."""

    text: str
    score: float
    type: int


@dataclass(frozen=True)
class SentencePieces:
    """A model of SentencePiece: its pieces, and what is done to a text before it is cut into them."""

    pieces: tuple[Piece, ...]
    model: int  # UNIGRAM or BPE
    characters: bytes  # which characters become which, compiled by SentencePiece; empty: none
    prefix: bool  # a space before the text, so that the first word is spelled like any other
    trim: bool  # no spaces at the ends, and one between words

    def tokenizer(self, vocabulary: dict[str, int], unknown: str, special: Sequence[str]) -> Tokenizer:
        """A tokenizer that cuts a text as SentencePiece does, and numbers the pieces as `vocabulary` does.

        A piece that `vocabulary` lacks is not used: its text is spelled with shorter ones. `special` are the tokens
        of `vocabulary` that are no pieces of words.
        """
        model = self._bpe(vocabulary, unknown) if self.model == BPE else self._unigram(vocabulary, unknown, special)
        tokenizer = Tokenizer(model)
        steps: list[normalizers.Normalizer] = [normalizers.Precompiled(self.characters)] if self.characters else []
        if self.trim:
            steps += [normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
        tokenizer.normalizer = normalizers.Sequence(steps)
        scheme = "always" if self.prefix else "never"
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=False)
        tokenizer.decoder = decoders.Metaspace(prepend_scheme=scheme)
        return tokenizer

    def _usable(self) -> dict[str, float]:
        return {piece.text: piece.score for piece in self.pieces if piece.type in (NORMAL, USER, BYTE)}

    def _unigram(self, vocabulary: dict[str, int], unknown: str, special: Sequence[str]) -> models.Unigram:
        scores = self._usable()
        lowest = min(scores.values(), default=0.0)
        scores |= dict.fromkeys(special, lowest)
        size = 1 + max(vocabulary.values())
        # The other half of a shared vocabulary keeps its numbers, under names that no text can spell: no space is
        # left in a text when it is cut into pieces.
        spelled = [(f" {number}", lowest) for number in range(size)]
        for text, number in vocabulary.items():
            if text in scores:
                spelled[number] = text, scores[text]
        return models.Unigram(
            spelled, vocabulary[unknown], byte_fallback=any(piece.type == BYTE for piece in self.pieces)
        )

    def _bpe(self, vocabulary: dict[str, int], unknown: str) -> models.BPE:
        scores = {text: score for text, score in self._usable().items() if text in vocabulary}
        found = [
            (-score, len(text), text[:cut], text[cut:])
            for text, score in scores.items()
            for cut in range(1, len(text))
            if text[:cut] in scores and text[cut:] in scores
        ]
        merges = [(left, right) for _, _, left, right in sorted(found)]
        return models.BPE(vocabulary, merges, unk_token=unknown, fuse_unk=True)


def read_sentencepieces(path: Path) -> SentencePieces:
    """Read a file; ModelError if it is not what SentencePiece writes."""
    # The description of the file's format comes with transformers, which takes its time to import.
    from transformers.utils import sentencepiece_model_pb2_new as described

    found: Any = described.ModelProto()  # type: ignore[attr-defined]  # its classes are made while it is imported
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError
        found.ParseFromString(path.read_bytes())
        model = found.trainer_spec.model_type
        if not found.pieces or model not in (UNIGRAM, BPE):
            raise ValueError
        pieces = tuple(Piece(piece.piece, piece.score, piece.type) for piece in found.pieces)
        if any(len(piece.text) > LONGEST_PIECE for piece in pieces):
            raise ValueError
    except (ValueError, DecodeError, OSError) as error:
        raise ModelError(f"{path.name} is not a SentencePiece model that can be read.") from error
    spec = found.normalizer_spec
    return SentencePieces(
        pieces, model, spec.precompiled_charsmap, spec.add_dummy_prefix, spec.remove_extra_whitespaces
    )
