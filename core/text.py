"""What happens to a text at the door: bytes become characters, characters become tokens that can be read."""

import codecs
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

from .errors import InputError, ModelError

LARGEST_TEXT = 1_000_000  # bytes as UTF-8: two novels. All of it is tokenized to say how much was cut: 1 s, 160 MB


@dataclass(frozen=True)
class Cut:
    """Where a text was cut because the model's context holds no more; special tokens are not counted."""

    kept: int
    total: int
    character: int  # the first character of the text that the model does not see


@dataclass(frozen=True)
class Tokens:
    """A text as a model sees it. All tuples have one entry for each token.

    `labels` are for people: read one after the other they give the text, with the spaces where the tokenizer
    keeps them; a byte that is no character on its own is shown as "‹E2›". `special` marks the tokens that the
    tokenizer added, `words` gives the number of the word that a token belongs to, None where there is none. Of two
    texts in one input, `segments` says which one a token belongs to, 0 or 1; it is empty where there is one text.
    """

    ids: tuple[int, ...]
    labels: tuple[str, ...]
    special: tuple[bool, ...]
    words: tuple[int | None, ...]
    cut: Cut | None = None
    segments: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)


def read_text(raw: str | bytes) -> str:
    """The text to work with: line ends are newlines, control characters other than newline and tab are left out.

    Bytes may be UTF-8, or UTF-16 or UTF-32 with a byte order mark. Zero-width and direction marks stay: Arabic,
    Persian and many emoji need them. Raises InputError if the text is too long, empty or not decodable.
    """
    size = len(raw) if isinstance(raw, bytes) else len(raw.encode("utf-8", "surrogatepass"))
    if size > LARGEST_TEXT:
        raise InputError(
            f"This text has {size / 1e6:.1f} MB; a text may have at most {LARGEST_TEXT / 1e6:.0f} MB. "
            "Choose a part of it."
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

_MARKS = {  # the longer one first: UTF-16's mark is the beginning of UTF-32's
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
    """The tokens of a text, with the tokenizer's own special tokens, cut so that at most `context` are left.

    Safe in many threads at once: nothing of the tokenizer is set. Raises InputError if no token is left.
    """
    encoding = tokenizer.encode(text, add_special_tokens=False)
    total, room = len(encoding.ids), context - tokenizer.num_special_tokens_to_add(is_pair=False)
    if not total:
        raise InputError("This model's tokenizer sees nothing in this text. Type some words.")
    cut = None
    if total > room:
        encoding.truncate(room)
        cut = Cut(kept=room, total=total, character=encoding.offsets[-1][1])
    encoding = tokenizer.post_process(encoding)
    special = tuple(map(bool, encoding.special_tokens_mask))
    labels = label_pieces(tokenizer, encoding.ids, encoding.offsets)
    words = _words_of(text[: cut.character] if cut else text, encoding.offsets)
    return Tokens(
        ids=tuple(encoding.ids),
        labels=tuple(labels),
        special=special,
        words=tuple(None if added else word for word, added in zip(words, special, strict=True)),
        cut=cut,
    )


def encode_pair(tokenizer: Tokenizer, first: str, second: str, *, context: int) -> Tokens:
    """The tokens of two texts in one input, with the special tokens around them that the tokenizer adds.

    InputError if one of them has no token, or if both together have more than `context`; ModelError if the tokenizer
    does not mark where the second begins.
    """
    sides = [tokenizer.encode(text, add_special_tokens=False) for text in (first, second)]
    if not all(side.ids for side in sides):
        raise InputError("Two sentences are needed here, and one of them is empty. Type some words.")
    labels = [label_pieces(tokenizer, side.ids, side.offsets) for side in sides]
    words = [_words_of(text, side.offsets) for text, side in zip((first, second), sides, strict=True)]
    later = 1 + max((word for word in words[0] if word is not None), default=-1)
    words[1] = [None if word is None else word + later for word in words[1]]
    encoding = tokenizer.encode(first, second)
    if len(encoding) > context:
        raise InputError(
            f"The two sentences have {len(encoding):,} tokens together; this model reads at most {context:,} at once. "
            "Shorten one of them."
        )
    order = list(encoding.sequence_ids)
    if None not in order[order.index(0) : order.index(1)]:
        raise ModelError(
            "This model's tokenizer puts nothing between two sentences, so the model cannot know where the second one "
            "begins. Choose another model."
        )
    texts = [zip(*each, strict=True) for each in zip(labels, words, strict=True)]
    added = label_pieces(tokenizer, encoding.ids)
    merged = [(added[place], None) if side is None else next(texts[side]) for place, side in enumerate(order)]
    begins = order.index(1)
    return Tokens(
        ids=tuple(encoding.ids),
        labels=tuple(label for label, _ in merged),
        special=tuple(side is None for side in order),
        words=tuple(word for _, word in merged),
        segments=tuple(int(place >= begins) for place in range(len(order))),
    )


def read_tokens(tokenizer: Tokenizer, ids: Sequence[int]) -> Tokens:
    """Tokens from their numbers, for example those that a model wrote itself."""
    known = tokenizer.get_added_tokens_decoder()
    special = tuple(number in known and known[number].special for number in ids)
    labels = label_pieces(tokenizer, ids)
    spans, end = [], 0
    for label in labels:
        spans.append((end, end := end + len(label)))
    words = _words_of(BYTE.sub("byte", "".join(labels)), spans)  # as long, and in a word like the letter's other bytes
    return Tokens(
        ids=tuple(ids),
        labels=tuple(labels),
        special=special,
        words=tuple(None if added else word for word, added in zip(words, special, strict=True)),
    )


def label_pieces(
    tokenizer: Tokenizer, ids: Sequence[int], offsets: Sequence[tuple[int, int]] | None = None
) -> list[str]:
    """Each token as a person reads it, a leading space included where a new word begins.

    Tokenizers mark words in three ways: byte-level ones spell every byte as a letter (a space is "Ġ"),
    SentencePiece writes a space as "▁", WordPiece marks the pieces that do *not* begin a word, by "##". The last
    kind drops the spaces, so `offsets`, the characters that each token covers, tell where they were.
    """
    added = tokenizer.get_added_tokens_decoder()
    decoder = tokenizer.decoder.__getstate__().decode() if tokenizer.decoder else ""
    prefix = getattr(tokenizer.model, "continuing_subword_prefix", None) or ""
    suffix = getattr(tokenizer.model, "end_of_word_suffix", None) or ""
    unknown = getattr(tokenizer.model, "unk_token", None)
    labels, last = [], 0
    for place, number in enumerate(ids):
        piece = tokenizer.id_to_token(number) or f"[{number}]"
        if number in added:
            label = added[number].content
            if label == unknown and offsets and offsets[place][0] > last:
                label = f" {label}"  # it stands for a word, and where that word stood
        elif '"ByteLevel"' in decoder and not suffix:
            label = _read_bytes(_spelled_bytes(piece))
        elif "▁" in decoder:
            is_byte = len(piece) == 6 and piece.startswith("<0x")
            label = byte_sign(int(piece[3:5], 16)) if is_byte else piece.replace("▁", " ")
        else:
            continues = bool(prefix) and piece.startswith(prefix)
            gap = offsets[place][0] > last if offsets else place > 0
            label = piece.removeprefix(prefix).removesuffix(suffix)
            if '"ByteLevel"' in decoder:
                label = _read_bytes(_spelled_bytes(label))
            label = f" {label}" if gap and not continues else label
        labels.append(label)
        last = offsets[place][1] if offsets else last
    return labels


def byte_sign(byte: int) -> str:
    """How a byte is shown that is no character on its own, whatever shows it: "‹DC›"."""
    return f"‹{byte:02X}›"


BYTE = re.compile("‹([0-9A-F]{2})›")  # what `byte_sign` makes


def spelt(labels: str) -> str:
    """The text whose bytes stand in some labels one after the other; "" where they are no whole letters."""
    parts = BYTE.split(labels)  # text and bytes in turn
    raw = b"".join(bytes.fromhex(part) if place % 2 else part.encode() for place, part in enumerate(parts))
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return ""


def _spell_bytes() -> dict[str, int]:
    """Which byte each letter stands for in byte-level tokenizers (Radford et al. 2019, section 2.2).

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
    """The number of the word in which each span begins, spaces aside."""
    numbers = _number_words(text)
    return [next((n for n in numbers[start:end] if n is not None), None) for start, end in spans]


def _number_words(text: str) -> list[int | None]:
    """For each character the number of its word: letters and digits in a row, signs in a row, or one ideograph."""
    numbers: list[int | None] = []
    number, previous = -1, "space"
    for place, character in enumerate(text):
        kind = _kind(character)
        if character in "'’" and previous == "letter" and _kind(text[place + 1 : place + 2]) == "letter":
            kind = "letter"
        if kind == "joiner":  # belongs to what it joins
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
