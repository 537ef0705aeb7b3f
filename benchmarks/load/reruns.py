"""The processor time of a rerun: with a known input, and with a new one, besides that of the model alone."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import psutil
import torch

from benchmarks.load.pages import PLACES, Place
from benchmarks.load.visitor import Answer, Visitor
from benchmarks.server import EMPTY, Server, serving
from benchmarks.table import Row
from core import zoo
from core.capture import record_attention
from core.heads.contributions import watch_outputs
from core.heads.head_table import measure_heads, shares_of_output
from core.images import open_picture
from dashboard.cache.turns import THREADS

REPEATS = 20  # reruns one after another: the processor's clock is read before the first and after the last
# Milliseconds; by the name of a page where it has a budget of its own.
KNOWN, NEW = 30, 60
KNOWN_OF_PAGE = {"Vision transformer": 40}
RESOLUTION = 96  # pixels on a side of what the image model reads at first

_text_model, _image_model = cache(zoo.load_text), cache(zoo.load_image)
_translator = cache(zoo.load_translator)


@dataclass(frozen=True)
class Costs:
    """Milliseconds of the server's processor time for one rerun of a page; `model`: of the model alone, run here."""

    page: str
    again: float  # the same input again
    known: float  # another input, which the page has had before
    opened: float  # a new session at a known address
    new: float | None = None  # a new input
    model: float | None = None
    received: int = 0  # bytes of a known input


def rows() -> Iterator[Row]:
    """The costs of each page, against their budget."""
    for costs in measure(PLACES, REPEATS):
        detail = f"the same again {costs.again:.1f}, by a link {costs.opened:.1f}; {costs.received / 1000:.0f} kB"
        limit = None if costs.new is None else KNOWN_OF_PAGE.get(costs.page, KNOWN)
        yield Row(f"{costs.page}: processor time of a rerun of what is known", costs.known, "ms", limit, detail=detail)
        if costs.new is not None and costs.model is not None:
            remark = f"{costs.new:.1f} in all, of which the model alone {costs.model:.1f}: {COUNTED[costs.page]}"
            what = f"{costs.page}: processor time of something new, besides the model's"
            yield Row(what, costs.new - costs.model, "ms", NEW, detail=remark)


def measure(places: Sequence[Place], repeats: int) -> Iterator[Costs]:
    """The costs of the empty page, then of each of `places`, on a server that has warmed up and serves nobody else."""
    with serving(EMPTY) as server:
        server.wait_until_idle(2)
        yield asyncio.run(_empty(server, repeats))
    torch.set_num_threads(THREADS)  # as the server does
    with serving() as server:
        server.wait_until_idle()
        for place in places:
            yield asyncio.run(_page(server, place, repeats))


async def _empty(server: Server, repeats: int) -> Costs:
    async with Visitor(server.address) as visitor:
        await visitor.open()
        again, received = await _cost(server, repeats, lambda _: visitor.rerun())
    opened, _ = await _cost(server, repeats, lambda _: _by_link(server, "", {}))
    return Costs("The empty page", again, again, opened, received=received)


async def _page(server: Server, place: Place, repeats: int) -> Costs:
    chance = random.Random(18)
    async with Visitor(server.address) as visitor:
        await visitor.open(place.url)

        async def show(page_input: Any) -> Answer:
            return await visitor.rerun(**await place.show(visitor, page_input))

        for number in range(6):  # what comes with first times is not what a rerun costs
            await show(place.known_input(number))
        again_milliseconds, _ = await _cost(server, repeats, lambda _: visitor.rerun())
        known_milliseconds, received = await _cost(server, repeats, lambda number: show(place.known_input(number)))
        link = {place.about: place.known_input(0)}
        opened_milliseconds, _ = await _cost(server, repeats, lambda _: _by_link(server, place.url, link))
        await show(place.new_input(chance))
        inputs = [place.new_input(chance) for _ in range(repeats)]
        # A photograph is on the server before the clock is read: how it got there is no part of a rerun.
        arguments = [await place.show(visitor, page_input) for page_input in inputs]
        new_milliseconds, _ = await _cost(server, repeats, lambda number: visitor.rerun(**arguments[number]))
    work = MODEL_WORK[place.url]
    work(inputs[0])
    started = _own_seconds(server)
    for page_input in inputs:
        work(page_input)
    model_milliseconds = 1000 * (_own_seconds(server) - started) / repeats
    return Costs(
        place.name,
        again_milliseconds,
        known_milliseconds,
        opened_milliseconds,
        new_milliseconds,
        model_milliseconds,
        received,
    )


def _own_seconds(server: Server) -> float:
    """Processor time so far of this process and of its picture decoders, in seconds."""
    decoders = [child for child in psutil.Process().children() if child.pid != server.process.pid]
    return time.process_time() + sum(sum(decoder.cpu_times()[:2]) for decoder in decoders)


async def _by_link(server: Server, page: str, query: dict[str, str]) -> Answer:
    async with Visitor(server.address) as visitor:
        return await visitor.open(page, **query)


async def _cost(server: Server, repeats: int, ask: Callable[[int], Awaitable[Answer]]) -> tuple[float, int]:
    """Milliseconds of the server's processor time for one request, and the bytes that it sends for it."""
    received, before = 0, server.processor_seconds()
    for number in range(repeats):
        answer = await ask(number)
        if answer.troubles:
            raise RuntimeError(f"The page said: {answer.troubles[0]}")
        received += answer.received
    await asyncio.sleep(0.1)  # what the server still does once the page is there
    return 1000 * (server.processor_seconds() - before) / repeats, received // repeats


def _read(text: str) -> object:
    model = _text_model("gpt-books")
    with torch.inference_mode(), record_attention(model.network) as record:
        run = model.run(model.encode(text))
    return model, run, record


def _read_and_measure(text: str) -> None:
    model = _text_model("gpt-books")
    tokens = model.encode(text)
    with torch.inference_mode(), record_attention(model.network) as record:
        run = model.run(tokens)
    measure_heads(model, run, record)
    # What heads write is seen in a second run, as the page has to.
    shares_of_output(watch_outputs(model.network, lambda network: replace(model, network=network).run(tokens)))


def _look(content: bytes) -> None:
    model = _image_model("vit-tiny-imagenet")
    prepared = model.prepare(open_picture(content), resolution=RESOLUTION)
    with torch.inference_mode(), record_attention(model.network):
        model.run(prepared)


def _translate(text: str) -> None:
    for name in zoo.TRANSLATION:
        model = _translator(name)
        source = model.encode(text)
        model.align(source, model.tokens(model.write(source, beam=5, keep_steps=True).best.tokens))


# What the models themselves need for something new on a page, without the atlas around them.
MODEL_WORK: dict[str, Callable[[Any], object]] = {
    "text": _read,
    "image": _look,
    "heads": _read_and_measure,
    "translation": _translate,
    "vit": _look,
}
# The same in words, by the names of the pages.
COUNTED = {
    "Explore / Text": "one run",
    "Explore / Image": "the picture decoded, and one run",
    "Many heads": "two runs, one of them for what heads write, and every measure of each head",
    "Translation": "three models write; two are read for their maps, the third by gradients",
    "Vision transformer": "the picture decoded, and one run",
}
