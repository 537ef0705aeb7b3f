"""Texts that break programs: invalid, invisible and confusable characters, and those of markup.py."""

import random
import sys
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from benchmarks.hostile import Case, markup
from core import zoo
from core.errors import AtlasError
from core.text import read_text

SEED = 18
CONTROLS = (
    "\0",
    "a\0b",
    "".join(map(chr, range(32))),
    "".join(map(chr, range(127, 160))),
    "before\x1b[2J\x1b[31mred\x1b]0;title\x07after",
    "\x1b]8;;http://elsewhere.invalid\x07link\x1b]8;;\x07",
    "over\b\b\b\bwritten",
    "\a" * 50,
    "one\rtwo",
    "one\vtwo\ftwo",
    "one\x85two\u2028three\u2029four",
    "\x1a",
    "\x7f" * 100,
    "[31mERROR[0m forged line\n2026-01-01 ERROR forged",
)
DIRECTIONS = (
    "\u202egnp.exe",
    "\u202a\u202b\u202c\u202d\u202e",
    "\u2066\u2067\u2068\u2069",
    "\u2067" * 200,
    "\u200e\u200f\u061c",
    "if access \u2066!= 'user\u2069\u202e' then",
    "שלום hello עולם",
    "مرحبا 123 world",
    "\u202e" + "x" * 1000,
    "قِفا نَبكِ مِن ذِكرى حَبيبٍ ومَنزِلِ",
    "א\u0591\u05b0\u05bc",
)
INVISIBLE = (
    "\u200b",
    "\u200b\u200c\u200d\u2060\ufeff",
    "\ufeff\ufeffafter two marks",
    "a\u200bb\u200bc" * 200,
    "\u00ad" * 300,
    "\u3164\u115f\u1160\uffa0",
    "\u180e",
    "\u00a0\u2007\u202f\u3000",
    "".join(chr(0xE0020 + ord(letter) - 32) for letter in "hidden words in tags"),
    "\U000e0001",
    "\ufe0f" * 100,
    "".join(map(chr, range(0xE0100, 0xE01F0))),
)
SURROGATES = (
    "\ud83d",
    "\ude00",
    "\ude00\ud83d",
    "a\udc80b",
    "\ud800" * 100,
    "good \udfff end",
)
COMBINING = (
    "Z" + "\u0300\u0316\u0331\u0489" * 50,
    "ZALGO".translate({ord(letter): letter + "\u0335\u0321\u0362" * 20 for letter in "ZALGO"}),
    "\u0301",
    "e\u0301 é e\u0301\u0301\u0301",
    "\u20dd" * 50,
    "ก็็็็็็็็็็็็็็็็็็็็",
    "﷽" * 300,
    "ﬁ ǆ ẛ̣ Å Å",
    "\u1100\u1161\u11a8" * 100,
    "क्ष्म्य" * 50,
)
EMOJI = (
    "👩\u200d👩\u200d👧\u200d👦",
    "👩🏿\u200d❤\ufe0f\u200d💋\u200d👨🏻",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "🇦🇧🇨🇩🇪",
    "👨\u200d" * 100,
    "🏽🏾🏿",
    "1\ufe0f\u20e3#\ufe0f\u20e3",
    "😀" * 5000,
    "🫠🫨🪿",
)
WORDS = (
    "a" * 20_000,
    "a" * 999_999,
    "\u00e9" * 100_000,
    "x " * 50_000,
    "\n" * 5000 + "x",
    " " * 100_000 + "x",
    "Donaudampfschifffahrtsgesellschaft" * 500,
    "-" * 30_000,
    "a" * 1_000_001,
    "0123456789" * 5000,
    "".join(chr(0x4E00 + place % 20_000) for place in range(20_000)),
)
NUMBERS = (
    "0",
    "-0",
    "1e309",
    "-1e-400",
    "NaN",
    "inf -inf Infinity",
    "0x7fffffffffffffff",
    "99999999999999999999999999",
    "9" * 5000,
    "1/0",
    "٠١٢٣٤٥٦٧٨٩",
    "½ ² Ⅷ ௧ 〇",
    "1,000.00 1.000,00 1'000",
    "0.1+0.2",
    "null",
    "None",
    "undefined",
    "true",
    "()",
    "[]",
    "{}",
    "''",
    "<|endoftext|> [CLS] [SEP] [MASK] <s> </s> <unk> <pad>",
)
EMPTY = ("", " ", "\n\n\n", "\t", "\u3000", "\ufeff", "\0\0", "\r\r", "\u2028")
BYTES = (
    b"\xff\xfe",
    b"\xff\xfea\xd8",
    b"\x80\x81",
    b"caf\xe9",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xe2\x82",
    b"\xef\xbb\xbfmarked",
    b"\x00\x00\xfe\xff\x00\x11\x00\x00",
    "sixteen".encode("utf-16"),
    "thirty-two".encode("utf-32"),
    "odd".encode("utf-16")[:-1],
    b"PK\x03\x04" + bytes(200),
    b"\x89PNG\r\n\x1a\n",
    b"%PDF-1.7",
    b"\x1f\x8b\x08" + bytes(50),
    bytes(range(256)),
)
KINDS: dict[str, tuple[str | bytes, ...]] = {
    "text with markup and script": markup.MARKUP,
    "text with Markdown": markup.MARKDOWN,
    "text with LaTeX": markup.LATEX,
    "text with spreadsheet formulas": markup.FORMULAS,
    "text with format strings and templates": markup.TEMPLATES,
    "text with paths and addresses": markup.PATHS,
    "text with queries of other languages": markup.QUERIES,
    "text with control characters": CONTROLS,
    "text with directions": DIRECTIONS,
    "text that cannot be seen": INVISIBLE,
    "text with half pairs (surrogates)": SURROGATES,
    "text with towers of marks": COMBINING,
    "text with joined emoji": EMOJI,
    "text with very long words": WORDS,
    "text with numbers and reserved words": NUMBERS,
    "text without text": EMPTY,
    "text file in no or another encoding": BYTES,
}


def cases() -> Iterator[Case]:
    """Yield the texts listed above, a text of each category of Unicode, and random texts, always the same."""
    for kind, contents in KINDS.items():
        for place, content in enumerate(contents):
            yield Case(kind, f"{kind} {place + 1}", content)
    for category, letters in sorted(_categories().items()):
        yield Case("text of one category of Unicode", category, "".join(letters))
    rng = random.Random(SEED)
    for place in range(40):
        letters = [chr(rng.randrange(sys.maxunicode + 1)) for _ in range(rng.choice((1, 10, 200)))]
        yield Case("text of random characters", f"{place + 1}", "".join(letters))
    for place in range(40):
        yield Case("text file of random bytes", f"{place + 1}", rng.randbytes(rng.choice((1, 10, 200))))


def try_one(case: Case) -> str:
    """Read the text and run `gpt-books` on it: "result", or the error message."""
    try:
        model = _model()
        tokens = model.encode(read_text(case.content))
        model.predictions(model.run(tokens))
    except AtlasError as error:
        return str(error)
    return "result"


@lru_cache(maxsize=1)
def _model() -> zoo.TextModel:
    return zoo.load_text("gpt-books")


def _categories(most: int = 60) -> dict[str, list[str]]:
    """Up to `most` characters of each general category of Unicode."""
    by_category: dict[str, list[str]] = {}
    for code in range(0, sys.maxunicode + 1, 1):
        letters = by_category.setdefault(unicodedata.category(chr(code)), [])
        if len(letters) < most:
            letters.append(chr(code))
    return by_category
