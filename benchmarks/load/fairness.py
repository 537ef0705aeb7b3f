"""Fairness: the wait for a short question while other visitors have long work done."""

import asyncio
import random
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.load.pages import TEXT, sentence
from benchmarks.load.visitor import Visitor
from benchmarks.server import serving
from benchmarks.table import Row

MEASURING, QUESTIONS, PAUSE = 2, 12, 1.0  # visitors who measure everything; short questions, with seconds between
SENTENCES = 60  # of a text that takes long to measure: some 1,300 tokens


@dataclass(frozen=True)
class Fairness:
    """Seconds until a new sentence was answered: on an idle server (`alone`), and while others measured (`beside`)."""

    alone: list[float]
    beside: list[float]
    measured: int  # texts that the others have measured to the end meanwhile


def rows() -> Iterator[Row]:
    """The longest wait for a short question while two visitors measure everything."""
    waits = measure(QUESTIONS)
    detail = (
        f"median {statistics.median(waits.beside):.3f} s, alone {statistics.median(waits.alone):.3f} s; "
        f"{waits.measured} long jobs were finished meanwhile"
    )
    what = f"{MEASURING} visitors silence every head in turn: a third one's new sentence, the longest of {QUESTIONS}"
    yield Row(what, max(waits.beside), "s", 1, detail=detail)


def measure(questions: int) -> Fairness:
    """Ask `questions` questions alone, and as many beside the others, on a server that has warmed up."""
    with serving() as server:
        server.wait_until_idle()
        return asyncio.run(_measure(server.address, questions))


async def _measure(address: str, questions: int) -> Fairness:
    chance = random.Random(3)
    async with Visitor(address) as visitor:
        await visitor.open("text")
        await _ask(visitor, 2, chance)
        alone = await _ask(visitor, questions, chance)
        finished: list[int] = []
        started = [asyncio.Event() for _ in range(MEASURING)]
        others = [asyncio.create_task(_keep_measuring(address, n, started[n], finished)) for n in range(MEASURING)]
        await asyncio.gather(*(event.wait() for event in started))
        beside = await _ask(visitor, questions, chance)
        for other in others:
            if other.done():
                other.result()  # it was to go on until now: this says what ended it
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)
    return Fairness(alone, beside, len(finished))


async def _ask(visitor: Visitor, questions: int, chance: random.Random) -> list[float]:
    waits = []
    for _ in range(questions):
        text = sentence(chance)
        answer = await visitor.rerun({TEXT: text}, {TEXT: text})
        if answer.troubles:
            raise RuntimeError(f"The page said: {answer.troubles[0]}")
        waits.append(answer.seconds)
        await asyncio.sleep(PAUSE)
    return waits


async def _keep_measuring(address: str, number: int, started: asyncio.Event, finished: list[int]) -> None:
    """Have all heads silenced in turn on one long text after another; `started` is set when the first one runs."""
    chance = random.Random(100 + number)
    while True:
        async with Visitor(address) as visitor:
            text = " ".join(sentence(chance) for _ in range(SENTENCES))
            request_time = await visitor.arrive("heads", show="Ablated heads", text=text)
            answer = await visitor.finish(request_time, until=lambda so_far: bool(so_far.progress))
            started.set()
            if answer.progress:
                answer = await visitor.finish(request_time)
            if answer.troubles:
                raise RuntimeError(f"The page said: {answer.troubles[0]}")
            finished.append(number)
