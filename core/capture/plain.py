"""While somebody watches, models run as plain Python: in what torch compiles nothing can be seen."""

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch

_lock = threading.Lock()
_open = ExitStack()
_blocks = 0  # the setting is one of the process, so the first block makes it and the last one takes it back


@contextmanager
def uncompiled(flexible: bool) -> Iterator[None]:
    """Run what went through torch.compile uncompiled, until the end of the last block that is open in any thread.

    The compiler is loaded for it, for seconds, only if somebody has loaded it before, or if the model is `flexible`:
    torch compiles its flex_attention at each call.
    """
    global _blocks
    if not (flexible or "torch._dynamo" in sys.modules):
        yield
        return
    with _lock:
        if _blocks == 0:
            _open.enter_context(torch.compiler.set_stance("force_eager"))
        _blocks += 1
    try:
        yield
    finally:
        with _lock:
            _blocks -= 1
            if _blocks == 0:
                _open.close()
