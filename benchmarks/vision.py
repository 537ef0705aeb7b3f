"""Vision: loading the models, a photograph of a phone's size, and what a visitor waits for on both pages."""

import statistics
import time
from collections.abc import Iterator
from functools import partial
from io import BytesIO

import numpy as np
import torch
from PIL import Image
from playwright.sync_api import FilePayload, Page, expect

from benchmarks import controls
from benchmarks.browser import UNTIL_CHANGED, count_bytes
from benchmarks.measure import times
from benchmarks.student import opened, visiting, wait
from benchmarks.table import Row
from core import zoo
from core.attribution.image_methods import explain
from core.capture import record_attention
from core.generation.rules import Rules
from core.images import open_example, open_picture
from core.vision.patch_masks import RANDOM, hide_patches
from core.vision.pixel_drawing import draw_rest
from core.zoo.embedded import IMAGE
from core.zoo.image_gpts import IMAGE_GPTS, NEXT, PixelReader, load_image_gpt

PHONE = (4032, 3024)  # 12 megapixels
ON_ITS_SIDE = {0x0112: 6}  # EXIF: turn by a quarter to see it upright
# The first map is there when its sentence says where the head looks.
WITHIN = ".photos"
MAPPED = f"{WITHIN} .told"


def rows() -> Iterator[Row]:
    """Models alone, then both pages."""
    for name in IMAGE:
        (seconds,) = times(partial(zoo.load_image, name, attends=False), repeats=5)
        yield Row(f"Vision: loading {name}", seconds, "s", 0.5)
    yield from _recorded()
    photograph = phone_photograph()
    for name in (*zoo.GLOBAL_ATTENTION, "swin-tiny-imagenet"):
        model = zoo.load_image(name)
        (seconds,) = times(partial(_first_map, model, photograph), repeats=3)
        yield Row(f"Vision: 12 megapixels, turned by EXIF, to the first map of {name}", seconds, "s", 1.5)
    model = zoo.load_image("vit-tiny-imagenet")
    prepared = model.prepare(open_example("cat"), resolution=128)
    (seconds,) = times(partial(explain, model, prepared.pixels, prepared.patches), repeats=3)
    yield Row("Vision: attention, rollout and relevance of 257 tokens", seconds, "s")
    yield from _generation_rows()
    (seconds,) = times(partial(zoo.load_autoencoder, "mae"), repeats=5)
    yield Row("Reconstruction: loading mae", seconds, "s", 0.5)
    autoencoder = zoo.load_autoencoder("mae")
    hidden = hide_patches(RANDOM, autoencoder.grid, autoencoder.grid, 0.75)
    pixels = autoencoder.prepare(open_example("cat")).pixels
    (seconds,) = times(partial(autoencoder.run, pixels, hidden), repeats=9)
    yield Row("Reconstruction: 48 of 64 patches guessed by mae", 1000 * seconds, "ms", 100)
    with visiting() as (page, address):
        received = count_bytes(page)
        yield from _visit(page, address, received, photograph)
        yield from _reconstructed(page, address)
        yield from _pixels(page, address)


def _recorded() -> Iterator[Row]:
    """The time of recording Swin, window by window, relative to its forward pass."""
    model = zoo.load_image("swin-tiny-imagenet")
    pixels = model.prepare(open_example("cat"), resolution=256).pixels

    @torch.inference_mode()
    def plain() -> object:
        return model.network(pixels)

    @torch.inference_mode()
    def watched() -> object:
        with record_attention(model.network) as record:
            model.network(pixels)
        return record

    without, recorded = times(plain, watched, repeats=9)
    what = "Vision: recording swin-tiny-imagenet at 256 x 256, against its plain forward pass"
    yield Row(what, recorded / without, "x")


def _generation_rows() -> Iterator[Row]:
    """Image-GPT alone: the lower half of a picture, pixel by pixel."""
    for name in IMAGE_GPTS:
        (seconds,) = times(partial(load_image_gpt, name), repeats=5)
        yield Row(f"Reconstruction: loading image-GPT, {name}", seconds, "s", 0.5)
    reader = load_image_gpt(NEXT)
    upper_half = reader.prepare(open_example("coffee")).colours[: reader.side**2 // 2]
    for count in (4, 8):
        (seconds,) = times(partial(_all_rows, reader, upper_half, count), repeats=3)
        yield Row(f"Reconstruction: half a picture drawn by image-GPT, {count} completions", seconds, "s", 3)


def _all_rows(reader: PixelReader, upper_half: torch.Tensor, count: int) -> list[torch.Tensor]:
    return list(draw_rest(reader.network, upper_half, count, Rules(), seed=0))


def _pixels(page: Page, address: str) -> Iterator[Row]:
    """Waits in image-GPT's sections, where half of the picture is drawn again at each choice."""
    for section, query in (
        ("Pixel by pixel", {}),
        ("Pixel by pixel", {"pixel_task": "hidden pixels"}),
        ("Looking up", {}),
        ("Side by side", {}),
    ):
        opened(page, address, "reconstruction", section, **query)
        label, slowest = max(controls.waits(page), key=lambda label_and_wait: label_and_wait[1])
        what = (
            f"Reconstruction, {section}{', hidden pixels' if query else ''}: slowest control, until the page is still"
        )
        yield Row(what, slowest, "ms", 3000, detail=label)


def phone_photograph() -> bytes:
    """An example photograph with a phone's number of pixels, noise and EXIF data."""
    noise = np.random.default_rng(0).integers(-12, 13, (*PHONE[::-1], 3))
    values = np.asarray(open_example("coffee").resize(PHONE), dtype=np.int64) + noise
    exif = Image.Exif()
    for tag, value in ON_ITS_SIDE.items():
        exif[tag] = value
    stream = BytesIO()
    Image.fromarray(values.clip(0, 255).astype(np.uint8)).save(stream, "JPEG", quality=90, exif=exif)
    return stream.getvalue()


def _first_map(model: zoo.ImageModel, raw: bytes) -> None:
    prepared = model.prepare(open_picture(raw), resolution=128)
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(prepared)
    record.calls[-1].weights(head=0)


def _visit(page: Page, address: str, received: list[int], photograph: bytes) -> Iterator[Row]:
    _opened(page, f"{address}/vit?show=Maps")
    _opened(page, f"{address}/swin?show=Maps")  # both models are in memory now
    for name in ("vit", "swin"):
        _opened(page, f"{address}/{name}?show=Maps&picture=rocket")
        yield Row(f"Vision: another head, page {name}", _median(page, ".heads button", "click"), "ms", 50)
        moved = _median(page, ".photo canvas", "click")
        yield Row(f"Vision: another patch, page {name}", moved, "ms", 50)
    received.clear()
    waited = _opened(page, f"{address}/vit?show=Maps&network=vit-tiny-imagenet&patches=40")
    yield Row("Vision: 1,601 tokens, address to the map", waited, "s", 2)
    yield Row("Vision: 1,601 tokens, all that the server sent", sum(received) / 1e6, "MB", 4)
    yield Row("Vision: 1,601 tokens, another head", _median(page, ".heads button", "click"), "ms", 50)
    yield Row("Vision: 1,601 tokens, another patch", _median(page, ".photo canvas", "click"), "ms", 50)
    _opened(page, f"{address}/vit?show=Maps")
    page.get_by_test_id("stPopoverButton").first.click()
    before = page.locator(MAPPED).inner_text()
    started = time.perf_counter()
    file = FilePayload(name="phone.jpg", mimeType="image/jpeg", buffer=photograph)
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(MAPPED)).not_to_have_text(before, timeout=60_000)
    waited = time.perf_counter() - started
    yield Row("Vision: a photograph of 12 megapixels, from the file to the map on the page", waited, "s", 1.5)


def _reconstructed(page: Page, address: str) -> Iterator[Row]:
    """Waits for new photographs, then for every control of the autoencoder's sections."""
    opened(page, address, "reconstruction", "Fill the gaps")
    names = ("cat", "astronaut", "rocket")
    waits = [wait(page, page.get_by_role("radio", name=name, exact=True).click) for name in names]
    yield Row("Reconstruction: new photograph to its reconstruction", statistics.median(waits), "ms", 3000)
    for section in ("Fill the gaps", "Who told it?", "Measured"):
        opened(page, address, "reconstruction", section)
        label, slowest = max(controls.waits(page), key=lambda label_and_wait: label_and_wait[1])
        what = f"Reconstruction, {section}: slowest control, until the page is still"
        yield Row(what, slowest, "ms", 400, detail=label)


def _opened(page: Page, address: str) -> float:
    """Seconds from the address to the first sentence of the map."""
    started = time.perf_counter()
    page.goto(address)
    page.locator(MAPPED).filter(has_text="%").first.wait_for(timeout=60_000)
    seconds = time.perf_counter() - started
    page.wait_for_timeout(1500)
    return seconds


def _median(page: Page, target: str, kind: str) -> float:
    """Milliseconds until the sentence has changed, the median over three heads, or over three places of one canvas."""
    several = page.locator(f"{WITHIN} {target}").count() > 1
    waits = []
    for number in (1, 0, 1):
        place = [0.2 + 0.3 * number, 0.3 + 0.2 * number]
        waits.append(page.evaluate(UNTIL_CHANGED, [target, number if several else 0, kind, *place, MAPPED, WITHIN]))
    return statistics.median(waits)
