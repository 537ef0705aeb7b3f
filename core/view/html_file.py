"""The attention view as one HTML file with all scripts, styles and heads; it needs no network and no server."""

import html
import json
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import codec, packing
from .blocks import block_width, pool_into_blocks
from .palettes import PALETTES, Palette, for_browser
from .scene import Scene
from .scripts import BROWSER, bundle

ROOM = 2_000_000  # bytes for the heads of a file: 2.7 MB as text
ROOM_OF_BLOCKS = 600_000  # of these for heads in blocks, at most
NO_NETWORK = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
FRAME = 'sandbox="allow-scripts allow-downloads" allow="fullscreen" title="Attention"'
FRAME_STYLE = "width: 100%; height: 780px; border: 0; resize: vertical"


@dataclass(frozen=True)
class HtmlFile:
    """One HTML document, which a notebook displays and `save` writes."""

    text: str

    def save(self, path: str | Path) -> None:
        """Write the file; any browser opens it, also offline."""
        Path(path).write_bytes(self.content)

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        return self.text.encode("utf-8", "replace")  # a title may hold half of a character

    def _repr_html_(self) -> str:
        """The document in a sandboxed frame, apart from the styles and scripts of the notebook."""
        return f'<iframe srcdoc="{html.escape(self.text)}" {FRAME} style="{FRAME_STYLE}"></iframe>'


def html_file(
    scene: Scene,
    *,
    view: str | None = None,
    scale: str | None = None,
    token: int | None = None,
    start: tuple[int, int] | None = None,
    note: str = "",
) -> HtmlFile:
    """A scene as an HTML file; `view`, `scale` and `token` are the initial options of the view.

    `start` is the initial layer and head, by default the scene's own; `note` a sentence above the view. The file has
    all heads. Where there is no room for every weight, the initial head and those with the sharpest rows have all
    theirs, and the others are pooled into blocks of tokens, which the view says.
    """
    start_head = start or scene.start
    fits_exactly = packing.fitting_code(scene) is not None
    overview, heads = (packing.overview_of(scene), {}) if fits_exactly else _pack_heads(scene, start_head)
    options: dict[str, object] = {
        "view": view,
        "scale": scale,
        "token": token,
        "silenced": [],
        "canSilence": False,
        "canExact": False,
        "address": False,
        "tell": False,
        "explains": None,
        "closed": None,
        "apart": None,
    }
    message = {
        "digest": overview["digest"],
        "overview": overview | {"start": list(start_head)},
        "exact": None,
        "options": options,
        "palettes": for_browser(),
        "present": False,
        "heads": heads,
    }
    return HtmlFile(_document(message, scene.title, note))


def _pack_heads(scene: Scene, start_head: tuple[int, int]) -> tuple[dict, dict[str, dict]]:
    """The overview, with the list of heads that have every weight, and all heads by "layer/head"."""
    width = block_width(scene, ROOM_OF_BLOCKS)
    sharpness: dict[tuple[int, int], float] = {}
    blocks: dict[tuple[int, int], bytes] = {}

    def collect(number: int, patterns: np.ndarray) -> None:
        peaks = np.nan_to_num(np.fmax.reduce(patterns, axis=2).mean(axis=1))
        for peak, pattern in zip(peaks, pool_into_blocks(patterns, scene.links(number), width), strict=True):
            head = sum(layer == number for layer, _ in blocks)
            sharpness[number, head] = float(peak)
            blocks[number, head] = _compress(pattern)

    overview = packing.overview(scene, collect)
    exact_heads = _exact_heads(
        scene,
        blocks,
        order=sorted(blocks, key=lambda layer_and_head: (layer_and_head != start_head, -sharpness[layer_and_head])),
    )
    heads = {
        f"{layer}/{head}": {
            "code": "root",
            "block": 1 if (layer, head) in exact_heads else width,
            "cells": codec.as_text(exact_heads.get((layer, head), compressed)),
        }
        for (layer, head), compressed in blocks.items()
    }
    return overview | {"blocks": {"fine": [list(layer_and_head) for layer_and_head in exact_heads]}}, heads


def _exact_heads(scene: Scene, blocks: dict, order: list[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
    """The heads with every weight: in this order, as many as have room beside the others in blocks."""
    room = ROOM - packing.thumbnail_cells(scene) - sum(map(len, blocks.values()))
    exact_heads = {}
    for layer, head in order:
        compressed = _compress(packing.cells_to_send(scene.layers[layer], scene.pattern(layer, head)))
        room -= len(compressed) - len(blocks[layer, head])
        if room < 0:
            break
        exact_heads[layer, head] = compressed
    return exact_heads


def _compress(weights: np.ndarray) -> bytes:
    return zlib.compress(codec.write(weights, "root"))


def _document(message: dict, title: str, note: str) -> str:
    """The HTML; labels and titles may come from anywhere, so they are inserted as data or escaped, never as markup."""
    folders = (BROWSER / "kit" / "kit.css", BROWSER / "attention_view" / "view.css", BROWSER / "html_file" / "page.css")
    style = "\n".join(file.read_text(encoding="utf-8") for file in folders)
    data = json.dumps(message, allow_nan=False).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{NO_NETWORK}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title or "Attention")}</title>
<style>
{_theme_properties()}
{style}
</style>
</head>
<body>
{f"<h1>{html.escape(title)}</h1>" if title else ""}
{f"<p>{html.escape(note)}</p>" if note else ""}
<div id="attention"></div>
<script type="application/json" id="message">{data}</script>
<script type="module">
{bundle(BROWSER / "html_file", "page.js")}
</script>
</body>
</html>
"""


def _theme_properties() -> str:
    """Streamlit's theme properties for the view, light or dark according to the reader's system."""
    fonts = '--st-font: "Source Sans 3", system-ui, sans-serif; --st-heading-font: "Source Serif 4", Georgia, serif;'
    light, dark = map(_properties, (PALETTES["light"], PALETTES["dark"]))
    return f"""html {{ color-scheme: light dark; {fonts} {light} }}
@media (prefers-color-scheme: dark) {{ html {{ {dark} }} }}"""


def _properties(palette: Palette) -> str:
    colours = {"background": palette.paper, "text": palette.ink, "primary": palette.accent}
    return " ".join(f"--st-{name}-color: {colour};" for name, colour in colours.items())
