"""What somebody may write into an address: values for boxes and sliders, places and texts, and which are given when."""

from collections.abc import Iterator
from itertools import count
from zlib import crc32

Value = str | bytes | list[str]

# For numbers, choices, switches and places. Bytes are percent-encoded as they are; a list is a parameter said again.
NUMBERS: tuple[Value, ...] = (
    *("1e309", "-1e309", "inf", "-Infinity", "nan", "9" * 400, "-1", "-0", "007", "00019", "1.5", "1e3", "1e-400"),
    *("٣", "१२", "1_0", "0x10", " 3 ", "+2", "99999999999", "½", "²", "", "null", "[1]", "true", "\x00", "0.0"),
    *("1-1", "0-0", "1-0-2", "99999-99999", "1.1-2.2", "²-²", "٣-٣", "0009-0", "1,2", "-", ".", "~", "1~9.9", "all-0"),
    *("999x999_0-99999", "12x12_5-3", "1x99999999999", b"\xed\xa0\x80", ["1", "inf"], ["inf", "nan"], "a" * 20_000),
    *(["0", "1", "2"] * 50, "<b>", "${jndi:x}", "../..", "%00", "\u202e1"),
)
# For texts. The last but one is longer than some models read.
TEXTS: tuple[Value, ...] = (
    *("", "   ", "\t\n", "\x00\x01\x1b[31m", b"\xed\xa0\x80", b"\xff\xfe", "\u202eabc\u202c\u2066", "a\u0301" * 200),
    *("1e309", "%F0%9F%92%A9%00", '{"a": [1]}', "<script>alert(1)</script>", "'; DROP TABLE x; --", "../../etc/passwd"),
    *("$\\frac{1}{2}$ **b** [l](javascript:1) :red[x]", "\u200b\u200b", "文" * 100, "." * 50, ["a", "b"], "0", "A"),
    *("é" * 2, "\ufeff", "-", "\u2028x\u2029", "👩\u200d👩\u200d👧\u200d👦" * 20, "word " * 380, "x" * 1900),
)
VALUES: tuple[Value, ...] = (*NUMBERS, *(text for text in TEXTS if text not in NUMBERS))


def dealt(values: tuple[Value, ...], names: list[str], *, rounds: int, seed: str) -> Iterator[dict[str, Value]]:
    """For each round a value for each name, so that all values come up in turn; another seed begins elsewhere."""
    numbers = count(crc32(seed.encode()))
    for _ in range(rounds):
        yield {name: values[next(numbers) % len(values)] for name in names}
