"""One text in several lines, one for each model, whose characters or tokens are tinted by a value."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from dashboard.components.kit import Component

__all__ = ["Line", "tinted_lines"]

_show = Component(__file__)


@dataclass(frozen=True)
class Line:
    """The values of one model for a text; `strengths` and `tells` have one entry for each character."""

    name: str
    strengths: Sequence[float]  # 0 (the page) to 1 (full ink); to -1 (full ink of the other kind) on a signed scale
    tells: Sequence[str]  # the sentence for the character under the pointer
    after: Sequence[tuple[str, str]]  # the column behind the text: labels with their numbers
    summary: str  # the text for screen readers, instead of the colours


def tinted_lines(
    characters: Sequence[str],
    lines: Sequence[Line],
    *,
    key: str,
    odd: Sequence[int],
    odd_means: str,
    scale: str,
    ticks: Sequence[tuple[float, str]],
    after: str,
    of: Literal["character", "token"] = "character",
    signed: bool = False,
) -> None:
    """Show the text once for each of `lines`; a character under the pointer is marked in all, with its sentences.

    The characters at the places in `odd` are underlined, which `odd_means` explains. `scale` names the quantity of the
    colours, `ticks` are places on it (0 to 1) with their labels; on a `signed` one 0.5 is the page itself, for the
    strength 0. `after` is the header of the column behind the text. The pointer never asks the server; a touch, or Tab
    and the arrow keys, do the same. `of` is the kind of `characters`: tokens run in the direction of their script,
    characters always from left to right.
    """
    data = {
        "characters": list(characters),
        "lines": [
            asdict(line) | {"strengths": [round(float(strength), 3) for strength in line.strengths]} for line in lines
        ],
        "odd": list(odd),
        "oddMeans": odd_means,
        "scale": scale,
        "ticks": [list(tick) for tick in ticks],
        "after": after,
        "of": of,
        "signed": signed,
    }
    _show(key, data)
