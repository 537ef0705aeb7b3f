"""Decoding the bytes of a file into pixels, or into an error message, in a process of its own.

There a decoder that hangs, crashes or runs out of memory does not affect the server. `decoder_pool` starts the process.
"""

import re
import signal
import struct
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import AvifImagePlugin, Image, UnidentifiedImageError

from ..errors import InputError

LONGEST_SIDE = 20_000  # pixels
# Pixels. A JPEG in one scan is read at a part of its size, row by row; WebP and AVIF hold the whole picture several
# times while they decode: 16 to 20 bytes a pixel. All others hold it once or twice.
LARGEST = {"JPEG": 128_000_000, "WebP": 16_000_000, "AVIF": 16_000_000}
LARGEST_OTHER = 32_000_000
MOST_SCANS = 20  # libjpeg makes 10 of a progressive picture in three colours, 18 in four; each covers the whole picture
MEMORY = 360_000_000  # bytes, beyond the 30 MB of the process itself
SECONDS = 3.0  # of processor time for one picture

ENOUGH = 1024  # pixels on the shorter side: more than any view shows, and twice what any model reads
LONGEST_READ = 8 * ENOUGH  # on the longer side
BAND = 1_000_000  # pixels that are converted at a time, so that larger intermediate modes need little memory

# Pillow's other readers are for rare formats, old code or, as with PostScript, start another program.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "PPM")
READABLE = "JPEG, PNG, WebP, GIF, BMP, TIFF or AVIF"
ORIENTATION = 0x0112  # the EXIF tag of the orientation
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# What follows 0xFF in a JPEG begins a segment, unless it is data (00), padding (FF) or a mark without content.
SEGMENT = re.compile(rb"\xff[^\x00\x01\xd0-\xd8\xff]")

QUESTION = struct.Struct(">Q")  # bytes of the file, which follows
ANSWER = struct.Struct(">?II")  # whether it is a picture; then width and height of the RGB pixels that follow,
# or else the bytes of the sentence that follows, and 0


def serve() -> None:
    """Answer one file after another from stdin on stdout, until the other end is closed."""
    Image.init()  # otherwise Pillow imports most formats later, when memory is limited
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1  # each thread would use a part of the limited address space
    _limit_memory()
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    while length := questions.read(QUESTION.size):
        answers.writelines(_answer(questions.read(*QUESTION.unpack(length))))
        answers.flush()


def _answer(raw: bytes) -> tuple[bytes, bytes]:
    _limit_time(SECONDS)
    try:
        picture = decode(raw)
        return ANSWER.pack(True, *picture.size), picture.tobytes()
    except InputError as refusal:
        sentence = str(refusal)
    except MemoryError:
        sentence = (
            f"To decode this picture takes more than the {MEMORY / 1e6:.0f} MB of memory that there are for it. "
            "Make it smaller, or save it as JPEG."
        )
    finally:
        _limit_time(0.0)
    return ANSWER.pack(False, len(sentence.encode()), 0), sentence.encode()


def decode(raw: bytes) -> Image.Image:
    """The picture as `core.images.open_picture` returns it. Raises InputError with the rule and the numbers."""
    scans = count_scans(raw) if raw.startswith(b"\xff\xd8") else 0
    if scans > MOST_SCANS:
        raise InputError(
            f"The JPEG is drawn in {scans:,} scans, each over the whole picture; at most {MOST_SCANS} are read. "
            "An ordinary one has 1, a progressive one about 10. Save it again."
        )
    picture = _open(raw)
    kind, width, height = _kind(picture), *picture.size
    size_text = f"{width:,} × {height:,}"
    if max(width, height) > LONGEST_SIDE:
        raise InputError(
            f"The picture has {size_text} pixels; neither side may have more than {LONGEST_SIDE:,}. "
            "Make it smaller, or cut it."
        )
    is_progressive = kind == "JPEG" and (scans > 1 or "progressive" in picture.info)
    limit = LARGEST_OTHER if is_progressive else LARGEST.get(kind, LARGEST_OTHER)
    if width * height > limit:
        has = f"{width * height:,} pixels ({size_text})"
        raise _too_large(has, "progressive JPEG" if is_progressive else kind, limit)
    try:
        picture.draft("RGB", (ENOUGH, ENOUGH))  # of a JPEG only, and never below these sides
        picture.load()
        return _turn(_small_rgb(picture), picture)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a decoder may fail in any way on a file made to break it
        raise InputError(
            f"The {kind} file is damaged: it cannot be read to its end ({size_text} pixels are promised). "
            "Save or download it again."
        ) from error


def count_scans(raw: bytes) -> int:
    """The number of scans of a JPEG, from its markers; no pixel is decoded."""
    scans, place = 0, 2
    while match := SEGMENT.search(raw, place):
        marker, place = raw[match.end() - 1], match.end()
        if marker == 0xD9:  # the end of the picture
            break
        scans += marker == 0xDA
        place += int.from_bytes(raw[place : place + 2], "big")
    return scans


def _open(raw: bytes) -> Image.Image:
    """Read the header only: no pixel is decoded yet."""
    # Of all decoders WebP's alone takes its memory here; Pillow's guard before it strikes above twice this number.
    Image.MAX_IMAGE_PIXELS = LARGEST["WebP"] // 2 if raw.startswith(b"RIFF") else None
    try:
        return Image.open(BytesIO(raw), formats=FORMATS)
    except Image.DecompressionBombError as error:
        pixels = re.search(r"\d+", str(error))
        has = f"{int(pixels.group()):,} pixels" if pixels else "too many pixels"
        raise _too_large(has, "WebP", LARGEST["WebP"]) from error
    except MemoryError:
        raise
    except UnidentifiedImageError as error:
        raise InputError(_describe_file(raw)) from error
    except Exception as error:  # as above
        raise InputError("The picture is damaged: its header cannot be read. Save it again.") from error


def _kind(picture: Image.Image) -> str:
    """The name of its format; a JPEG with further pictures behind the first is a JPEG."""
    return {"MPO": "JPEG", "WEBP": "WebP"}.get(picture.format or "", str(picture.format))


def _too_large(has: str, kind: str, limit: int) -> InputError:
    advice = "Make it smaller" if kind == "JPEG" else "Make it smaller, or save it as an ordinary JPEG"
    return InputError(f"The picture has {has}; in {kind} files at most {limit:,} are read. {advice}.")


def _describe_file(raw: bytes) -> str:
    start = raw[:2000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<svg", b"<?xml", b"<!doctype svg")) and b"<svg" in start:
        return "This is a vector drawing (SVG), which has no pixels. Save it as PNG and try again."
    if raw[4:8] == b"ftyp" and raw[8:12] in (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1"):
        return "HEIC photographs cannot be read here. Save it as JPEG or PNG and try again."
    if start.startswith(b"%pdf"):
        return "This is a PDF document. Save the page or the picture in it as PNG and try again."
    if b"\0" not in raw[:2000] and raw[:2000].isascii():
        return f"This is a text, not a picture. Choose a {READABLE} file."
    return f"This file is not a picture that can be read here. Choose a {READABLE} file."


def _small_rgb(picture: Image.Image) -> Image.Image:
    """The picture as RGB, reduced to the size that is needed, in bands of rows to save memory."""
    width, height = picture.size
    factor = max(1, min(picture.size) // ENOUGH, -(-max(picture.size) // LONGEST_READ))
    if picture.mode == "RGB" and not picture.has_transparency_data:
        return picture.reduce(factor) if factor > 1 else picture
    low, high = _range(picture)
    small = Image.new("RGB", (-(-width // factor), -(-height // factor)))
    for band, top in _bands(picture, factor):
        if picture.mode.startswith(("I", "F")):
            band = _to_eight_bits(band, low, high)
        if band.has_transparency_data:
            band = band.convert("RGBA")
            band = Image.alpha_composite(Image.new("RGBA", band.size, "white"), band)
        small.paste(band.convert("RGB").reduce(factor), (0, top // factor))
    return small


def _bands(picture: Image.Image, factor: int = 1) -> Iterator[tuple[Image.Image, int]]:
    """The picture in bands of full width, each with its first row, a multiple of `factor`."""
    rows = max(1, BAND // (picture.width * factor)) * factor
    for top in range(0, picture.height, rows):
        yield picture.crop((0, top, picture.width, min(top + rows, picture.height))), top


def _range(picture: Image.Image) -> tuple[float, float]:
    """The values of black and white: the limits of 16 bits, or the minimum and maximum of integers and floats."""
    if picture.mode.startswith("I;16") or picture.mode not in ("I", "F"):
        return 0.0, 65535.0
    bands = (np.asarray(band) for band, _ in _bands(picture))
    finite = (values[np.isfinite(values)] for values in bands)  # one band at a time
    ends = [float(end) for values in finite if values.size for end in (values.min(), values.max())]
    if not ends:
        raise InputError(
            f"The {_kind(picture)} holds {picture.width:,} × {picture.height:,} real numbers, each of them NaN (not "
            "a number) or infinite: there is nothing to see. Save it with finite numbers, or as PNG."
        )
    return min(ends), max(ends)


def _to_eight_bits(band: Image.Image, low: float, high: float) -> Image.Image:
    """Scale to 8 bits; NaN and minus infinity become black, infinity white."""
    scaled = (np.asarray(band, dtype=np.float64) - low) / ((high - low) or 1.0)  # of one band only
    scaled = np.nan_to_num(scaled, nan=0.0, posinf=1.0, neginf=0.0)
    return Image.fromarray((scaled * 255).round().astype(np.uint8))


def _turn(small: Image.Image, picture: Image.Image) -> Image.Image:
    """Rotate by the EXIF orientation of `picture`; no other EXIF data are read."""
    try:
        turn = TURNS.get(picture.getexif().get(ORIENTATION, 1))
    except Exception:  # broken EXIF data are ignored
        turn = None
    return small if turn is None else small.transpose(turn)


def _limit_memory() -> None:
    """Limit the address space of the process to its present size plus MEMORY, on Linux."""
    if sys.platform == "linux":
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no core dump


def _limit_time(seconds: float) -> None:
    """End the process after this processor time; 0: no limit."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)
