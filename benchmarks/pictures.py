"""Pictures at the door: what the largest of each format takes, and what a process of its own costs a photograph."""

import time
from collections.abc import Callable, Iterator
from functools import partial

from PIL import Image

from benchmarks.hostile.pictures import LARGEST_SIDE, PNG_COLOURS, full_png, hungry_tiff, saved
from benchmarks.measure import peak_of, times
from benchmarks.table import Row
from benchmarks.vision import phone_photograph
from core.images.decoder import LARGEST, LONGEST_SIDE, decode
from core.images.decoder_pool import Decoder


def rows() -> Iterator[Row]:
    """Memory and time of the largest pictures, each in a new decoder; then a phone's picture in both processes."""
    for name, make in largest():
        raw, decoder = make(), Decoder()
        decoder.decode(saved(Image.new("RGB", (9, 9))))  # it is up
        started = time.perf_counter()
        picture = decoder.decode(raw)
        seconds = time.perf_counter() - started
        other_bytes = (
            len(raw) + 7 * picture.width * picture.height
        )  # here: the file, the answer, and the picture made of it
        memory = peak_of(decoder.process.pid) + other_bytes
        decoder.end()
        yield Row(f"Pictures: the largest {name}: memory of both processes", memory / 1e6, "MB", 400)
        yield Row(f"Pictures: the largest {name}: time", seconds, "s", 3)
    photograph, decoder = phone_photograph(), Decoder()
    in_process, in_pool = times(partial(decode, photograph), partial(decoder.decode, photograph), repeats=9)
    decoder.end()
    yield Row("Pictures: 12 megapixels decoded in the server's process", in_process * 1e3, "ms")
    yield Row(
        "Pictures: 12 megapixels decoded in another process: what that adds", (in_pool - in_process) * 1e3, "ms", 100
    )
    (start,) = times(_start, repeats=5)
    yield Row("Pictures: start of a decoder to its first answer", start * 1e3, "ms", 400)


def largest() -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The largest pictures that are accepted, of each format: a description, and a function that makes the file."""
    side = int(LARGEST["WebP"] ** 0.5)
    yield "WebP", partial(_noisy, "WebP", "RGBA", (side, side), {"lossless": True, "method": 0})
    yield "AVIF", partial(_noisy, "AVIF", "RGBA", (side, side), {"speed": 10, "subsampling": "4:4:4"})
    for bits, colour, pixel_bytes in PNG_COLOURS:
        yield f"PNG of {8 * pixel_bytes:g} bits a pixel", partial(full_png, LARGEST_SIDE, bits, colour, pixel_bytes)
    square = (LARGEST_SIDE, LARGEST_SIDE)
    yield "GIF", partial(_noisy, "GIF", "P", square)
    yield "BMP", partial(_noisy, "BMP", "1", square)
    yield "TIFF of real numbers in one strip", partial(hungry_tiff, orientation=1)
    yield "TIFF in four colours", partial(_noisy, "TIFF", "CMYK", square, {"compression": "tiff_lzw"})
    fine = {"quality": 30, "subsampling": 0}
    yield "JPEG", partial(_noisy, "JPEG", "RGB", (11_300, 11_300), fine)
    yield "JPEG that is read in its full size", partial(_noisy, "JPEG", "CMYK", (LONGEST_SIDE, 2047), fine)
    for mode in ("RGB", "CMYK"):
        yield f"progressive JPEG, {mode}", partial(_noisy, "JPEG", mode, square, {**fine, "progressive": True})


def _noisy(kind: str, mode: str, size: tuple[int, int], options: dict | None = None) -> bytes:
    """Noise in stripes: much to decode, and less than 20 MB."""
    tile = Image.effect_noise((256, 256), 40).resize((1024, 256), Image.Resampling.NEAREST).convert(mode)
    picture = Image.new(mode, size)
    for x in range(0, size[0], 1024):
        for y in range(0, size[1], 256):
            picture.paste(tile, (x, y))
    return saved(picture, kind, **(options or {}))


def _start() -> None:
    decoder = Decoder()
    decoder.decode(saved(Image.new("RGB", (9, 9))))
    decoder.end()
