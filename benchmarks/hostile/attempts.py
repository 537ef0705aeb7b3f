"""Try each case of a module in a process that can be killed, so that hangs and crashes are counted."""

import importlib
import multiprocessing
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection

from core.errors import AtlasError

DEADLINE = 60.0  # seconds for one try
START = 120.0  # more seconds until a process has read the libraries, and the case that comes next
RESULT, SENTENCE, FAILURE = "result", "sentence", "failure"


@dataclass(frozen=True)
class Outcome:
    """One try: kind and name of the case, how it ended (RESULT, SENTENCE or FAILURE), and the message."""

    kind: str
    name: str
    end: str
    message: str


def try_all(room: str, deadline: float = DEADLINE) -> Iterator[Outcome]:
    """Try all cases of a module in a process that can be killed; a hang or a crash is a FAILURE."""
    count, remaining = 0, True
    while remaining:
        receiver, sender = multiprocessing.Pipe(duplex=False)
        worker = multiprocessing.get_context("spawn").Process(target=_work, args=(room, count, sender))
        worker.start()
        sender.close()
        current_case: tuple[str, str] | None = None
        try:
            while True:
                if not receiver.poll(deadline if current_case else deadline + START):
                    raise TimeoutError(f"no end within {deadline:.0f} seconds")
                match receiver.recv():
                    case (kind, name):
                        current_case = kind, name
                    case Outcome() as tried:
                        yield tried
                        count, current_case = count + 1, None
                    case None:
                        remaining = False
                        break
        except (TimeoutError, EOFError) as error:
            if current_case is None:
                raise RuntimeError(f"{room}.cases() itself came to no end: {error or 'its process died'}.") from error
            yield Outcome(*current_case, FAILURE, str(error) or "the process died")
            count += 1
        finally:
            _end(worker)


def _work(room: str, first: int, sender: Connection) -> None:
    os.setpgrp()  # so that whatever a case starts is ended with it
    module = importlib.import_module(room)
    for case in islice(module.cases(), first, None):
        sender.send((case.kind, case.name))
        try:
            message = module.try_one(case)
            end = RESULT if message == "result" else SENTENCE
        except AtlasError as error:
            end, message = SENTENCE, str(error)
        except Exception as error:
            end, message = FAILURE, f"{type(error).__name__}: {error}"[:300]
        sender.send(Outcome(case.kind, case.name, end, message))
    sender.send(None)


def _end(worker: multiprocessing.process.BaseProcess) -> None:
    worker.join(timeout=1)
    if worker.pid:
        try:
            os.killpg(worker.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            worker.kill()
    worker.join()
