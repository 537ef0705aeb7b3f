"""Each case of a module is tried in a process that can be killed: what hangs or crashes is counted."""

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
class Tried:
    """One try: the kind and the name of what came in, how it ended, and what was said."""

    kind: str
    name: str
    end: str
    said: str


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
                if not receiver.poll(deadline if begun else deadline + START):
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
