"""Files that a visitor may give as a picture: broken, enormous, odd, slow, or no picture at all. All are made here."""

import random
import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from math import ceil

import numpy as np
from PIL import Image

from benchmarks.hostile import Case
from core.errors import InputError
from core.images import LARGEST_FILE, open_picture
from core.images.decoder import LARGEST_OTHER, LONGEST_SIDE, MOST_SCANS

ORIENTATION, RESOLUTION = 0x0112, 0x011A  # EXIF
# The side of the largest square PNG; bits and colours by PNG's numbers, and bytes of a pixel.
LARGEST_SIDE = int(LARGEST_OTHER**0.5)
PNG_COLOURS = ((8, 6, 4), (16, 0, 2), (16, 6, 8), (1, 0, 1 / 8))


def try_one(case: Case) -> str:
    """Open the file: "result", or the error message."""
    try:
        picture = open_picture(case.content)
    except InputError as refusal:
        return str(refusal)
    if picture.mode != "RGB" or not all(picture.size):
        raise ValueError(f"{case.name} became {picture}.")
    return "result"


def cases() -> Iterator[Case]:
    """Yield more than 450 files, always the same."""
    valid = dict(_valid_pictures())
    rng = random.Random(18)
    for name, raw in valid.items():
        yield Case("every format and colour", name, raw)
        for number in range(4):
            place = rng.randrange(1, len(raw))
            yield Case("cut short", f"{number}-at-{place}-{name}", raw[:place])
        for number in range(6):
            # Half of them in the header, where a byte weighs more.
            places = range(min(len(raw), 60)) if number % 2 else range(len(raw))
            yield Case("bytes changed", f"{number}-{name}", _changed(raw, rng, places))
    yield Case("the wrong ending", "really-a-gif.jpg", valid["palette.gif"])
    yield Case("the wrong ending", "really-a-jpeg.txt", valid["colour.jpg"])
    yield from _moving()
    yield from _turned(valid["colour.jpg"])
    yield from _shapes()
    yield from _bombs()
    yield from _many_scans()
    yield from _slow(valid["colour.png"])
    yield from _no_numbers()
    yield from _no_pictures()


def _valid_pictures() -> Iterator[tuple[str, bytes]]:
    colours = np.random.default_rng(18).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    photo = Image.fromarray(colours)
    grey16 = Image.fromarray(colours[..., 0].astype(np.uint16) * 257)
    real = Image.fromarray(colours[..., 0].astype(np.float32))
    for mode in ("1", "L", "LA", "P", "RGBA"):
        yield f"{mode}.png", saved(photo.convert(mode), "PNG")
    yield "colour.png", saved(photo, "PNG")
    yield "16-bit.png", saved(grey16, "PNG")
    yield "transparent-palette.png", saved(photo.convert("P"), "PNG", transparency=bytes(range(256)))
    yield "colour.jpg", saved(photo, "JPEG")
    yield "grey.jpg", saved(photo.convert("L"), "JPEG")
    yield "cmyk.jpg", saved(photo.convert("CMYK"), "JPEG")
    yield "progressive.jpg", saved(photo, "JPEG", progressive=True)
    yield "progressive-cmyk.jpg", saved(photo.convert("CMYK"), "JPEG", progressive=True)
    yield "palette.gif", saved(photo, "GIF")
    yield "lossy.webp", saved(photo, "WEBP")
    yield "lossless.webp", saved(photo.convert("RGBA"), "WEBP", lossless=True)
    yield "colour.avif", saved(photo, "AVIF", speed=10)
    for mode in ("1", "P", "RGB"):
        yield f"{mode}.bmp", saved(photo.convert(mode), "BMP")
    yield "colour.ppm", saved(photo, "PPM")
    for way in ("raw", "tiff_lzw", "tiff_adobe_deflate", "jpeg", "packbits"):
        yield f"{way}.tiff", saved(photo, "TIFF", compression=way)
    for name, picture in {"16-bit": grey16, "real": real, "cmyk": photo.convert("CMYK")}.items():
        yield f"{name}.tiff", saved(picture, "TIFF")
    yield "lab.tiff", saved(Image.new("LAB", photo.size, (128, 128, 128)), "TIFF")


def _changed(raw: bytes, rng: random.Random, places: range) -> bytes:
    changed = bytearray(raw)
    for _ in range(rng.randint(1, 8)):
        changed[rng.choice(places)] = rng.randrange(256)
    return bytes(changed)


def _moving() -> Iterator[Case]:
    frames = [Image.new("RGB", (32, 24), (8 * number, 0, 0)) for number in range(30)]
    for kind in ("GIF", "PNG", "WEBP", "TIFF", "AVIF"):
        yield Case("several pictures in one", f"moving.{kind}", saved(frames[0], kind, True, append_images=frames[1:]))
    yield Case("several pictures in one", "stereo.mpo", saved(frames[0], "MPO", True, append_images=frames[1:3]))


def _turned(jpeg: bytes) -> Iterator[Case]:
    for orientation in (*range(10), 65535):
        yield Case("EXIF", f"turned-{orientation}.jpg", with_exif(jpeg, saved_exif({ORIENTATION: orientation})))
    for name, exif in {
        "of nothing": b"",
        "that ends at once": b"II*\0",
        "of 60,000 bytes": bytes(60_000),
        "whose list is its own next": b"II*\0\x08\0\0\0\0\0\x08\0\0\0",
        "with 65,535 entries": b"MM\0*\0\0\0\x08\xff\xff" + b"\x01" * 400,
        "that cannot be written again": unwritable_exif(),
    }.items():
        yield Case("EXIF", f"{name}.jpg", with_exif(jpeg, exif))


def with_exif(jpeg: bytes, exif: bytes) -> bytes:
    """The same JPEG with these EXIF data before all else."""
    content = b"Exif\0\0" + exif
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(content) + 2) + content + jpeg[2:]


def saved_exif(entries: dict[int, object]) -> bytes:
    """EXIF data with these entries, without the mark before them."""
    exif = Image.Exif()
    exif.update(entries)
    return exif.tobytes().removeprefix(b"Exif\0\0")


def unwritable_exif() -> bytes:
    """A quarter turn, beside a resolution that claims to be bytes: Pillow reads it, and cannot write it again."""
    good = saved_exif({ORIENTATION: 6, RESOLUTION: 72.0})
    return good.replace(struct.pack(">HH", RESOLUTION, 5), struct.pack(">HH", RESOLUTION, 7))


def _shapes() -> Iterator[Case]:
    for size in ((1, 1), (1, LONGEST_SIDE), (LONGEST_SIDE, 1), (1, LONGEST_SIDE + 1), (30_000, 10), (3, 2000)):
        for kind in ("PNG", "JPEG", "BMP", "TIFF", "GIF"):
            name = f"{size[0]}-by-{size[1]}.{kind}"
            yield Case("long and thin, or tiny", name, saved(Image.new("RGB", size), kind))


def _bombs() -> Iterator[Case]:
    for width, height in ((30_000, 30_000), (19_999, 1_601), (1, 50_000_000), (2**31 - 1, 2**31 - 1), (0, 0)):
        yield Case("promises many pixels", f"{width}-by-{height}.png", png(width, height, zlib.compress(bytes(100))))
    for side in (7071, 16_383, 20_000, 65_535):
        small = struct.pack("<HH", side, side)
        canvas = struct.pack("<I", min(side, 16_384) - 1)[:3] * 2
        riff = b"VP8X" + struct.pack("<I", 10) + bytes(4) + canvas + b"VP8L" + struct.pack("<I", 8) + b"/" + bytes(7)
        tags = {256: side, 257: side, 258: 8, 259: 1, 262: 1, 273: 8, 278: side, 279: side}
        for name, raw in {
            "gif": b"GIF89a" + small + bytes(3) + b"," + bytes(4) + small + b"\0\x08\x01\0\0;",
            "bmp": b"BM" + struct.pack("<IHHIIiiHHIIiiII", 99, 0, 0, 54, 40, side, side, 1, 24, 0, 0, 0, 0, 0, 0),
            "jpg": jpeg_that_claims(side),
            "webp": b"RIFF" + struct.pack("<I", len(riff) + 4) + b"WEBP" + riff,
            "tiff": tiff(tags),
            "ppm": f"P6 {side} {side} 255\n".encode(),
        }.items():
            yield Case("promises many pixels", f"{side}.{name}", raw)
    wide = {256: 99, 257: 99, 258: 8, 259: 8, 262: 1, 322: 30_000, 323: 30_000, 324: 8, 325: 8}
    yield Case("promises many pixels", "one-tile-of-900-million.tiff", tiff(wide))
    yield Case("keeps what it promises", "50-million-of-16-bits.png", full_png(7071, 16, 0, 2))
    for bits, colour, pixel_bytes in PNG_COLOURS:
        raw = full_png(LARGEST_SIDE, bits, colour, pixel_bytes)
        yield Case("keeps what it promises", f"{bits}-bits-in-colour-{colour}.png", raw)
    yield Case("keeps what it promises", "turned.tiff", hungry_tiff())
    yield Case("a file too large", "20-megabytes.jpg", b"\xff\xd8" + bytes(LARGEST_FILE))


def _many_scans() -> Iterator[Case]:
    for mode in ("L", "RGB", "CMYK"):
        for scans in (MOST_SCANS, MOST_SCANS + 1, 2000):
            raw = jpeg_of_scans(Image.new(mode, (1500, 1000)), scans)
            yield Case("progressive JPEG with many scans", f"{mode}-{scans}.jpg", raw)


def jpeg_of_scans(picture: Image.Image, scans: int) -> bytes:
    """A progressive JPEG that goes over its picture so often: the last scan is given again and again."""
    raw = saved(picture, "JPEG", progressive=True)
    starts = [place for place in range(len(raw)) if raw.startswith(b"\xff\xda", place)]
    return raw[:-2] + raw[starts[-1] : -2] * (scans - len(starts)) + raw[-2:]


def _slow(photo: bytes) -> Iterator[Case]:
    """Small files over which a decoder sits long, or for which it wants much memory."""
    yield Case("slow to read", "comments-only.ppm", slow_ppm())
    yield Case("slow to read", "padding.jpg", b"\xff\xd8" + b"\xff" * 4_000_000)
    yield Case("slow to read", "a-million-empty-comments.jpg", b"\xff\xd8" + b"\xff\xfe\0\x02" * 1_000_000)
    side = 5000
    runs = (b"\xff\x01" * (side // 255 + 1) + b"\0\0") * side  # sets of four bits, which Pillow unpacks in Python
    head = struct.pack("<IHHIIiiHHIIiiII", 118 + len(runs), 0, 0, 118, 40, side, side, 1, 4, 2, len(runs), 0, 0, 16, 0)
    yield Case("slow to read", "run-lengths.bmp", b"BM" + head + bytes(64) + runs)
    text = zlib.compress(bytes(50_000_000), 9)
    for name, kind, content in (("text", b"zTXt", b"a\0\0" + text), ("profile", b"iCCP", b"a\0\0" + text)):
        yield Case("packed much too well", f"{name}.png", photo[:33] + _chunk(kind, content) + photo[33:])
    yield Case("many small parts", "100,000-texts.png", photo[:33] + _chunk(b"tEXt", b"a\0b") * 100_000 + photo[33:])
    gif = saved(Image.new("L", (9, 9)), "GIF")
    yield Case("many small parts", "500,000-comments.gif", gif[:-1] + b"!\xfe\x01a\0" * 500_000 + b";")
    yield Case("many small parts", "a-list-that-is-its-own-next.tiff", tiff({256: 9, 257: 9}, following=8))


def slow_ppm() -> bytes:
    """A picture of 9 x 9 whose comments Pillow cuts out one by one, each time copying the rest: about a minute."""
    return b"P3 9 9 255\n" + b"#\n" * 4_000_000


def _no_numbers() -> Iterator[Case]:
    for name, values in {
        "no-number": [np.nan, np.nan],
        "some-numbers": [np.nan, 1.0, np.inf],
        "infinite": [np.inf, -np.inf],
        "the-largest": [-3e38, 3e38],
    }.items():
        yield Case("real numbers", f"{name}.tiff", saved(Image.fromarray(np.array([values], dtype=np.float32)), "TIFF"))


def _no_pictures() -> Iterator[Case]:
    script = b"<script>alert(1)</script>"
    for name, raw in {
        "empty.png": b"",
        "one-byte.png": b"\0",
        "drawing.svg": b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg">' + script + b"</svg>",
        "bare.svg": b"\xef\xbb\xbf <svg onload='alert(1)'></svg>",
        "text.jpg": "Wer hört wem zu?".encode() * 40,
        "ascii.png": b"Who listens to whom?",
        "page.html": b"<!doctype html><img src=x onerror=alert(1)>",
        "paper.pdf": b"%PDF-1.7\n%\xe2\xe3\n",
        "figure.eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(%stdin) run\n",
        "program": b"\x7fELF" + bytes(100),
        "archive.zip": b"PK\x03\x04" + bytes(100),
        "film.mp4": b"\0\0\0\x18ftypmp42" + bytes(100),
        "icon.ico": b"\0\0\x01\0\x01\0" + bytes(100),
        "layers.psd": b"8BPS\0\x01" + bytes(100),
        "pickle.npy": b"\x93NUMPY\x01\0" + bytes(100),
        "two-in-one.gif": b"GIF89a/*" + bytes(30) + b"*/=1;" + script,
        "noise.png": random.Random(18).randbytes(5000),
        "signature.png": b"\x89PNG\r\n\x1a\n",
        "zeros.webp": bytes(100_000),
    }.items():
        yield Case("no picture", name, raw)
    for brand in (b"heic", b"heix", b"mif1", b"msf1", b"avif", b"avis"):
        yield Case("no picture", f"{brand.decode()}.heic", b"\0\0\0\x18ftyp" + brand + bytes(200))


def saved(picture: Image.Image, kind: str = "PNG", save_all: bool = False, **options: object) -> bytes:
    """The bytes of a file of this kind."""
    stream = BytesIO()
    picture.save(stream, kind, save_all=save_all, **options)
    return stream.getvalue()


def png(width: int, height: int, pixels: bytes, bits: int = 8, colour: int = 2) -> bytes:
    """A PNG with any promise in its header; `pixels`: packed rows."""
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")


def full_png(side: int, bits: int, colour: int, pixel_bytes: float) -> bytes:
    """A black PNG as large as its header says; `pixel_bytes`: bytes of a pixel."""
    return png(side, side, _zeros(side * (1 + ceil(pixel_bytes * side))), bits, colour)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _zeros(count: int) -> bytes:
    """`count` zero bytes, compressed without holding them all in memory."""
    packer, million = zlib.compressobj(1), bytes(1_000_000)
    parts = [packer.compress(million[: min(len(million), count - start)]) for start in range(0, count, len(million))]
    return b"".join((*parts, packer.flush()))


def jpeg_that_claims(side: int) -> bytes:
    """A JPEG of 8 x 8 pixels whose header promises a larger one."""
    raw = saved(Image.new("RGB", (8, 8)), "JPEG")
    return raw.replace(b"\x08\0\x08\0\x08\x03", b"\x08" + struct.pack(">HH", side, side) + b"\x03")


def tiff(tags: dict[int, int], strip: bytes = b"", following: int = 0) -> bytes:
    """A TIFF of one list of whole numbers, behind its only strip."""
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in sorted(tags.items()))
    head, count, last = struct.pack("<I", 8 + len(strip)), struct.pack("<H", len(tags)), struct.pack("<I", following)
    return b"II*\0" + head + strip + count + entries + last


def hungry_tiff(orientation: int = 6) -> bytes:
    """A TIFF of real numbers in one strip: with a quarter turn, which Pillow makes of the whole, it wants 384 MB."""
    side, strip = LARGEST_SIDE, _zeros(4 * LARGEST_SIDE**2)
    sizes = {256: side, 257: side, 278: side, 279: len(strip)}
    return tiff({**sizes, 258: 32, 259: 8, 262: 1, 273: 8, 274: orientation, 339: 3}, strip)
