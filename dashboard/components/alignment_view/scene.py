"""A source, its translations with their alignment maps, and the message that sends them to the browser."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from core.view import codec
from dashboard.components.kit import place_of

Link = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Map:
    """Weights between a translation and its source, 0 to 1; NaN marks a masked cell.

    `name` is the label to choose it by ("mean", "layer 2, head 1"), and its value in the address; `note` stands beside
    it ("aligns best").
    """

    name: str
    weights: Float[np.ndarray, "target source"]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """The translation that one model wrote, and its alignment maps.

    `about` names the values ("attention weights", "influence by the gradient"), and `verb` is that of sentences about
    them ("looks at", "depends on"). `start` is the index of the map that is shown before the visitor chooses.
    `log_probabilities` tint the words, `marked` are the places of words to highlight (those that changed).
    """

    key: str
    title: str
    about: str
    target: tuple[str, ...]
    maps: tuple[Map, ...]
    start: int = 0
    log_probabilities: tuple[float, ...] | None = None
    marked: tuple[int, ...] = ()
    hue: str = ""
    verb: str = "looks at"


@dataclass(frozen=True, eq=False)
class AlignmentScene:
    """Translations of one source; labels are tokens or words as `Tokens.labels` has them, leading spaces included."""

    source: tuple[str, ...]
    panels: tuple[Panel, ...]
    source_name: str = "Source"

    def __post_init__(self):
        if not self.source or not self.panels:
            raise ValueError("An alignment needs a source with at least one word, and at least one panel.")
        keys = [panel.key for panel in self.panels]
        if len(set(keys)) < len(keys):
            raise ValueError(f"Each panel needs a key of its own, but they are {keys}.")
        for panel in self.panels:
            _check(panel, len(self.source))

    def panel(self, key: str) -> Panel | None:
        """The panel with this key; None if there is none."""
        return next((panel for panel in self.panels if panel.key == key), None)


def _check(panel: Panel, sources: int) -> None:
    """Raise ValueError if a panel does not fit a source of so many words, or contradicts itself."""
    targets = len(panel.target)
    if not targets or not panel.maps:
        raise ValueError(f"Panel {panel.key!r} needs at least one target word and one map.")
    if not 0 <= panel.start < len(panel.maps):
        raise ValueError(f"Panel {panel.key!r} has {len(panel.maps)} maps; it cannot start with map {panel.start}.")
    names = [weight_map.name for weight_map in panel.maps]
    if len(set(names)) < len(names):
        raise ValueError(f"Each map of panel {panel.key!r} needs a name of its own, but they are {names}.")
    for weight_map in panel.maps:
        if weight_map.weights.shape != (targets, sources):
            raise ValueError(
                f"Map {weight_map.name!r} of panel {panel.key!r} has the shape {weight_map.weights.shape}; its words "
                f"need {(targets, sources)}."
            )
    if panel.log_probabilities is not None and len(panel.log_probabilities) != targets:
        raise ValueError(
            f"Panel {panel.key!r} has {len(panel.log_probabilities)} log-probabilities for {targets} target words."
        )
    if outside := [place for place in panel.marked if not 0 <= place < targets]:
        raise ValueError(f"Panel {panel.key!r} has {targets} target words, but word {outside[0]} is marked.")


def pack(scene: AlignmentScene, *, links: Collection[Link] | None = None, cut: Collection[Link] = frozenset()) -> dict:
    """The message for a scene; view.js reads it. Links are sent as cells, (target, source), like those that are cut."""
    return {
        "source": list(scene.source),
        "sourceName": scene.source_name,
        "panels": [_packed(panel) for panel in scene.panels],
        "links": None if links is None else sorted([int(target), int(source)] for source, target in links),
        "cut": sorted([int(target), int(source)] for target, source in cut),
    }


def cell_of(message: object, scene: AlignmentScene) -> tuple[str, int, int] | None:
    """The panel, target word and source word in a browser's message; None if they are missing or do not exist."""
    key = message.get("panel") if isinstance(message, Mapping) else None
    panel = scene.panel(key) if isinstance(key, str) else None
    place = panel and place_of(message, target=len(panel.target), source=len(scene.source))
    return (panel.key, place[0], place[1]) if panel and place else None


def weight_of(message: object, scene: AlignmentScene) -> tuple[str, int, int, int] | None:
    """The panel, map, target word and source word in a browser's message; None if they are missing or do not exist."""
    cell = cell_of(message, scene)
    panel = scene.panel(cell[0]) if cell else None
    number = place_of(message, map=len(panel.maps)) if panel else None
    return (cell[0], number[0], cell[1], cell[2]) if cell and number else None


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
            {"name": weight_map.name, "note": weight_map.note, "weights": codec.weights_text(weight_map.weights)}
            for weight_map in panel.maps
        ],
        "logProbabilities": None
        if panel.log_probabilities is None
        else [float(value) if math.isfinite(value) else None for value in panel.log_probabilities],
        "marked": sorted(int(place) for place in panel.marked),
    }
