"""The tokenizers of Marian's translators: two SentencePiece models, for the source and the target."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, processors

from ..errors import ModelError
from .from_transformers import text_limit
from .sentencepieces import read_sentencepieces

END, UNKNOWN, PAD = "</s>", "<unk>", "<pad>"
LARGEST = 50_000_000  # bytes of a vocabulary
USUAL_LIMIT = 512  # tokens, where the settings name no other


@dataclass(frozen=True)
class MarianTokenizers:
    """`source` encodes the texts that the network reads; `target` decodes the tokens that it generates."""

    source: Tokenizer
    target: Tokenizer
    limit: int  # the longest text that they are meant for, in tokens


def has_marian_tokenizers(folder: Path) -> bool:
    """Whether the folder holds the files of a Marian model."""
    return (folder / "source.spm").is_file() and (folder / "vocab.json").is_file()


def load_marian_tokenizers(folder: Path) -> MarianTokenizers:
    """Build both from source.spm and vocab.json; the transformers library has only slow ones for them."""
    settings = _read(folder / "tokenizer_config.json") if (folder / "tokenizer_config.json").is_file() else {}
    vocabulary = _vocabulary(folder / "vocab.json")
    target_vocabulary = _vocabulary(folder / "target_vocab.json") if settings.get("separate_vocabs") else vocabulary
    # Models with several target languages have that language as the first token of the source, such as ">>fra<<".
    codes = [text for text in vocabulary if text.startswith(">>") and text.endswith("<<")]
    special = [END, UNKNOWN, PAD, *codes]
    source = read_sentencepieces(folder / "source.spm").tokenizer(vocabulary, UNKNOWN, special)
    source.add_special_tokens(special)
    source.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, source.token_to_id(END))]
    )
    # A network may generate any token of its vocabulary, those of the source language too.
    target = Tokenizer(models.WordLevel(target_vocabulary, UNKNOWN))
    target.decoder = decoders.Metaspace()
    target.add_special_tokens([token for token in special if token in target_vocabulary])
    return MarianTokenizers(source, target, text_limit(settings.get("model_max_length"), default=USUAL_LIMIT))


def _vocabulary(path: Path) -> dict[str, int]:
    vocabulary = _read(path)
    numbers = list(vocabulary.values())
    if not all(type(number) is int for number in numbers):
        raise ModelError(f"{path.name} does not number its tokens.")
    if sorted(numbers) != list(range(len(vocabulary))) or not {END, UNKNOWN, PAD} <= set(vocabulary):
        raise ModelError(f"{path.name} does not number its tokens from 0 on, or lacks {END}, {UNKNOWN} or {PAD}.")
    return vocabulary


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise ValueError
    except (ValueError, OSError, RecursionError) as error:
        raise ModelError(f"{path.name} is not a JSON object.") from error
    return content
