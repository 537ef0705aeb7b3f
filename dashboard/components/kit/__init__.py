"""How a component is put together from its files, mounted, and heard; codec.py is how its numbers travel."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard import theme, ways_on

_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.\.?/[a-z_/]+\.js)";\n', re.MULTILINE)
_COMMENT = re.compile(r"^ */\*\*.*?\*/\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)
_NAME = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)
_PALETTES = {signed: theme.for_browser(signed=signed) for signed in (False, True)}


class Component:
    """The component beside a Python file: view.js with all that it imports, and view.css after the kit's own styles.

    One that is not `isolated` has no styles but its own, and these hold for the whole page.
    """

    def __init__(self, file: str, *, isolated: bool = True):
        folder = Path(file).parent
        styles = (*([Path(__file__).parent / "kit.css"] if isolated else []), folder / "view.css")
        css = "\n".join(style.read_text(encoding="utf-8") for style in styles if style.exists())
        self._mount = st.components.v2.component(
            f"attention_atlas_{folder.name}", js=bundle(folder), css=css, isolate_styles=isolated
        )

    def __call__(self, key: str, data: Mapping, *, signed: bool = False, **heard: Callable[[Any], None] | None) -> None:
        """Mount it with `data`; the colours, `signed` or not, and whether the page is presented go with them.

        Each of `heard` is called with what the browser said under that name, before the page runs again. Streamlit
        keeps only what has a name here: None for what is read with `said`.
        """

        def hearing(name: str, hear: Callable[[Any], None] | None) -> Callable[[], None]:
            return lambda: hear(said(key, name)) if hear else None

        callbacks: dict[str, Any] = {f"on_{name}_change": hearing(name, hear) for name, hear in heard.items()}
        look = {"palettes": _PALETTES[signed], "present": ways_on.is_presented()}
        self._mount(key=key, data={**look, **data}, **callbacks)


def bundle(folder: Path, entry: str = "view.js") -> str:
    """One module with everything that `entry` imports, each file once and before the files that need it.

    Files may come from a folder next door ("../kit/dom.js"): no build step, no dependency. Joined files share one
    scope: ValueError if two of them declare the same name, or if one imports anything that is not a file here.
    """
    joined: dict[Path, str] = {}
    _join((folder / entry).resolve(), joined)
    names = [name for source in joined.values() for name in _NAME.findall(source)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"Joined files share one scope, but these names are declared twice: {', '.join(twice)}.")
    return "\n".join(_EXPORT.sub("", _COMMENT.sub("", source)) for source in joined.values())


def _join(file: Path, joined: dict[Path, str]) -> None:
    source = file.read_text(encoding="utf-8")
    for needed in _IMPORT.findall(source):
        if (path := (file.parent / needed).resolve()) not in joined:
            _join(path, joined)
    joined[file] = _IMPORT.sub("", source)
    if re.search(r"^import\s", joined[file], re.MULTILINE):
        raise ValueError(f"{file.name} imports something that is not a file here; nothing is fetched at run time.")


def said(key: str, name: str) -> Any:
    """What the browser said last under a name of the component with this key; None where it said nothing."""
    return (st.session_state.get(key) or {}).get(name)


def held(key: str, name: str) -> str:
    """The digest of what the browser said that it holds, in the message under a name."""
    return Wanted.of(said(key, name)).have


def choosing(read: Callable[[Any], tuple | None], on_choose: Callable[..., None] | None) -> Callable[[Any], None]:
    """What calls `on_choose` with the place that `read` finds in a message, where there are both."""

    def hear(message: Any) -> None:
        if (place := read(message)) and on_choose:
            on_choose(*place)

    return hear


@dataclass(frozen=True)
class Wanted:
    """What a browser asks for: a head, one row of it to the last digit; and the overview that it has already."""

    layer: int | None = None
    head: int | None = None
    have: str = ""
    exact: int | None = None

    @classmethod
    def of(cls, message: object) -> "Wanted":
        """The wish in a browser's message or in an address, whatever else it may hold."""
        found = message if isinstance(message, Mapping) else {}
        numbers = {name: whole_number(found.get(name)) for name in ("layer", "head", "exact")}
        return cls(**numbers, have=str(found.get("have") or ""))

    def within(self, scene: Any) -> tuple[int, int]:
        """The layer and the head; those that the scene starts with where none, or none that it has, is wished."""
        layer, head = self.layer or 0, self.head or 0
        wished = (self.layer, self.head) != (None, None) and scene.has(layer, head)
        return (layer, head) if wished else scene.start


def whole_number(text: object) -> int | None:
    """A whole number from 0 up, or None for whatever else an address or a browser may hold."""
    text = str(text)
    return int(text) if text.isdecimal() and len(text) <= 9 else None


def place_of(message: object, **counts: int) -> tuple[int, ...] | None:
    """The whole numbers of a browser's message by their names, each below its count; else None."""
    if not isinstance(message, Mapping):
        return None
    place: list[Any] = [message.get(name) for name in counts]
    # True is an int too, and no place.
    fits = all(type(each) is int and 0 <= each < count for each, count in zip(place, counts.values(), strict=True))
    return tuple(place) if fits else None
