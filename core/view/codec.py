"""Encoding for the browser: two codes for weights, base64 for bytes, data addresses for pictures; see codec.js.

| code | bytes for a weight | weight from code c | largest error |
|---|---|---|---|
| half | 2 | IEEE float16 | weight / 2048, or 3e-8 where that is larger |
| root | 1 | (c / 253)^2 | sqrt(weight) / 253 + 4e-6; 254 is "not allowed", 255 is NaN |

Not allowed is -1 in an array; cells above the diagonal of a causal map are not sent.
"""

import base64
import hashlib
import io
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Shaped, UInt8

Code = Literal["half", "root"]

BYTES: dict[Code, int] = {"half": 2, "root": 1}
PICTURE_SIDE = 1600  # pixels on the longer side, at most
_LEVELS, _BLOCKED, _MISSING = 253, 254, 255

MAX_DIGITS = 9  # of a number in an address or in a browser's message


def write(weights: Float[np.ndarray, "*leading"], code: Code) -> bytes:
    """Encode weights from 0 to 1, -1 (not allowed) and NaN."""
    return weights.astype("<f2").tobytes() if code == "half" else to_root(weights).tobytes()


def read(encoded: bytes, code: Code) -> Float[np.ndarray, " _"]:
    """Decode what `write` encoded, as the browser does."""
    if code == "half":
        return np.frombuffer(encoded, "<f2").astype(np.float32)
    levels = np.frombuffer(encoded, np.uint8)
    weights = (levels.astype(np.float32) / _LEVELS) ** 2
    weights[levels == _BLOCKED] = -1
    weights[levels == _MISSING] = np.nan
    return weights


def to_root(weights: Float[np.ndarray, "*leading"]) -> UInt8[np.ndarray, "*leading"]:
    """The square root of each weight in 253 levels: precise for small weights, which most are."""
    missing = np.isnan(weights)
    blocked = weights < 0
    finite_weights = np.where(missing | blocked, 0, weights)
    levels = np.rint(np.sqrt(np.minimum(finite_weights, 1)) * _LEVELS).astype(np.uint8)
    levels[blocked] = _BLOCKED
    levels[missing] = _MISSING
    return levels


def corner(queries: int, keys: int) -> Bool[np.ndarray, "query key"]:
    """The mask of the cells of a causal map that are sent: the keys up to each query's own position."""
    return np.tri(queries, keys, keys - queries, dtype=bool)


def as_text(encoded: bytes) -> str:
    """Bytes as base64 text: a component receives bytes inside a dict only as text."""
    return base64.b64encode(encoded).decode("ascii")


def floats(values: Shaped[np.ndarray, "*leading"]) -> str:
    """Numbers as base64 text of float32, row by row."""
    with np.errstate(over="ignore"):
        return as_text(np.asarray(values).astype("<f4").tobytes())


def weights_text(weights: Float[np.ndarray, "*leading"], code: Code = "half") -> str:
    """Weights as base64 text of a code."""
    return as_text(write(np.asarray(weights), code))


def digest(*contents: object) -> str:
    """A hash of contents, in hexadecimal: bytes as they are, other objects by their repr."""
    hash_state = hashlib.blake2b(digest_size=12)
    for content in contents:
        hash_state.update(content if isinstance(content, bytes) else repr(content).encode("utf-8", "surrogatepass"))
    return hash_state.hexdigest()


def picture_address(pixels: UInt8[np.ndarray, "row column channel"], side: int = PICTURE_SIDE) -> str:
    """The picture as a data address, scaled to at most `side` pixels: PNG up to 256 pixels, else JPEG. Needs Pillow."""
    from PIL import Image  # here, because nothing else of the view needs it

    picture = Image.fromarray(np.ascontiguousarray(pixels))
    picture.thumbnail((side, side))
    file, kind = io.BytesIO(), "png" if max(picture.size) <= 256 else "jpeg"
    picture.save(file, kind, quality=90)
    return f"data:image/{kind};base64,{as_text(file.getvalue())}"


def whole_number(text: object, below: int | None = None) -> int | None:
    """The number that `text` writes in at most MAX_DIGITS ASCII digits, if it is less than `below`; else None."""
    text = str(text)
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        return None
    number = int(text)
    return number if below is None or number < below else None
