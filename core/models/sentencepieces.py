"""SentencePiece models (.spm, .model) read from their files, as tokenizers of the tokenizers library."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from ..errors import ModelError

LARGEST = 50_000_000  # bytes: those of models for two hundred languages have five million
LONGEST_PIECE = 1_000  # characters, SentencePiece's own limit is 16: a BPE piece is split at every position

# As sentencepiece_model.proto numbers them (Kudo and Richardson 2018).
NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = range(1, 7)
UNIGRAM, BPE = 1, 2


@dataclass(frozen=True)
class Piece:
    """A piece of a word ("▁" is the space before it), its log-probability or rank, and its type (NORMAL ... BYTE)."""

    text: str
    score: float
    type: int


@dataclass(frozen=True)
class SentencePieces:
    """A model of SentencePiece: its pieces, and the normalisation of a text."""

    pieces: tuple[Piece, ...]
    model: int  # UNIGRAM or BPE
    characters: bytes  # replacements of characters, compiled by SentencePiece; empty: none
    prefix: bool  # whether a space is added before the text, so that the first word is spelled like any other
    trim: bool  # whether spaces at the ends are removed, and several in a row become one

    def tokenizer(self, vocabulary: dict[str, int], unknown: str, special: Sequence[str]) -> Tokenizer:
        """A tokenizer that segments a text as SentencePiece does, with the token numbers of `vocabulary`.

        A piece that is not in `vocabulary` is not used: its text is segmented into shorter ones. `special`: the tokens
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
        # The other half of a shared vocabulary keeps its numbers, under names that match no text: spaces are replaced
        # before a text is segmented.
        entries = [(f" {number}", lowest) for number in range(size)]
        for text, number in vocabulary.items():
            if text in scores:
                entries[number] = text, scores[text]
        return models.Unigram(
            entries, vocabulary[unknown], byte_fallback=any(piece.type == BYTE for piece in self.pieces)
        )

    def _bpe(self, vocabulary: dict[str, int], unknown: str) -> models.BPE:
        scores = {text: score for text, score in self._usable().items() if text in vocabulary}
        splits = [
            (-score, len(text), text[:cut], text[cut:])
            for text, score in scores.items()
            for cut in range(1, len(text))
            if text[:cut] in scores and text[cut:] in scores
        ]
        merges = [(left, right) for _, _, left, right in sorted(splits)]
        return models.BPE(vocabulary, merges, unk_token=unknown, fuse_unk=True)


def read_sentencepieces(path: Path) -> SentencePieces:
    """Read a file; ModelError if it is no SentencePiece model."""
    # The protocol buffer comes with transformers, which is slow to import.
    from transformers.utils import sentencepiece_model_pb2_new as protocol

    proto: Any = protocol.ModelProto()  # type: ignore[attr-defined]  # its classes are made while it is imported
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError
        proto.ParseFromString(path.read_bytes())
        model = proto.trainer_spec.model_type
        if not proto.pieces or model not in (UNIGRAM, BPE):
            raise ValueError
        pieces = tuple(Piece(piece.piece, piece.score, piece.type) for piece in proto.pieces)
        if any(len(piece.text) > LONGEST_PIECE for piece in pieces):
            raise ValueError
    except (ValueError, DecodeError, OSError) as error:
        raise ModelError(f"{path.name} is not a SentencePiece model that can be read.") from error
    spec = proto.normalizer_spec
    return SentencePieces(
        pieces, model, spec.precompiled_charsmap, spec.add_dummy_prefix, spec.remove_extra_whitespaces
    )
