"""Change the attention of selected heads while a model runs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from .edits import Edit, Patch, Replace, read_edit
from .interceptor import watching
from .paths import ModulePaths
from .watcher import Watcher


@contextmanager
def edit_attention(
    model: nn.Module, edits: Mapping[Any, Edit | Patch | Replace | Callable[[Tensor], Tensor] | str]
) -> Iterator[None]:
    """Run the model with edited heads in this thread, until the end of the with-block.

        with edit_attention(model, {("blocks.3.attention", 2): "silence", "blocks.*.attention": "sharpen"}):
            model(tokens)

    `edits` maps a path and a head, or a path alone for all its heads, to an edit; a path may be a pattern. An edit is
    "silence", "uniform", "sharpen", "flatten", Temperature(t), Cut(links), Paste(pattern), a function of a head's
    weights (batch, query, key), Only(edit, items=..., steps=...) for some of the inputs or some runs of the module,
    Patch(part, call) for a part of another recorded run, or Replace(product, causal=...). Several edits of a head are
    applied in their order. Heads that are not named keep the fused kernel. A record made at the same time shows the
    edited weights.

    Raises CaptureError for a path or a head that the model does not have, and at the end of the block for an edit
    that was never applied, because its module did not run or has no attention of its own, or that could not reach all
    rows of a map.
    """
    by_place = {((place, None) if isinstance(place, str) else place): read_edit(edit) for place, edit in edits.items()}
    watcher = Watcher(
        ModulePaths(model),
        edits={place: edit for place, edit in by_place.items() if not isinstance(edit, Replace)},
        replacements={place: edit for place, edit in by_place.items() if isinstance(edit, Replace)},
    )
    watcher.check()
    with watching(watcher):
        yield
    watcher.check_done()
