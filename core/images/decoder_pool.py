"""The pool of processes that decode pictures; a process that a picture has broken is replaced."""

import os
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from PIL import Image

from ..errors import InputError
from .decoder import ANSWER, LONGEST_READ, QUESTION, SECONDS

PROCESSES = 2
DEADLINE = 10.0  # seconds by the clock; the process ends itself after SECONDS of computing
PATIENCE = 60.0  # seconds that a picture waits for a process
LONGEST_SENTENCE = 1000  # bytes
# The only environment variables that a decoder gets.
ENVIRONMENT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
# -I and -S: no settings, no folder of the visitor's or the host's; it finds its modules where this process does, but
# Python's own first: Streamlit puts the server's folder in front, where a file may have the name of one of Python's.
# The package goes by the name of its folder there, `core` or `attention_atlas`: that of this process may be another's.
PACKAGE = Path(__file__).parent.parent
PROGRAM = f"import sys; sys.path += sys.argv[1:]; from {PACKAGE.name}.images.decoder import serve; serve()"


class Decoder:
    """A process that decodes one picture after another; it ends with this process."""

    def __init__(self):
        paths = [str(PACKAGE.parent), *filter(None, sys.path)]
        environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", PROGRAM, *paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(sys.executable).anchor,
            env={**environment, "OPENBLAS_NUM_THREADS": "1"},
        )
        self.usable = True  # no request is unfinished

    def decode(self, raw: bytes, deadline: float = DEADLINE) -> Image.Image:
        """Decode a file. Raises InputError with the decoder's message, or with one that says how the decoder ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.usable = False
        began = time.monotonic()
        clock = threading.Timer(deadline, self.process.kill)
        clock.start()
        try:
            self.process.stdin.write(QUESTION.pack(len(raw)))
            self.process.stdin.write(raw)
            self.process.stdin.flush()
            answer = _read_answer(self.process.stdout.read)
        except (OSError, EOFError, ValueError, struct.error) as error:
            raise InputError(self._how_it_ended(late=time.monotonic() - began >= deadline)) from error
        finally:
            clock.cancel()
        self.usable = True
        if isinstance(answer, str):
            raise InputError(answer)
        return answer

    def end(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):  # unwritten data of a broken pipe
                if pipe is not None:
                    pipe.close()

    def _how_it_ended(self, late: bool) -> str:
        self.end()
        if late or -self.process.returncode == getattr(signal, "SIGPROF", None):
            return (
                f"To decode this picture takes more than {SECONDS:.0f} seconds: it was given up. "
                "Make it smaller, or save it as JPEG or PNG."
            )
        return "The decoder broke down over this picture, so the file is damaged. Save it again, as JPEG or PNG."


class Pool:
    """A pool of decoders; a request waits while all are busy."""

    def __init__(self, processes: int = PROCESSES):
        self._places: queue.LifoQueue[Decoder | None] = queue.LifoQueue()
        for _ in range(processes):
            self._places.put(None)  # started when it is needed

    def start(self) -> None:
        """Start the decoders that do not run yet, so that the first picture need not wait."""
        places = []
        with suppress(queue.Empty):
            while True:
                places.append(self._places.get_nowait())
        for decoder in places:
            self._places.put(decoder or _start_decoder())

    def decode(self, raw: bytes) -> Image.Image:
        """Decode a file, in any thread. Raises InputError if it is not a picture."""
        try:
            decoder = self._places.get(timeout=PATIENCE)
        except queue.Empty:
            raise InputError(
                f"Other pictures are being decoded, and this one has waited for {PATIENCE:.0f} seconds. "
                "Try again in a moment."
            ) from None
        try:
            if decoder is None or decoder.process.poll() is not None:
                decoder = _start_decoder()
            if decoder is None:
                raise InputError("The server has no room now to decode a picture. Try again in a moment.")
            return decoder.decode(raw)
        finally:
            if decoder is not None and not decoder.usable:
                decoder.end()
                decoder = _start_decoder()  # so that the next picture need not wait
            self._places.put(decoder)


def _start_decoder() -> Decoder | None:
    try:
        return Decoder()
    except OSError:  # no more processes, or no memory for one
        return None


def _read_answer(read: Callable[[int], bytes]) -> Image.Image | str:
    """Read and check the answer of a decoder, which is not trusted: the file may have compromised it."""
    is_picture, width, height = ANSWER.unpack(read(ANSWER.size))
    if is_picture:
        if not 0 < min(width, height) <= max(width, height) <= LONGEST_READ:
            raise ValueError("A decoder gives no picture of this size.")
        return Image.frombytes("RGB", (width, height), read(width * height * 3))
    if width > LONGEST_SENTENCE:
        raise ValueError("A decoder gives no sentence of this length.")
    return read(width).decode()
