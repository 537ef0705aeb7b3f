"""Change what chosen heads look at while a model runs."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from torch import nn

from ..errors import CaptureError
from .edits import Edit, Replace, read_edit
from .paths import ModulePaths
from .seam import watching
from .watcher import Watcher

Place = TypeVar("Place", bound=tuple[str, int] | str)  # a head, or a path for all its heads


@contextmanager
def edit_attention(model: nn.Module, edits: Mapping[Place, Edit | Replace | str]) -> Iterator[None]:
    """The model runs with edited heads in this thread, until the end of the with-block.

        with edit_attention(model, {("blocks.3.attention", 2): "silence"}):
            model(tokens)

    An edit is "silence", "uniform", "sharpen", "flatten", Temperature(t), Cut(links) or Paste(pattern), or
    Replace(product, causal=...), which may also be given for a path alone: for all its heads. Heads that are not named
    keep the fused kernel. A record made at the same time shows the edited weights.

    Raises CaptureError for a path or a head that the model does not have, and at the end of the block for an edit
    that was never made, because its module did not run or has no attention of its own.
    """
    read = {place: read_edit(edit) for place, edit in edits.items()}
    if wrong := [place for place, edit in read.items() if isinstance(place, str) and not isinstance(edit, Replace)]:
        raise CaptureError(f"An edit of '{wrong[0]}' needs a head, as in ('{wrong[0]}', 0); only Replace does without.")
    watcher = Watcher(
        ModulePaths(model),
        edits={
            place: edit for place, edit in read.items() if not isinstance(edit, Replace) and not isinstance(place, str)
        },
        replacements={place: edit for place, edit in read.items() if isinstance(edit, Replace)},
    )
    watcher.check()
    with watching(watcher):
        yield
    watcher.check_done()
