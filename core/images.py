"""What happens to a picture at the door: a file of unknown origin becomes RGB, or one sentence says why not."""

import re
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from core.errors import InputError

LARGEST_FILE = 20_000_000  # bytes
LARGEST_PICTURE = 50_000_000  # pixels
ENOUGH = 1024  # pixels on the shorter side: more than any view shows, and twice what any model reads
# Pillow's other readers are for rare formats, old code or, as with PostScript, start another program.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "PPM")
READABLE = "JPEG, PNG, WebP, GIF, BMP, TIFF or AVIF"
Image.init()  # without it Pillow knows only five of them by name

# Photographs that scikit-image carries in its wheel: title in the address bar -> file.
EXAMPLES = {
    "cat": "chelsea.png",
    "coffee": "coffee.png",
    "astronaut": "astronaut.png",
    "rocket": "rocket.jpg",
    "motorcycle": "motorcycle_left.png",
    "photographer": "camera.png",
    "galaxies": "hubble_deep_field.jpg",
}


@dataclass(frozen=True)
class Patches:
    """How a model cuts a picture: patches row by row, after `prefix`, the labels of its tokens without a place."""

    rows: int
    columns: int
    prefix: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.prefix) + self.rows * self.columns


def open_example(name: str) -> Image.Image:
    """One of `EXAMPLES`, read from the installed scikit-image: nothing is ever downloaded."""
    if name not in EXAMPLES:
        raise InputError(f"There is no example '{name}'. Choose one of: {', '.join(EXAMPLES)}.")
    package = find_spec("skimage")
    if package is None or package.origin is None:
        raise InputError("The example photographs come with scikit-image: pip install scikit-image.")
    return open_picture((Path(package.origin).parent / "data" / EXAMPLES[name]).read_bytes())


def open_picture(raw: bytes) -> Image.Image:
    """The picture in a file, as RGB: turned as its EXIF data say, transparent parts over white.

    The content decides what the file is, not its name. Of an animation or a document the first picture is taken;
    greys of more than 8 bits are scaled to 8. A JPEG far larger than ENOUGH is read at a half, a quarter or an eighth
    of its size, which its format allows and which saves most of the time. Raises InputError with the rule and the
    numbers for all else.
    """
    if not raw:
        raise InputError("The file is empty (0 bytes). Choose a picture.")
    if len(raw) > LARGEST_FILE:
        raise InputError(
            f"The file has {len(raw) / 1e6:.1f} MB; a picture may have at most {LARGEST_FILE / 1e6:.0f} MB. "
            "Save it smaller, or as JPEG."
        )
    picture = _open(raw)
    promised = f"{picture.width:,} × {picture.height:,}"
    if picture.width * picture.height > LARGEST_PICTURE:
        raise _too_large(picture.width * picture.height, f" ({promised})")
    try:
        picture.draft("RGB", (ENOUGH, ENOUGH))  # of a JPEG only, and never below these sides
        picture.load()
        return _turn(_to_rgb(picture))
    except Exception as error:  # a decoder may fail in any way on a file made to break it
        raise InputError(
            f"The {picture.format} file is damaged: it cannot be read to its end "
            f"({promised} pixels are promised). Save or download it again."
        ) from error


def _open(raw: bytes) -> Image.Image:
    """Read the header only: no pixel is decoded yet."""
    try:
        return Image.open(BytesIO(raw), formats=FORMATS)
    except Image.DecompressionBombError as error:  # Pillow's guard, at twice Image.MAX_IMAGE_PIXELS
        pixels = re.search(r"\d+", str(error))
        raise _too_large(int(pixels.group()) if pixels else 2 * (Image.MAX_IMAGE_PIXELS or 0)) from error
    except UnidentifiedImageError as error:
        raise InputError(_say_what_it_is(raw)) from error
    except Exception as error:  # as above
        raise InputError("The picture is damaged: its header cannot be read. Save it again.") from error


def _too_large(pixels: int, sides: str = "") -> InputError:
    return InputError(
        f"The picture has {pixels / 1e6:,.0f} megapixels{sides}; at most {LARGEST_PICTURE / 1e6:.0f} are read. "
        "Make it smaller first."
    )


def _say_what_it_is(raw: bytes) -> str:
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


def _to_rgb(picture: Image.Image) -> Image.Image:
    """EXIF data stay with the picture; everything about colour is settled."""
    exif = picture.getexif()
    if picture.mode.startswith(("I", "F")):
        picture = _to_eight_bits(picture)
    if picture.has_transparency_data:
        picture = picture.convert("RGBA")
        picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
    picture = picture.convert("RGB")
    picture.info = {"exif": exif.tobytes()} if exif else {}
    return picture


def _to_eight_bits(picture: Image.Image) -> Image.Image:
    """16 bits by their scale; whole and real numbers without a scale from their smallest to their largest."""
    values = np.asarray(picture, dtype=np.float64)
    finite = values[np.isfinite(values)]
    low, high = (0.0, 65535.0) if picture.mode.startswith("I;16") else (finite.min(), finite.max())
    scaled = np.nan_to_num((values - low) / ((high - low) or 1.0), nan=0.0, posinf=1.0, neginf=0.0)
    return Image.fromarray((scaled * 255).round().astype(np.uint8))


def _turn(picture: Image.Image) -> Image.Image:
    turned = ImageOps.exif_transpose(picture)
    turned.info = {}
    return turned
