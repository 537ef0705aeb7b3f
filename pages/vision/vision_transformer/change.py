"""Change it: hide parts of the photograph, ablate heads, and see what the model says then."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float

from core.capture import by_layer
from core.images import Patches
from core.zoo import ImageModel
from dashboard import theme, typeset
from dashboard.components.attention_view import attention_view
from dashboard.components.patch_picker import patch_picker
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.inputs import hidden_patches, photograph
from dashboard.inputs.photograph import Photograph
from dashboard.number_format import points
from dashboard.output import charts, class_gallery, prediction_changes
from dashboard.recordings.watched import Head
from pages.vision.vision_transformer import occlusion
from pages.vision.vision_transformer.compute import colour_of_zero, maps_after, tell_colour, verdict
from pages.vision.vision_transformer.prose import PAGE

SECTION = PAGE.section("Change it")
CHANGED_MAPS = "Where every head looks after the change"
HEADS, LAYERS = "change_heads", "change_layers"  # keys, and names in the address
TOP = 5

Shares = Float[np.ndarray, " class"]


def show() -> None:
    """The photograph to click in, the heads, the verdict before and after, and what each patch is worth."""
    bar = layout.control_bar()
    with bar:
        chosen = photograph.choose_in_bar(photograph.CLASSIFIERS, attends=False)
    model = chosen.model
    if not model.classes:
        st.info(SECTION.text("Models without classes", title=typeset.plain(model.title)), icon=":material/info:")
        return
    with layout.waiting_place():
        before, heads = verdict(chosen), heads_of(chosen)
    grid = chosen.prepared.patches
    hidden = hidden_patches.from_address(grid)
    with bar, st.popover("Ablate heads", icon=":material/hide_source:"):
        silenced = _silenced_heads(chosen, heads)
    picture, says = st.columns([1, 1.15], gap="large")
    with says:
        with layout.waiting_place():
            after = verdict(chosen, silenced, hidden)
        is_changed = bool(silenced or hidden)
        layout.place_notice()
        if is_changed:
            st.markdown(prediction_changes.change_notice(before, after, name=model.label))
        _predictions(model.classes, before, after if is_changed else None)
        if known := photograph.accuracy_sentence(model.name, chosen.prepared.pixels.shape[-1]):
            st.caption(known)
    with picture:
        _picture(chosen, hidden)
        with st.container(horizontal=True):
            st.button(
                "Take all back", icon=":material/undo:", on_click=_take_back, args=(grid,), disabled=not is_changed
            )
            hidden_patches.swap_button(hidden, grid)
        layout.caption(tell_hidden(model))
    class_gallery.show(chosen.name, model.classes, after if is_changed else before)
    if is_changed and heads:
        _maps(chosen, silenced, hidden)
    target = int(before.argmax())
    occlusion_map = occlusion.show(chosen, hidden, target)
    changed = tell_change(len(hidden), grid.rows * grid.columns, len(silenced), sum(heads))
    tell = partial(tell_moves, after=after, changed=changed) if is_changed else tell_before
    doubt = photograph.doubt_sentence(float((after if is_changed else before).max()))
    alone = () if occlusion_map is None else occlusion.tell(occlusion_map, model.classes[target])
    layout.notes(
        SECTION,
        notice=(" ".join(filter(None, (tell(model.classes, before), doubt))), *alone),
        numbers={
            "class_name": typeset.plain(model.classes[target]),
            "before": before[target],
            "after": after[target],
        },
    )


def heads_of(chosen: Photograph) -> tuple[int, ...]:
    """How many heads each layer of the model has, the layers in the order in which they run; none without attention."""
    return tuple(call.heads for call in chosen.watched().record.calls) if chosen.model.attends else ()


def _silenced_heads(chosen: Photograph, heads: tuple[int, ...]) -> tuple[Head, ...]:
    """The heads that the visitor has silenced, one by one or as whole layers."""
    if not heads:
        layout.caption(SECTION.text("Networks without heads"))
        return ()
    numbered = by_layer(chosen.watched().record.calls)
    every = {f"{layer}.{head}": (layer, head) for layer, call in numbered.items() for head in range(call.heads)}
    names = _choose("Ablated heads (layer.head)", list(every), HEADS, SECTION.text("Ablated heads"))
    layers = _choose("Ablated layers", [str(layer) for layer in numbered], LAYERS)
    return tuple(sorted(head for name, head in every.items() if name in names or str(head[0]) in layers))


def _choose(label: str, names: list[str], key: str, about: str | None = None) -> list[str]:
    """Some of these names; another model may have fewer of them than the one for which some were chosen."""
    chosen = list(st.session_state.get(key) or ())
    if (known := [name for name in chosen if name in names]) != chosen:
        st.session_state[key] = known
    return st.multiselect(label, names, key=key, bind="query-params", placeholder="none", help=about)


def _take_back(grid: Patches) -> None:
    for key in (HEADS, LAYERS):
        if key in st.session_state:
            st.session_state[key] = []
    hidden_patches.to_address((), grid)


def _picture(chosen: Photograph, hidden: frozenset[int]) -> None:
    """The photograph under the model's grid; a click hides a patch or shows it again."""
    model, prepared, grid = chosen.model, chosen.prepared, chosen.prepared.patches
    colour = colour_of_zero(model.framing)
    patch_picker(
        prepared.photograph,
        rows=grid.rows,
        columns=grid.columns,
        key="change-picture",
        chosen=[divmod(patch, grid.columns) for patch in hidden],
        look="cover",
        cover=f"#{bytes(colour).hex()}",
        mark="hidden",
        tell="patch in row {row}, column {column}",
        hint="Click patches to hide them, and click them again to show them.",
        on_click=lambda row, column: hidden_patches.to_address(hidden ^ {row * grid.columns + column}, grid),
        alt=f"The photograph under a grid of {grid.rows} × {grid.columns} patches, {len(hidden)} of them hidden",
        name="vision-hidden",
        height=400,
    )


def _maps(chosen: Photograph, silenced: tuple[Head, ...], hidden: frozenset[int]) -> None:
    """A fold with every map of the changed run, computed when it is opened."""
    fold = st.expander(CHANGED_MAPS, key="change_maps", on_change="rerun")
    if fold.open:
        with fold:
            attention_view(maps_after(chosen, silenced, hidden), key="changed-maps", view="picture", address=False)


def tell_hidden(model: ImageModel) -> str:
    """In which colour what is hidden is painted, and what it is for the model then."""
    colour, (high, wide) = tell_colour(colour_of_zero(model.framing)), model.patch
    if model.attends:
        return SECTION.text("Hidden patches", colour=colour)
    return SECTION.text("Hidden squares", high=high, wide=wide, colour=colour)


def _predictions(classes: Sequence[str], before: Shares, after: Shares | None) -> None:
    """The most probable classes of both verdicts, side by side."""
    best = [int(number) for shares in (before, after) if shares is not None for number in np.argsort(-shares)[:TOP]]
    numbers = list(dict.fromkeys(best))
    columns = {
        "class": [typeset.readable(classes[number]) for number in numbers],
        "as it is": before[numbers].tolist(),
    }
    if after is not None:
        columns["changed"] = after[numbers].tolist()
    figure = partial(prediction_bars, *columns.values(), look=theme.look(), changed="changed")
    charts.chart(
        figure,
        name="vision-verdict",
        alt="Probabilities: "
        + ", ".join(
            f"{label} " + ", then ".join(f"{share:.1%}" for share in shares)
            for label, *shares in zip(*columns.values(), strict=True)
        ),
        table=pd.DataFrame(columns),
    )


def tell_before(classes: Sequence[str], before: Shares) -> str:
    """The two most probable classes of the picture as it is."""
    best = [f"**{typeset.plain(classes[number])}** ({before[number]:.1%})" for number in np.argsort(-before)[:2]]
    then = f", then {best[1]}" if len(best) > 1 else ""
    return f"The model says {best[0]}{then}. Hide patches or ablate heads, and see whether it still does."


def tell_change(hidden: int, patches: int, silenced: int, heads: int) -> str:
    """What was changed, with its share of the whole."""
    parts = []
    if hidden:
        parts.append(f"{hidden:,} of {patches:,} patches hidden ({hidden / patches:.0%})")
    if silenced:
        parts.append(f"{silenced} of {heads} heads ablated")
    return " and ".join(parts)


def tell_moves(classes: Sequence[str], before: Shares, after: Shares, changed: str) -> str:
    """Which classes lost and gained most, and how much moved in all; `changed` says by what."""
    gains = after - before
    lost, gained = int(gains.argmin()), int(gains.argmax())
    if max(-gains[lost], gains[gained]) < 5e-4:
        return f"With {changed}, no probability changes by a tenth of a point."
    lost_by, gained_by = (f"**{typeset.plain(classes[place])}** ({points(gains[place])})" for place in (lost, gained))
    return (
        f"With {changed}, {lost_by} loses most and {gained_by} gains most. In all, **{np.abs(gains).sum() / 2:.0%}** "
        "of the probability moves to other classes."
    )
