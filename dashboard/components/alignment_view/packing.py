"""A scene as the browser takes it: weights as float16 in base64, labels as text."""

import math
from collections.abc import Collection

import numpy as np

from dashboard.components.alignment_view.scene import AlignmentScene, Link, Panel
from dashboard.components.attention_view import codec


def pack(scene: AlignmentScene, *, links: Collection[Link] | None = None, cut: Collection[Link] = frozenset()) -> dict:
    """The message for a scene; view.js reads it. Links are sent as cells, (target, source), like those that are cut."""
    return {
        "source": list(scene.source),
        "sourceName": scene.source_name,
        "panels": [_packed(panel) for panel in scene.panels],
        "links": None if links is None else sorted([int(target), int(source)] for source, target in links),
        "cut": sorted([int(target), int(source)] for target, source in cut),
    }


def cell_of(sent: object, scene: AlignmentScene) -> tuple[str, int, int] | None:
    """The panel, target word and source word in a browser's message, or None for whatever else it may hold."""
    if not isinstance(sent, dict):
        return None
    key, target, source = sent.get("panel"), sent.get("target"), sent.get("source")
    panel = scene.panel(key) if isinstance(key, str) else None
    if panel is None or type(target) is not int or type(source) is not int:  # True is an int too, and no place
        return None
    within = 0 <= target < len(panel.target) and 0 <= source < len(scene.source)
    return (panel.key, target, source) if within else None


def _packed(panel: Panel) -> dict:
    return {
        "key": panel.key,
        "title": panel.title,
        "about": panel.about,
        "verb": panel.verb,
        "hue": panel.hue,
        "target": list(panel.target),
        "start": panel.start,
        "maps": [
            {
                "name": each.name,
                "note": each.note,
                "weights": codec.as_text(codec.write(np.asarray(each.weights), "half")),
            }
            for each in panel.maps
        ],
        "logProbabilities": None
        if panel.log_probabilities is None
        else [float(value) if math.isfinite(value) else None for value in panel.log_probabilities],
        "marked": sorted(int(place) for place in panel.marked),
    }
