"""Opening a picture: a file becomes RGB, or InputError says why not."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from PIL import Image

from ..errors import InputError
from .decoder import LARGEST, LARGEST_OTHER, LONGEST_SIDE
from .decoder_pool import Pool
from .example_pictures import EXAMPLES

LARGEST_FILE = 20_000_000  # bytes
LIMITS = (
    f"At most {LARGEST_FILE / 1e6:.0f} MB and {LONGEST_SIDE:,} pixels on a side; JPEG to {LARGEST['JPEG'] / 1e6:.0f} "
    f"megapixels, WebP and AVIF to {LARGEST['WebP'] / 1e6:.0f}, all others and progressive JPEG to "
    f"{LARGEST_OTHER / 1e6:.0f}."
)

DECODERS = Pool()


@dataclass(frozen=True)
class Patches:
    """The grid of patches of a model, row by row, after `prefix`, the labels of its tokens without a position."""

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
    example = EXAMPLES[name]
    picture = open_picture((Path(package.origin).parent / "data" / example.file).read_bytes())
    return picture.crop(example.part) if example.part else picture


def open_picture(raw: bytes) -> Image.Image:
    """The picture in a file, as RGB: turned as its EXIF data say, transparent parts over white.

    The format is read off the content, not the name. Of an animation or a document the first picture is taken; greys of
    more than 8 bits are scaled to 8. Pictures of 2,048 pixels or more on the shorter side are reduced by an integer
    factor, to at least 1,024. Decoding runs in a process of its own, with limited memory and time. Raises InputError
    with the rule and the numbers for all else.
    """
    if not raw:
        raise InputError("The file is empty (0 bytes). Choose a picture.")
    if len(raw) > LARGEST_FILE:
        raise InputError(
            f"The file has {len(raw):,} bytes; a picture may have at most {LARGEST_FILE:,}. "
            "Save it smaller, or as JPEG."
        )
    return DECODERS.decode(raw)
