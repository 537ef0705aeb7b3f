"""Pictures at the door: right, or one sentence. Every broken file is made here."""

import zlib
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from benchmarks.hostile.pictures import jpeg_of_scans, jpeg_that_claims, saved, slow_ppm, unwritable_exif, with_exif
from benchmarks.hostile.pictures import png as made_png
from core.errors import InputError
from core.images import EXAMPLES, LARGEST_FILE, Patches, open_example, open_picture
from core.images.decoder import ENOUGH, LONGEST_SIDE, MOST_SCANS, count_scans

GENERATOR = np.random.default_rng(0)
COLOURS = GENERATOR.integers(0, 256, (20, 30, 3), dtype=np.uint8)
PHOTO = Image.fromarray(COLOURS)


def png_that_claims(width: int, height: int) -> bytes:
    return made_png(width, height, zlib.compress(bytes(100)))


def webp_that_claims(width: int, height: int) -> bytes:
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF" + bytes(4) + b"WEBPVP8X" + (10).to_bytes(4, "little") + bytes(4) + sides + bytes(100)


REFUSED = {
    "zero bytes": (b"", r"empty \(0 bytes\)"),
    "a large file": (b"\xff\xd8" + bytes(LARGEST_FILE), "20,000,002 bytes; a picture may have at most 20,000,000"),
    "a bomb": (png_that_claims(30_000, 30_000), "30,000 × 30,000 pixels; neither side may have more than 20,000"),
    "a strip": (png_that_claims(1, 50_000_000), "1 × 50,000,000 pixels; neither side may have more than 20,000"),
    "a small bomb": (png_that_claims(10_000, 6_000), r"60,000,000 pixels \(10,000 × 6,000\); in PNG .* 32,000,000"),
    "a little too much": (png_that_claims(5657, 5657), r"32,001,649 pixels .* at most 32,000,000"),
    "a large WebP": (webp_that_claims(7000, 7000), "49,000,000 pixels; in WebP files at most 16,000,000"),
    "a large JPEG": (jpeg_that_claims(12_000), r"144,000,000 pixels .*; in JPEG files at most 128,000,000"),
    "many scans": (jpeg_of_scans(Image.new("RGB", (1500, 1000)), 2000), "2,000 scans.* at most 20"),
    "20 scans more": (jpeg_of_scans(Image.new("RGB", (1500, 1000)), 30), "30 scans.* at most 20"),
    "no number at all": (saved(Image.fromarray(np.full((2, 3), np.nan, np.float32)), "TIFF"), "3 × 2 .* each .*NaN"),
    "a minute of work": (slow_ppm(), "more than 3 seconds"),
    "a promise not kept": (png_that_claims(500, 400), r"PNG file is damaged.*500 × 400"),
    "a cut JPEG": (saved(PHOTO.resize((300, 300)), "JPEG")[:2000], "JPEG file is damaged.*300 × 300"),
    "a cut PNG": (saved(PHOTO)[:-100], "PNG file is damaged"),
    "a cut WebP": (saved(PHOTO, "WEBP")[:60], "damaged|not a picture"),
    "a header alone": (saved(PHOTO)[:20], "damaged|not a picture"),
    "SVG": (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "vector drawing"),
    "bare SVG": (b"\xef\xbb\xbf  <svg></svg>", "vector drawing"),
    "HEIC": (b"\0\0\0\x18ftypheic" + bytes(40), "HEIC"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3", "PDF"),
    "a text": (b"Who listens to whom?", "a text, not a picture"),
    "a program": (b"\x7fELF" + bytes(60), "not a picture"),
    "PostScript": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not a picture"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_one_sentence_with_the_rule(case):
    raw, rule = REFUSED[case]
    with pytest.raises(InputError, match=rule):
        open_picture(raw)


@pytest.mark.parametrize(
    ("kind", "error"), [("PNG", 0), ("BMP", 0), ("TIFF", 0), ("GIF", 60), ("JPEG", 60), ("WEBP", 60), ("AVIF", 60)]
)
def test_every_format_is_read_whatever_its_name(kind, error):
    picture = Image.fromarray(np.tile(np.linspace(0, 255, 64, dtype=np.uint8)[:, None, None], (1, 64, 3)))
    read = open_picture(saved(picture, kind))
    assert read.mode == "RGB"
    assert np.abs(np.asarray(read).astype(int) - np.asarray(picture)).max() <= error


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        *((mode, "PNG") for mode in ("1", "L", "LA", "P", "RGBA", "I;16")),
        *((mode, "TIFF") for mode in ("I", "F", "CMYK", "LAB")),
        *((mode, "JPEG") for mode in ("CMYK", "YCbCr")),
    ],
)
def test_every_mode_becomes_rgb(mode, kind):
    if mode == "I;16":
        picture = Image.fromarray(COLOURS[..., 0].astype(np.uint16) * 257)
    elif mode == "LAB":
        picture = Image.new("LAB", PHOTO.size, (128, 128, 128))
    else:
        picture = PHOTO.convert(mode)
    read = open_picture(saved(picture, kind))
    assert (read.mode, read.size) == ("RGB", (30, 20))


def test_sixteen_bits_are_scaled_to_eight():
    grey = np.array([[0, 257 * 100, 65535]], dtype=np.uint16)
    assert np.asarray(open_picture(saved(Image.fromarray(grey))))[0, :, 0].tolist() == [0, 100, 255]


def test_real_numbers_are_scaled_and_what_is_no_number_is_black():
    values = np.array([[-1.0, 0.0, 1.0, np.nan]], dtype=np.float32)
    read = open_picture(saved(Image.fromarray(values), "TIFF"))
    assert np.asarray(read)[0, :, 0].tolist() == [0, 128, 255, 0]


def test_cmyk_keeps_its_colours():
    red = Image.new("CMYK", (16, 16), (0, 255, 255, 0))
    assert np.abs(np.asarray(open_picture(saved(red, "JPEG")))[8, 8].astype(int) - (255, 0, 0)).max() < 12


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "L", "RGB"])
def test_what_is_transparent_is_white(mode):
    black = (0,) * len(mode) if len(mode) > 1 else 0
    options = {} if mode.endswith("A") else {"transparency": black}
    raw = saved(Image.new(mode, (4, 4), black), **options)
    assert np.asarray(open_picture(raw)).min() == 255


def test_half_transparent_is_mixed_with_white():
    raw = saved(Image.new("RGBA", (1, 1), (0, 0, 0, 128)))
    assert open_picture(raw).getpixel((0, 0)) == (127, 127, 127)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_exif_rotation_is_applied(orientation, mode):
    """Turned by hand, as the EXIF standard words it, and compared."""
    upright = Image.fromarray(COLOURS)
    undo = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,  # stored turned left, shown turned right
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    stored = upright.transpose(undo[orientation]) if orientation in undo else upright
    exif = Image.Exif()
    exif[0x0112] = orientation
    read = open_picture(saved(stored.convert(mode), exif=exif))
    np.testing.assert_array_equal(np.asarray(read), COLOURS)


def test_broken_exif_is_no_reason_to_refuse():
    raw = saved(PHOTO, "JPEG", exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff" + b"\x01" * 40)
    assert open_picture(raw).size == (30, 20)


def test_exif_data_that_cannot_be_written_again_still_turn_the_picture():
    read = open_picture(with_exif(saved(PHOTO, "JPEG", quality=100, subsampling=0), unwritable_exif()))
    expected = np.rot90(COLOURS, -1).astype(int)
    assert np.abs(np.asarray(read) - expected).max() < 60
    assert np.abs(np.asarray(read) - expected).mean() < 3


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP", "TIFF"])
def test_of_an_animation_the_first_picture_is_taken(kind):
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "lime", "blue")]
    raw = saved(frames[0], kind, save_all=True, append_images=frames[1:])
    assert np.abs(np.asarray(open_picture(raw))[4, 4].astype(int) - (255, 0, 0)).max() < 12


@pytest.mark.parametrize("size", [(1, 1), (1, 5000), (5000, 1)])
def test_extreme_shapes_are_read(size):
    assert open_picture(saved(Image.new("RGB", size), "PNG")).size == size


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP", "TIFF"])
def test_the_longest_strip_is_read_and_a_longer_one_is_not(kind):
    read = open_picture(saved(Image.new("RGB", (3, LONGEST_SIDE)), kind))
    assert read.width == 1
    assert 5000 < read.height <= 8 * ENOUGH
    with pytest.raises(InputError, match="3 × 20,001"):
        open_picture(saved(Image.new("RGB", (3, LONGEST_SIDE + 1)), kind))


@pytest.mark.parametrize("mode", ["1", "L", "CMYK"])
def test_as_many_scans_as_libjpeg_makes_are_read(mode):
    ordinary = saved(Image.new(mode, (64, 48)).convert("RGB" if mode == "1" else mode), "JPEG", progressive=True)
    assert count_scans(ordinary) <= MOST_SCANS - 2
    assert open_picture(ordinary).size == (64, 48)


def test_scans_are_counted_in_the_picture_only():
    """Not in the small picture that EXIF data may hold, nor behind the end, where a phone may keep a second picture."""
    jpeg = saved(PHOTO, "JPEG")
    assert count_scans(jpeg) == 1
    assert count_scans(with_exif(jpeg, jpeg * 3) + jpeg * 3) == 1
    assert count_scans(jpeg_of_scans(PHOTO, 77)) == 77
    assert count_scans(jpeg[:-2] + b"\xff\xff\xda\0\x02" + b"\xff\0\xff\xd0") == 2


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_a_damaged_file_is_a_picture_or_a_sentence(data):
    raw = bytearray(saved(PHOTO, data.draw(st.sampled_from(["PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP"]))))
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with suppress(InputError):  # and nothing else
        assert open_picture(bytes(raw)).mode == "RGB"


@given(st.binary(max_size=300))
def test_any_bytes_are_a_picture_or_a_sentence(raw):
    with suppress(InputError):
        open_picture(raw)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_come_with_the_installed_packages(name):
    picture = open_example(name)
    assert picture.mode == "RGB"
    assert min(picture.size) >= 256


def test_an_unknown_example_is_a_sentence():
    with pytest.raises(InputError, match="cat, coffee"):
        open_example("../../etc/passwd")


def test_patches_are_counted_with_their_prefix():
    assert len(Patches(3, 4, ("class", "register 1"))) == 14


@pytest.mark.parametrize(("side", "read"), [(2047, 2047), (2048, 1024), (4096, 1024)])
def test_a_large_jpeg_is_read_at_a_part_of_its_size_and_looks_the_same(side, read):
    values = np.linspace(0, 255, side).astype(np.uint8)
    ramp = Image.fromarray(np.broadcast_to(values, (side, side)).copy()).convert("RGB")
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    picture = open_picture(saved(ramp, "JPEG", quality=95, exif=exif))
    assert picture.size == (read, read)
    expected = np.asarray(ramp.rotate(180).resize((read, read), Image.Resampling.BOX), dtype=int)
    assert np.abs(np.asarray(picture, dtype=int) - expected).max() <= 3


@pytest.mark.parametrize("mode", ["L", "P", "RGB", "RGBA", "CMYK", "I;16", "F"])
def test_other_large_pictures_are_made_smaller_and_look_the_same(mode):
    """In bands of rows, which must not show in a ramp; real numbers fill the scale."""
    down, across = np.mgrid[0:3100, 0:2100]
    grey = (down * 0.05 + across * 0.04).astype(np.uint8)
    if mode == "I;16":
        ramp = Image.fromarray(grey.astype(np.uint16) * 257)
    elif mode == "P":
        ramp = Image.fromarray(grey).convert("P")
    else:
        ramp = Image.fromarray(grey).convert("RGB" if mode == "CMYK" else mode).convert(mode)
    raw = saved(ramp, "PNG") if mode.startswith("RGB") else saved(ramp, "TIFF", compression="tiff_adobe_deflate")
    picture = open_picture(raw)
    assert picture.size == (1050, 1550)
    expected = np.asarray(Image.fromarray(grey).reduce(2), dtype=float) * (255 / grey.max() if mode == "F" else 1)
    assert np.abs(np.asarray(picture, dtype=float)[..., 0] - expected).max() <= 2
