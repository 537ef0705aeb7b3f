"""A text whose words can be clicked: covered, tinted, or with a line or two of their own below, such as a tag."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from dashboard import theme
from dashboard.components.kit import Component, place_of, selection_callback

__all__ = ["PickedWord", "word_picker"]

_show = Component(__file__)


@dataclass(frozen=True)
class PickedWord:
    """One word with what stands before it (a space, a line break).

    `tell` is the sentence for it under the pointer, `strength` its tint, 0 (the page) to 1 (full ink). A `covered` word
    is drawn as a gap; `below` is the text below it, such as the best guess. `marked`: outlined; `struck`:
    struck out, and not tinted. With a `hue` the word gets a bar of that colour and the room for the lines of `below`.
    """

    text: str
    tell: str
    strength: float = 0.0
    covered: bool = False
    below: str = ""
    marked: bool = False
    struck: bool = False
    hue: str = ""


def word_picker(
    words: Sequence[PickedWord],
    *,
    key: str,
    on_click: Callable[[int], None],
    label: str,
    hint: str,
    scale: str = "",
    ticks: Sequence[tuple[float, str]] = (),
    kinds: Sequence[tuple[str, str]] = (),
) -> None:
    """Show the text; `on_click(place)` is called, before the page runs again, when a word is clicked.

    `label` is the name for screen readers, `hint` stands below until a word is under the pointer. `scale` names the
    quantity of the tints, if there are any, `ticks` are places on it (0 to 1) with their labels; `kinds` names the hues
    of bars. Words can be reached with Tab and arrow keys, and clicked with Enter.
    """
    themed = theme.look().themed
    data = {
        "words": [
            asdict(word) | {"strength": round(float(word.strength), 3), "hue": themed(word.hue)} for word in words
        ],
        "label": label,
        "hint": hint,
        "scale": scale,
        "ticks": [list(tick) for tick in ticks],
        "kinds": [[name, themed(hue)] for name, hue in kinds],
    }

    def read(message: object) -> tuple[int, ...] | None:
        return place_of(message, word=len(words))

    _show(key, data, clicked=selection_callback(read, on_click))
