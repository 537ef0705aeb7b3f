"""Change what chosen heads look at while a model runs."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from torch import nn

from core.capture.edits import Edit, read_edit
from core.capture.paths import ModulePaths
from core.capture.seam import watching
from core.capture.watcher import Watcher


@contextmanager
def edit_attention(model: nn.Module, edits: Mapping[tuple[str, int], Edit | str]) -> Iterator[None]:
    """The model runs with edited heads in this thread, until the end of the with-block.

        with edit_attention(model, {("blocks.3.attention", 2): "silence"}):
            model(tokens)

    An edit is "silence", "uniform", "sharpen", "flatten", Temperature(t), Cut(links) or Paste(pattern). Heads that
    are not named keep the fused kernel. A record made at the same time shows the edited weights.

    Raises CaptureError for a path or a head that the model does not have, and at the end of the block for an edit
    that was never made, because its module did not run or has no attention of its own.
    """
    watcher = Watcher(ModulePaths(model), edits={place: read_edit(edit) for place, edit in edits.items()})
    watcher.check()
    with watching(watcher):
        yield
    watcher.check_done()
