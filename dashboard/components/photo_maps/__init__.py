"""A photograph with the attention of any layer, head and patch over it, answered in the browser."""

from collections.abc import Mapping

from core.view.codec import whole_number
from core.view.view_request import ViewRequest
from dashboard.address import parameter
from dashboard.components.kit import Component, component_value
from dashboard.components.photo_maps.packing import pack
from dashboard.components.photo_maps.scene import Answers, Dense, Factors, PhotoLayer, PhotoScene, Windows

__all__ = ["Answers", "Dense", "Factors", "PhotoLayer", "PhotoScene", "Windows", "photo_maps"]

_show = Component(__file__)


def photo_maps(scene: PhotoScene, *, key: str, name: str, address: bool = True) -> None:
    """Show a scene; layer, head, query, threshold and photograph are chosen, and drawn, in the browser.

    The server is asked once for the answers of a layer (of a head, where a layer is large), and only where they do
    not all fit the first message. `address` keeps the choices in the address bar (`map-layer`, `map-head`, `map-from`,
    `map-place`, `map-keep`, `map-photo`), for one view of a page only. `name` begins the names of files.
    """
    chosen = component_value(key, "chosen")
    if not isinstance(chosen, Mapping) and address:
        chosen = {part: parameter(f"map-{part}", whole_number) for part in ("layer", "head")}
    data = pack(scene, ViewRequest.from_message(chosen)) | {"name": f"attention-atlas-{name}", "address": address}
    _show(key, data, chosen=None)
