"""Decode and clean a text, tokenize it, and label its tokens for people."""

import codecs
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

from .errors import InputError, ModelError

LARGEST_TEXT = 1_000_000  # bytes as UTF-8: two novels. All of it is tokenized to report how much was cut: 1 s, 160 MB


@dataclass(frozen=True)
class Cut:
    """Where a text was truncated: `length` of `total` tokens fit the model's context; special ones are not counted."""

    length: int
    total: int
    character: int  # index of the first character of the text that was cut


@dataclass(frozen=True)
class Tokens:
    """A tokenized text. All tuples have one entry for each token.

    `labels` are for display: joined, they give the text, with the spaces that the tokenizer preserves; a byte that is
    no character on its own is shown as "‹E2›". `special` marks the tokens that the tokenizer added, `words` is the
    number of the token's word, or None. With two texts in one input, `segments` is the number of the token's text, 0
    or 1; it is empty for a single text.
    """

    ids: tuple[int, ...]
    labels: tuple[str, ...]
    special: tuple[bool, ...]
    words: tuple[int | None, ...]
    cut: Cut | None = None
    segments: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)


def read_text(raw: str | bytes, *, largest: int = LARGEST_TEXT) -> str:
    """Decode and clean a text: line ends become newlines, control characters other than newline and tab are removed.

    Bytes may be UTF-8, or UTF-16 or UTF-32 with a byte order mark. Zero-width and direction marks stay: Arabic,
    Persian and many emoji need them. Raises InputError if the text has more than `largest` bytes as UTF-8, is empty or
    not decodable.
    """
    size = len(raw) if isinstance(raw, bytes) else len(raw.encode("utf-8", "surrogatepass"))
    if size > largest:
        raise InputError(
            f"This text has {size / 1e6:.1f} MB; a text may have at most {largest / 1e6:.0f} MB. Choose a part of it."
        )
    text = _decode(raw) if isinstance(raw, bytes) else raw
    for place, character in enumerate(text, start=1):
        if "\ud800" <= character <= "\udfff":
            raise InputError(
                f"Character {place:,} is half of a pair (U+{ord(character):04X}) whose other half is missing. "
                "Delete it, or type it again."
            )
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROLS)
    if not text.strip():
        raise InputError("There is no text here yet. Type a sentence or open a file.")
    return text


_CONTROLS = {code: None for code in [*range(32), *range(127, 160)] if chr(code) not in "\n\t"}

_MARKS = {  # the longer ones first: UTF-16's mark is the beginning of UTF-32's
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def _decode(raw: bytes) -> str:
    encoding = next((name for mark, name in _MARKS.items() if raw.startswith(mark)), "utf-8")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"This is not a text in {encoding.upper()}: byte {error.start + 1:,} (0x{raw[error.start]:02X}) "
            "does not belong there. Save it as plain text in UTF-8 and try again."
        ) from error


def encode(tokenizer: Tokenizer, text: str, *, context: int) -> Tokens:
    """Tokenize a text, with the tokenizer's special tokens, truncated to at most `context` tokens.

    Thread-safe: no setting of the tokenizer is changed. Raises InputError for a text without tokens.
    """
    encoding = tokenizer.encode(text, add_special_tokens=False)
    total, max_tokens = len(encoding.ids), context - tokenizer.num_special_tokens_to_add(is_pair=False)
    if not total:
        raise InputError("This model's tokenizer sees nothing in this text. Type some words.")
    cut = None
    if total > max_tokens:
        encoding.truncate(max_tokens)
        cut = Cut(length=max_tokens, total=total, character=encoding.offsets[-1][1])
    encoding = tokenizer.post_process(encoding)
    special = tuple(map(bool, encoding.special_tokens_mask))
    labels = label_pieces(tokenizer, encoding.ids, encoding.offsets)
    words = _words_of(text[: cut.character] if cut else text, encoding.offsets)
    return Tokens(
        ids=tuple(encoding.ids),
        labels=tuple(labels),
        special=special,
        words=tuple(None if is_special else word for word, is_special in zip(words, special, strict=True)),
        cut=cut,
    )


def encode_pair(tokenizer: Tokenizer, first: str, second: str, *, context: int) -> Tokens:
    """Tokenize two texts as one input, with the tokenizer's special tokens.

    Raises InputError if a text has no token, or if the input has more than `context` tokens; ModelError if the
    tokenizer puts no special token between the texts.
    """
    sentences = [tokenizer.encode(text, add_special_tokens=False) for text in (first, second)]
    if not all(sentence.ids for sentence in sentences):
        raise InputError("Two sentences are needed here, and one of them is empty. Type some words.")
    labels = [label_pieces(tokenizer, sentence.ids, sentence.offsets) for sentence in sentences]
    words = [_words_of(text, sentence.offsets) for text, sentence in zip((first, second), sentences, strict=True)]
    first_word = 1 + max((word for word in words[0] if word is not None), default=-1)
    words[1] = [None if word is None else word + first_word for word in words[1]]
    encoding = tokenizer.encode(first, second)
    if len(encoding) > context:
        raise InputError(
            f"The two sentences have {len(encoding):,} tokens together; this model reads at most {context:,} at once. "
            "Shorten one of them."
        )
    sentence_numbers = list(encoding.sequence_ids)
    if None not in sentence_numbers[sentence_numbers.index(0) : sentence_numbers.index(1)]:
        raise ModelError(
            "This model's tokenizer puts nothing between two sentences, so the model cannot know where the second one "
            "begins. Choose another model."
        )
    texts = [zip(*labels_and_words, strict=True) for labels_and_words in zip(labels, words, strict=True)]
    special_labels = label_pieces(tokenizer, encoding.ids)
    merged = [
        (special_labels[index], None) if number is None else next(texts[number])
        for index, number in enumerate(sentence_numbers)
    ]
    second_start = sentence_numbers.index(1)
    return Tokens(
        ids=tuple(encoding.ids),
        labels=tuple(label for label, _ in merged),
        special=tuple(number is None for number in sentence_numbers),
        words=tuple(word for _, word in merged),
        segments=tuple(int(place >= second_start) for place in range(len(sentence_numbers))),
    )


def read_tokens(tokenizer: Tokenizer, ids: Sequence[int]) -> Tokens:
    """Tokens from their ids, for example those that a model generated."""
    added_tokens = tokenizer.get_added_tokens_decoder()
    special = tuple(number in added_tokens and added_tokens[number].special for number in ids)
    labels = label_pieces(tokenizer, ids)
    spans, end = [], 0
    for label in labels:
        spans.append((end, end := end + len(label)))
    words = _words_of(BYTE.sub("byte", "".join(labels)), spans)  # of the same length, and letters of one word
    return Tokens(
        ids=tuple(ids),
        labels=tuple(labels),
        special=special,
        words=tuple(None if is_special else word for word, is_special in zip(words, special, strict=True)),
    )


def label_pieces(
    tokenizer: Tokenizer, ids: Sequence[int], offsets: Sequence[tuple[int, int]] | None = None
) -> list[str]:
    """A readable label for each token, with a leading space where a new word begins.

    Tokenizers mark words in three ways: byte-level ones write every byte as a letter (a space is "Ġ"),
    SentencePiece writes a space as "▁", WordPiece marks the pieces that do *not* begin a word, by "##". The last
    kind drops the spaces, so `offsets`, the characters that each token covers, are needed to restore them.
    """
    added = tokenizer.get_added_tokens_decoder()
    decoder = tokenizer.decoder.__getstate__().decode() if tokenizer.decoder else ""
    prefix = getattr(tokenizer.model, "continuing_subword_prefix", None) or ""
    suffix = getattr(tokenizer.model, "end_of_word_suffix", None) or ""
    unknown = getattr(tokenizer.model, "unk_token", None)
    labels, last_end = [], 0
    for index, number in enumerate(ids):
        piece = tokenizer.id_to_token(number) or f"[{number}]"
        if number in added:
            label = added[number].content
            if label == unknown and offsets and offsets[index][0] > last_end:
                label = f" {label}"  # it replaces a word that followed a space
        elif '"ByteLevel"' in decoder and not suffix:
            label = _read_bytes(_spelled_bytes(piece))
        elif "▁" in decoder:
            is_byte = len(piece) == 6 and piece.startswith("<0x")
            label = byte_sign(int(piece[3:5], 16)) if is_byte else piece.replace("▁", " ")
        else:
            continues = bool(prefix) and piece.startswith(prefix)
            gap = offsets[index][0] > last_end if offsets else index > 0
            label = piece.removeprefix(prefix).removesuffix(suffix)
            if '"ByteLevel"' in decoder:
                label = _read_bytes(_spelled_bytes(label))
            label = f" {label}" if gap and not continues else label
        labels.append(label)
        last_end = offsets[index][1] if offsets else last_end
    return labels


def byte_sign(byte: int) -> str:
    """The label of a byte that is no character on its own: "‹DC›"."""
    return f"‹{byte:02X}›"


BYTE = re.compile("‹([0-9A-F]{2})›")  # what `byte_sign` makes


def decode_labels(labels: str) -> str:
    """The text of joined labels, with the bytes that `byte_sign` wrote decoded; "" where they are not valid UTF-8."""
    parts = BYTE.split(labels)  # text and bytes in turn
    raw = b"".join(bytes.fromhex(part) if index % 2 else part.encode() for index, part in enumerate(parts))
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return ""


def _spell_bytes() -> dict[str, int]:
    """The byte of each letter in byte-level tokenizers (Radford et al. 2019, section 2.2).

    Printable bytes stand for themselves; the others, in order, are the letters from U+0100 on.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}


_BYTE_OF = _spell_bytes()


def _spelled_bytes(piece: str) -> bytes:
    return b"".join(bytes([_BYTE_OF[letter]]) if letter in _BYTE_OF else letter.encode() for letter in piece)


def _read_bytes(raw: bytes) -> str:
    return raw.decode("utf-8", _HEXADECIMAL)


def _show_bytes(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "".join(map(byte_sign, error.object[error.start : error.end])), error.end


_HEXADECIMAL = "attention-atlas-hexadecimal"
codecs.register_error(_HEXADECIMAL, _show_bytes)


def _words_of(text: str, spans: Sequence[tuple[int, int]]) -> list[int | None]:
    """The number of the first word in each span of characters; None for spans of spaces."""
    numbers = _number_words(text)
    return [next((n for n in numbers[start:end] if n is not None), None) for start, end in spans]


def _number_words(text: str) -> list[int | None]:
    """For each character the number of its word: letters and digits in a row, signs in a row, or one ideograph."""
    numbers: list[int | None] = []
    number, previous = -1, "space"
    for index, character in enumerate(text):
        kind = _kind(character)
        if character in "'’" and previous == "letter" and _kind(text[index + 1 : index + 2]) == "letter":
            kind = "letter"
        if kind == "joiner":  # belongs to the character before it
            kind = previous
        if kind not in ("space", previous) or kind == "ideograph":
            number += 1
        numbers.append(None if kind == "space" else number)
        previous = kind
    return numbers


def _kind(character: str) -> str:
    if not character or character.isspace():
        return "space"
    if unicodedata.category(character)[0] == "M" or character in "\u200c\u200d":
        return "joiner"
    if not character.isalnum():
        return "sign"
    # Chinese, Japanese and Thai write no spaces; a Chinese sign is close to a word, the others stay together.
    return "ideograph" if "\u3400" <= character <= "\u9fff" else "letter"
