"""Long text: reading, overviews and tiles of up to 131,072 tokens, and what the browser waits for."""

import random
import statistics
import time
from collections.abc import Iterator
from functools import partial

import torch
from playwright.sync_api import Page, Request
from transformers import AutoConfig, AutoModelForCausalLM

from benchmarks.measure import peak_memory, times
from benchmarks.student import visiting
from benchmarks.table import Row
from core import zoo
from core.long_context import LongReading, read
from core.long_context.head_map import TILE, HeadMap, Pyramid
from core.long_context.links import strongest_links
from core.long_context.needles import score_heads
from core.long_context.planting import haystack, make_needle, plant
from core.models.gpt_rotary import RotaryGPT
from core.text import encode, read_text
from dashboard.cache.turns import THREADS
from dashboard.long_text.books import BOOKS, book_text
from dashboard.long_text.open_reading import NEARBY

MODEL = "gpt-books-long"
OVERVIEW, SHORTER, LONGEST = 16_384, 32_768, 131_072  # tokens
PEER = 4096  # tokens: one length more and `output_attentions` keeps 9.7 GB of maps
TILES = 60  # of random places and depths
FRAMES = 120  # of a motion of the map
READ = 120_000  # milliseconds until the server has started and read a text
NEEDLES, FAR = 100, 128  # sentences, tokens to a far link
# Tokens of a text with one of them: as many as the model was trained on, and twice as many, of which it uses fewer.
HAYSTACKS = {1024: 95, 2048: None}
DEEPEST = 0.8  # of the text: from there on its end, which asks, is no longer far
PLACES = ("lighthouse", "garden", "library", "harbour", "castle", "mill", "chapel", "bridge", "cellar", "tower")
THINGS = ("pelican", "violin", "lantern", "anchor", "teapot", "falcon", "mirror", "compass", "saddle", "turnip")
WORDS = "the sea and a ship that went to an island in the rain with no one on it but me"


def rows() -> Iterator[Row]:
    """The core alone, with as many threads as the server gives one computation; then a page in a browser."""
    before = torch.get_num_threads()
    torch.set_num_threads(THREADS)
    try:
        yield from _core_rows()
    finally:
        torch.set_num_threads(before)
    yield from _browser_rows()


def _needle_row(model: zoo.TextModel, length: int, least: int | None) -> Row:
    """How many of 100 planted sentences the list of far links leads to, in the head that attends to them most."""
    text = haystack(model, book_text(next(iter(BOOKS))), length)
    sentences = [f"The password of the {place} is silver {thing}." for place in PLACES for thing in THINGS]
    met = 0
    for number, sentence in enumerate(sentences):
        depth = DEEPEST * number / NEEDLES
        planted = plant(model, text, make_needle(model, sentence, cue_words=6), length, depth)
        reading = LongReading(planted.tokens)
        read(model, reading)
        shares = score_heads(reading.layers, planted).shares.nan_to_num(-1.0)
        layer, head = divmod(int(shares.argmax()), shares.shape[1])
        head_map = reading.layers[layer].head(head)
        links = strongest_links(head_map, head_map.pyramid(), farther_than=FAR, from_key=1, nearby=NEARBY)
        met += any(link.query in planted.rows and link.key in planted.needle for link in links)
    return Row(
        f"Long text: planted needles among {NEEDLES} in the list of far links of the head that attends most, "
        f"{length:,} tokens",
        met,
        "",
        least,
        at_least=True,
        detail=f"links farther than {FAR} tokens; the model was trained on {min(HAYSTACKS):,}",
    )


def _core_rows() -> Iterator[Row]:
    model = zoo.load_text(MODEL, longest=LONGEST)
    text = _words(LONGEST)
    started = time.perf_counter()
    reading = _read(model, read_text(text.encode()), OVERVIEW)
    reading.layers[2].head(3).pyramid()
    yield Row("Long text: 16,384 tokens, file to the first overview", time.perf_counter() - started, "s", 20)
    yield from _peer_rows(model, text)
    yield from (_needle_row(model, length, least) for length, least in HAYSTACKS.items())
    shorter = peak_memory(lambda: _read(model, text, SHORTER))
    readings: list[LongReading] = []
    started = time.perf_counter()
    longest = peak_memory(lambda: readings.append(_read(model, text, LONGEST)))
    yield Row("Long text: 131,072 tokens, whole reading", (time.perf_counter() - started) / 60, "min", 20)
    yield Row("Long text: 131,072 tokens, memory at most", longest / 1e9, "GB", 3)
    yield Row("Long text: growth of memory from 32,768 to 131,072 tokens", longest / shorter, "x", 4.2)
    head = readings[0].layers[2].head(3)
    first = time.perf_counter()
    reports: list[float] = []
    pyramid = head.pyramid(lambda _done, _total: reports.append(time.perf_counter() - first))
    yield Row("Long text: 131,072 tokens, overview of a newly opened head", time.perf_counter() - first, "s", 10)
    yield Row("Long text: 131,072 tokens, first progress of that overview", reports[0], "s", 1)
    waits = [1000 * seconds for seconds in _tiles(head, pyramid)]
    slowest = f"slowest {max(waits):.0f} ms"
    yield Row("Long text: 131,072 tokens, a tile computed", statistics.median(waits), "ms", 100, detail=slowest)


def _words(count: int) -> str:
    """A text of more than `count` tokens: short English words in a random order."""
    words = WORDS.split()
    drawn = random.Random(0).choices(words, k=count)
    return " ".join(word if place % 12 else f"{word}." for place, word in enumerate(drawn, start=1))


def _read(model: zoo.TextModel, text: str, count: int) -> LongReading:
    reading = LongReading(encode(model.tokenizer, text, context=count))
    assert len(reading) == count
    read(model, reading)
    return reading


def _tiles(head: HeadMap, pyramid: Pyramid) -> Iterator[float]:
    """Seconds for tiles of random depths and places on or below the diagonal."""
    generator = random.Random(0)
    for _ in range(TILES):
        depth = generator.randrange(head.deepest)
        row = generator.randrange(max(1, len(head) // (TILE << depth)))
        column = generator.randrange(row + 1)
        started = time.perf_counter()
        head.tile(depth, row, column, pyramid)
        yield time.perf_counter() - started


def _peer_rows(model: zoo.TextModel, text: str) -> Iterator[Row]:
    """The same sizes in transformers' GPT-2, whose `output_attentions` keeps every map."""
    network = model.network
    assert isinstance(network, RotaryGPT)
    config = network.config
    sizes = {"n_embd": config.width, "n_layer": config.layers, "n_head": config.heads, "n_positions": PEER}
    peer = AutoModelForCausalLM.from_config(
        AutoConfig.for_model("gpt2", vocab_size=config.vocabulary, **sizes), attn_implementation="eager"
    ).eval()
    ids = torch.tensor([encode(model.tokenizer, text, context=PEER).ids])
    theirs = torch.inference_mode()(partial(peer, ids, output_attentions=True))
    ours = partial(_read, model, text, PEER)
    own_time, peer_time = times(ours, theirs, repeats=1)
    detail = f"{peer_time:.1f} s; BertViz draws 256 tokens of 144 heads at most (see its rows)"
    yield Row(
        "Long text: `output_attentions` against reading, 4,096 tokens, time", peer_time / own_time, "x", detail=detail
    )
    own_memory, peer_memory = peak_memory(ours), peak_memory(theirs)
    detail = f"{peer_memory / 1e9:.1f} GB against {own_memory / 1e9:.2f}"
    yield Row(
        "Long text: `output_attentions` against reading, 4,096 tokens, memory",
        peer_memory / own_memory,
        "x",
        detail=detail,
    )


def _browser_rows() -> Iterator[Row]:
    with visiting() as (page, address):
        # The links are asked for when the text is read and the overview of the open head is there.
        with page.expect_response(lambda response: "/links/" in response.url, timeout=READ):
            page.goto(f"{address}/long-text?tokens=4096")
        waits = _zoom(page)
        yield Row("Long text: a tile in view, server and browser", statistics.median(waits), "ms", 100)
        yield Row("Long text: frames while the map is dragged", _frames(page), "1/s", 50, at_least=True)


def _zoom(page: Page) -> list[float]:
    """Milliseconds of the requests for tiles while the map is zoomed from all of the text to single words."""
    tiles: list[Request] = []
    page.on("requestfinished", lambda request: tiles.append(request) if "/tile/" in request.url else None)
    zoom = page.get_by_role("button", name="Zoom in")
    for _ in range(12):
        zoom.click()
        page.wait_for_timeout(400)
    return [request.timing["responseEnd"] for request in tiles]


def _frames(page: Page) -> float:
    """Frames a second while the map is dragged over what is there."""
    box = page.locator(".long-map canvas").first.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("""() => {
        window.frames_drawn = 0;
        const count = () => { window.frames_drawn += 1; requestAnimationFrame(count); };
        requestAnimationFrame(count);
    }""")
    started = time.perf_counter()
    for step in range(FRAMES):
        page.mouse.move(x + 40 * (step % 2), y + 40 * (step % 3))
    frames = page.evaluate("() => window.frames_drawn") / (time.perf_counter() - started)
    page.mouse.up()
    return frames
