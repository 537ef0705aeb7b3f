"""The view as one HTML file: scripts, styles and heads inside; nothing comes from a network or a server."""

import html
import json
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import codec, packing
from .blocks import block_width, in_blocks
from .palettes import PALETTES, Palette, for_browser
from .scene import Scene
from .scripts import BROWSER, bundle

ROOM = 2_000_000  # bytes for the heads of a file: 2.7 MB as text
ROOM_OF_BLOCKS = 600_000  # of these, at most, for heads in blocks
NO_NETWORK = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
FRAME = 'sandbox="allow-scripts allow-downloads" allow="fullscreen" title="Attention"'
FRAME_STYLE = "width: 100%; height: 780px; border: 0; resize: vertical"


@dataclass(frozen=True)
class HtmlFile:
    """One HTML document. A notebook shows it; `save` writes it."""

    text: str

    def save(self, path: str | Path) -> None:
        """Write the file; it opens in any browser, with or without a network."""
        Path(path).write_bytes(self.content)

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        return self.text.encode("utf-8", "replace")  # a title may hold half of a character

    def _repr_html_(self) -> str:
        """The document in a frame: its styles stay inside, and its script reaches nothing of the notebook."""
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
    """A scene as a file that looks as on a page; `view`, `scale` and `token` are what is shown at first.

    `start` is the layer and the head in view at first, by default the scene's own; `note` a sentence above the view.
    Every head is inside. Where they have no room with every weight, the first one and those with the sharpest rows
    have, and the others come in blocks of tokens, which the view says.
    """
    first = start or scene.start
    fits = packing.fitting_code(scene) is not None
    overview, heads = (packing.overview_of(scene), {}) if fits else _packed(scene, first)
    options: dict[str, object] = {
        "view": view,
        "scale": scale,
        "token": token,
        "silenced": [],
        "canSilence": False,
        "canExact": False,
        "address": False,
        "tell": False,
        "apart": None,
    }
    message = {
        "digest": overview["digest"],
        "overview": overview | {"start": list(first)},
        "exact": None,
        "options": options,
        "palettes": for_browser(),
        "present": False,
        "heads": heads,
    }
    return HtmlFile(_document(message, scene.title, note))


def _packed(scene: Scene, first: tuple[int, int]) -> tuple[dict, dict[str, dict]]:
    """The overview, which says what heads are there to the token, and all heads by "layer/head"."""
    width = block_width(scene, ROOM_OF_BLOCKS)
    sharpness: dict[tuple[int, int], float] = {}
    blocks: dict[tuple[int, int], bytes] = {}

    def take(place: int, patterns: np.ndarray) -> None:
        peaks = np.nan_to_num(np.fmax.reduce(patterns, axis=2).mean(axis=1))
        for peak, pattern in zip(peaks, in_blocks(patterns, scene.links(place), width), strict=True):
            head = sum(layer == place for layer, _ in blocks)
            sharpness[place, head] = float(peak)
            blocks[place, head] = _deflated(pattern)

    overview = packing.overview(scene, take)
    fine = _fine(scene, blocks, order=sorted(blocks, key=lambda place: (place != first, -sharpness[place])))
    heads = {
        f"{layer}/{head}": {
            "code": "root",
            "block": 1 if (layer, head) in fine else width,
            "cells": codec.as_text(fine.get((layer, head), packed)),
        }
        for (layer, head), packed in blocks.items()
    }
    return overview | {"blocks": {"fine": [list(place) for place in fine]}}, heads


def _fine(scene: Scene, blocks: dict, order: list[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
    """Of the heads in this order, as many as have room with every weight beside the others in blocks."""
    room = ROOM - packing.thumbnail_cells(scene) - sum(map(len, blocks.values()))
    fine = {}
    for layer, head in order:
        packed = _deflated(packing.sent(scene.layers[layer], scene.pattern(layer, head)))
        room -= len(packed) - len(blocks[layer, head])
        if room < 0:
            break
        fine[layer, head] = packed
    return fine


def _deflated(weights: np.ndarray) -> bytes:
    return zlib.compress(codec.write(weights, "root"))


def _document(message: dict, title: str, note: str) -> str:
    """Labels and titles come from anywhere: they are in here as data or as escaped text, never as markup."""
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
{_look()}
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


def _look() -> str:
    """The properties in which Streamlit tells a view of its theme, light or dark as the reader's system is."""
    fonts = '--st-font: "Source Sans 3", system-ui, sans-serif; --st-heading-font: "Source Serif 4", Georgia, serif;'
    light, dark = map(_properties, (PALETTES["light"], PALETTES["dark"]))
    return f"""html {{ color-scheme: light dark; {fonts} {light} }}
@media (prefers-color-scheme: dark) {{ html {{ {dark} }} }}"""


def _properties(palette: Palette) -> str:
    colours = {"background": palette.paper, "text": palette.ink, "primary": palette.accent}
    return " ".join(f"--st-{name}-color: {colour};" for name, colour in colours.items())
