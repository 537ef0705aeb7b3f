"""The attention view whose weights are explained: a click on a cell opens, below, why it has its weight."""

from functools import partial
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from core.capture import layer_numbers
from dashboard.components.attention_view import Choice, Scene, attention_view, close_cell
from dashboard.output import why_weight
from dashboard.output.explained_run import run_of
from dashboard.recordings import scenes
from dashboard.recordings.watched import Watched


def explained_view(
    watched: Watched,
    *,
    key: str,
    scene: Scene | None = None,
    below: DeltaGenerator | None = None,
    masked: int | None = None,
    **options: Any,
) -> Choice:
    """Show the attention view of a run, and the explanation of the weight that is chosen in it.

    `scene` is by default that of the run; layers of another one have the same numbers. `below` is where the
    explanation stands, by default here. `masked` is the place of the mask whose prediction the explanation ends with.
    `options` are those of `attention_view`.
    """
    choice = attention_view(scene or watched.scene, key=key, explains=why_weight.KEY, **options)
    if below is None:
        explain(watched, choice, key=key, scene=scene, masked=masked)
    else:
        with below:
            explain(watched, choice, key=key, scene=scene, masked=masked)
    return choice


def explain(
    watched: Watched,
    choice: Choice,
    *,
    key: str,
    scene: Scene | None = None,
    masked: int | None = None,
    is_plain: bool = True,
) -> None:
    """Explain the weight that is chosen in the view with this key, if one is; unless `is_plain` heads are ablated."""
    if choice.token is None or choice.key is None:
        return
    number = scenes.number_of(scene or watched.scene, choice.layer)
    why_weight.show(
        run_of(watched, masked=masked),
        layer_numbers(watched.record.calls).index(number),
        choice.head,
        (choice.token, choice.key),
        on_back=partial(close_cell, key),
        is_plain=is_plain,
    )
