"""The outputs of all heads, each through its part of W_O, added up to what the layer returned: real numbers."""

import numpy as np
import pandas as pd
import streamlit as st

from core.heads.contributions import HeadOutputs, largest_difference
from core.text import Tokens
from dashboard import charts, controls, layout
from dashboard.figures.heat import heat
from dashboard.watched import Watched
from pages.foundations.many_heads import compute_contributions as runs_contributions
from pages.foundations.many_heads import words_together as said
from pages.foundations.many_heads.figures_contributions import length_bars
from pages.foundations.many_heads.given import Given
from pages.foundations.many_heads.sums import Sum, add_up, named, noticed

SIDES = (2, 3)  # widths of what stands on the left and on the right
MOST = 12  # terms of a sum that is written out
SHOWN = 5  # channels in the table


def show(given: Given) -> None:
    """Contributions as bars, as a heat map and in numbers; that they add up; what to notice."""
    watched = given.watched
    with layout.waiting_place():
        layers = runs_contributions.head_outputs(watched)
    with layout.control_bar():
        layer = controls.number("Layer", len(layers), key="layer", first=watched.notice.start.place[0])
        outputs = layers[layer]
        labels = token_labels(watched, outputs)
        token = _token(labels, first=len(labels) - 1 if given.is_text else 0)
    if not labels:
        st.info(layout.plain(said.NOT_WHOLE.format(title=watched.model.title)), icon=":material/info:")
        return
    added = add_up(outputs, token)
    st.subheader(f"What each head of layer {layer} adds at {named(labels[token])}", anchor=False)
    name = f"layer-{layer}-token-{token}"
    _vectors(added, name)
    lengths, numbers = st.columns(SIDES, gap="medium")
    with lengths:
        _lengths(added, name)
    with numbers:
        _numbers(added)
    if not layout.is_presented():
        st.markdown(_exact(outputs))
    layout.notes(said.ADDED_UP, notice=noticed(added, outputs, labels[token]), formula=lambda: _explain(added, outputs))


def token_labels(watched: Watched, outputs: HeadOutputs) -> tuple[str, ...]:
    """What the tokens of a layer are called: those of a picture by row and column; () where they are windows."""
    names = watched.model.sequences_of(outputs.call, watched.run)  # type: ignore[arg-type]  # both are of one kind
    if names is None:
        return ()
    sequence = watched.run.sequences[names[0]]
    if isinstance(sequence, Tokens):
        return tuple(f"“{layout.readable(label)}”" for label in sequence.labels)
    places = (divmod(place, sequence.columns) for place in range(sequence.rows * sequence.columns))
    return (*sequence.prefix, *(f"row {row}, column {column}" for row, column in places))


def _token(labels: tuple[str, ...], *, first: int) -> int:
    """The token whose vectors are shown; at first the last one of a text, the class token of a picture."""
    last = len(labels) - 1
    if last < 1:
        return 0
    if (st.session_state.get("token") or 0) > last:  # another text may be shorter
        st.session_state.token = first
    # Before its first run a widget that a link has set is known from the address alone.
    asked = st.query_params.get("token", "")
    token = st.session_state.get("token", int(asked) if asked.isdecimal() and len(asked) < 6 else first)
    name = named(labels[token if token <= last else first])
    return st.slider(f"Token: {name}", 0, last, first, key="token", bind="query-params", width=controls.WIDTH)


def _vectors(added: Sum, name: str) -> None:
    """The heads side by side, and what W_O makes of each."""
    before, after = st.columns(SIDES, gap="medium")
    with before:
        st.markdown(f"**Each head's output**, {added.heads.shape[1]} numbers")
        _heat(dict(zip(added.rows, added.heads, strict=False)), f"heads-{name}")
    with after:
        st.markdown(f"**Through its rows of $W_O$**, {len(added.bias)} numbers; the last row is the sum of the others")
        _heat(added.rows, f"vectors-{name}")


def _heat(rows: dict[str, np.ndarray], name: str) -> None:
    values = np.stack(list(rows.values()))
    figure = heat(
        values,
        look=layout.look(),
        x="channel",
        y="",
        rows=list(rows),
        tell="%{y}, channel %{x}: %{z:.3f}",
        height=_height(len(rows)),
    )
    charts.chart(
        figure,
        name=name,
        alt=f"{values.shape[1]} numbers in each of {len(values)} rows: {', '.join(rows)}",
        table=pd.DataFrame(values.T, columns=list(rows)).rename_axis("channel").reset_index(),
    )


def _lengths(added: Sum, name: str) -> None:
    lengths = {row: float(np.linalg.norm(vector)) for row, vector in added.rows.items()}
    dots = [float(vector @ added.total) for vector in added.rows.values()]
    along = [
        dot / (length * lengths["sum"]) if length * lengths["sum"] else float("nan")
        for dot, length in zip(dots, lengths.values(), strict=True)
    ]
    figure = length_bars(
        list(lengths),
        list(lengths.values()),
        along,
        look=layout.look(),
        height=_height(len(lengths)),
    )
    charts.chart(
        figure,
        name=f"lengths-{name}",
        alt="Lengths: " + ", ".join(f"{row} {length:.2f}" for row, length in lengths.items()),
        table=pd.DataFrame({"vector": list(lengths), "length": list(lengths.values()), "cosine to the sum": along}),
    )


def _height(rows: int) -> int:
    return 60 + round(2.2 * layout.look().letters) * rows


def _numbers(added: Sum) -> None:
    """The first channels of every vector, their sum, and what the model returned."""
    rows = added.rows | {"the model itself": added.returned, "difference": added.total - added.returned}
    table = pd.DataFrame({name: vector[:SHOWN] for name, vector in rows.items()}).T
    table.columns = [f"channel {channel}" for channel in table.columns]
    written = table.map(lambda value: f"{value:+.4f}".replace("-", "−"))
    written.loc["difference"] = [tiny(value) for value in table.loc["difference"]]
    st.table(written)


def _exact(outputs: HeadOutputs) -> str:
    """That the sum is what the model returned, everywhere."""
    found, (_, output_map, _) = largest_difference(outputs), outputs.known
    return said.EXACT.format(
        tokens=f"{outputs.call.query_length:,}",
        channels=f"{output_map.weight.shape[1]:,}",
        difference=tiny(found.largest),
        relative=tiny(found.relative),
    )


def tiny(value: float) -> str:
    """A rounding error as people write it: 4 × 10⁻⁷."""
    if value == 0:
        return "0"
    digits, power = f"{abs(value):.0e}".split("e")
    exponent = str(int(power)).replace("-", "⁻").translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{'−' if value < 0 else ''}{digits} × 10{exponent}"


def _explain(added: Sum, outputs: HeadOutputs) -> None:
    """Concatenation and W_O as a sum over heads, with the sizes and the first channel of this layer."""
    _, output_map, _ = outputs.known
    heads, each = added.heads.shape
    st.latex(
        r"\begin{aligned} &W_O\,[\mathrm{head}_1;\dots;\mathrm{head}_H] + b \\ "
        r"&\quad = \textstyle\sum_h \mathrm{head}_h W_O^{h} + b \end{aligned}"
    )
    terms = [*added.vectors[:, 0], *([added.bias[0]] if added.bias.any() else [])]
    written = [f"{term:+.2f}" for term in terms[:MOST]] + [r"+\dots"] * (len(terms) > MOST)
    lines = [" ".join(written[start : start + 4]) for start in range(0, len(written), 4)]
    body = r" \\ &\quad ".join([*lines, f"= {added.total[0]:+.2f}"])
    st.latex(rf"\begin{{aligned}} &\quad {body} \end{{aligned}}")
    st.markdown(
        f"That is channel 0. {heads} heads with {each} numbers each, side by side, are {heads * each} numbers; $W_O$ "
        f"(in the model: {layout.plain(output_map.path)}) makes {len(added.bias)} of them, and each head has its own "
        f"{each} rows of it. Length is the norm after $W_O$, as in Kobayashi et al. 2020."
    )
