"""Which word came from which, for several translations of one sentence at once: point at a word in any of them."""

from collections.abc import Callable
from functools import partial

from dashboard.components.alignment_view.scene import AlignmentScene, Link, Map, Panel, cell_of, pack, weight_of
from dashboard.components.kit import Component, selection_callback

__all__ = ["AlignmentScene", "Link", "Map", "Panel", "alignment_view"]

_show = Component(__file__)


def alignment_view(
    scene: AlignmentScene,
    *,
    key: str,
    name: str,
    address: bool = True,
    links: frozenset[Link] | None = None,
    cut: frozenset[Link] = frozenset(),
    on_cell: Callable[[str, int, int], None] | None = None,
    on_why: Callable[[str, int, int, int], None] | None = None,
    explains: str | None = None,
    is_explained: bool = False,
) -> None:
    """Show all panels of a scene, linked: a word under the pointer highlights its links in every panel.

    Pointing never asks the server. `links`, (source, target), are outlined: those made by a person; `cut`
    links, (target, source), are struck through. `on_cell(panel, target, source)` is called, before the page runs
    again, when a cell is clicked or chosen with Enter; without it a click pins the word. `explains` is the key of a
    container below, in which the page explains a weight: then a click on a cell calls `on_why(panel, map, target,
    source)` in place of `on_cell`; `is_explained` says that a weight is explained now. `address` keeps the chosen map
    of each panel in the address bar (`map-<panel>=<map>`); `name` begins the names of files.
    """
    data = pack(scene, links=links, cut=cut)
    data |= {"name": f"attention-atlas-{name}", "address": address, "canClick": on_cell is not None}
    data |= {"explains": explains, "explained": is_explained}

    _show(
        key,
        data,
        cell=selection_callback(partial(cell_of, scene=scene), on_cell),
        why=selection_callback(partial(weight_of, scene=scene), on_why),
    )
