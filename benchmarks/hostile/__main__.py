"""Everything hostile is tried once, each with a deadline; the table of it goes into docs/hosting.md."""

import importlib
import multiprocessing
import os
import pkgutil
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path

import benchmarks.hostile
from core.errors import AtlasError

DOCUMENT = Path(__file__).parents[2] / "docs" / "hosting.md"
BEGIN, END = "<!-- made by `make hostile`: begin -->\n", "<!-- made by `make hostile`: end -->\n"
DEADLINE = 60.0  # seconds for one try, models loaded before the first included
RESULT, SENTENCE, FAILURE = "result", "sentence", "failure"


@dataclass(frozen=True)
class Tried:
    """One try: the kind and the name of what came in, how it ended, and what was said."""

    kind: str
    name: str
    end: str
    said: str


def rooms() -> list[str]:
    """The modules that know hostile input: those with cases."""
    names = [f"benchmarks.hostile.{module.name}" for module in pkgutil.iter_modules(benchmarks.hostile.__path__)]
    return [name for name in names if hasattr(importlib.import_module(name), "cases")]


def try_all(room: str, deadline: float = DEADLINE) -> Iterator[Tried]:
    """All cases of a module, in a process that can be killed: what hangs or crashes is a failure like any other."""
    done, left = 0, True
    while left:
        receiver, sender = multiprocessing.Pipe(duplex=False)
        worker = multiprocessing.get_context("spawn").Process(target=_work, args=(room, done, sender))
        worker.start()
        sender.close()
        begun: tuple[str, str] | None = None
        try:
            while True:
                if not receiver.poll(deadline):
                    raise TimeoutError(f"no end within {deadline:.0f} seconds")
                match receiver.recv():
                    case (kind, name):
                        begun = kind, name
                    case Tried() as tried:
                        yield tried
                        done, begun = done + 1, None
                    case None:
                        left = False
                        break
        except (TimeoutError, EOFError) as error:
            if begun is None:
                raise RuntimeError(f"{room}.cases() itself came to no end: {error or 'its process died'}.") from error
            yield Tried(*begun, FAILURE, str(error) or "the process died")
            done += 1
        finally:
            _end(worker)


def _work(room: str, first: int, sender: Connection) -> None:
    os.setpgrp()  # so that whatever a case starts is ended with it
    module = importlib.import_module(room)
    for case in islice(module.cases(), first, None):
        sender.send((case.kind, case.name))
        try:
            said = module.try_one(case)
            end = RESULT if said == "result" else SENTENCE
        except AtlasError as error:
            end, said = SENTENCE, str(error)
        except Exception as error:
            end, said = FAILURE, f"{type(error).__name__}: {error}"[:300]
        sender.send(Tried(case.kind, case.name, end, said))
    sender.send(None)


def _end(worker: multiprocessing.process.BaseProcess) -> None:
    worker.join(timeout=1)
    if worker.pid:
        try:
            os.killpg(worker.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            worker.kill()
    worker.join()


def table(tried: Iterable[Tried]) -> str:
    """A row for each kind, in the order in which they came, and one for all of them."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in tried:
        counts[one.kind][one.end] += 1
        counts["all"][one.end] += 1
    rows = ["| what came in | tries | right results | sentences | failures |", "|---|---:|---:|---:|---:|"]
    for kind in [*(kind for kind in counts if kind != "all"), "all"]:
        ends = counts[kind]
        cells = [ends.total(), ends[RESULT], ends[SENTENCE], ends[FAILURE]]
        rows.append(f"| {kind} | " + " | ".join(f"{cell:,}" for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def with_table(document: str, made: str) -> str:
    """The document with the table between its two comments replaced."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"The two comments that hold the table are not in {DOCUMENT.name}.")
    return f"{before}{BEGIN}\n{made}\n{END}{after}"


def main() -> int:
    """Try everything, write the table, name the failures; the exit code says whether there were any."""
    tried = []
    for room in rooms():
        for one in try_all(room):
            tried.append(one)
            if one.end == FAILURE:
                print(f"{one.kind}, {one.name}: {one.said}", flush=True)
        print(f"{room}: done, {len(tried):,} tries so far", flush=True)
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8"), table(tried)), encoding="utf-8")
    return int(any(one.end == FAILURE for one in tried))


if __name__ == "__main__":
    sys.exit(main())
