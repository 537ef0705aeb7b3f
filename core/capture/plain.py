"""Run models uncompiled while they are recorded or edited: compiled code calls no interceptor."""

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch

_lock = threading.Lock()
_open = ExitStack()
_blocks = 0  # open blocks: the setting is global, so the first block sets it and the last one resets it


@contextmanager
def uncompiled(flexible: bool) -> Iterator[None]:
    """Run modules of torch.compile uncompiled, until the end of the last block that is open in any thread.

    Does nothing unless the compiler is already imported, or the model is `flexible` (calls flex_attention, which torch
    compiles at each call); then importing the compiler takes seconds.
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
