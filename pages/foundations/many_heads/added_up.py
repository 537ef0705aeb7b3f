"""The outputs of all heads, each through its part of W_O, added up to what the layer returned: real numbers."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float

from core.capture import layer_numbers
from core.heads.contributions import Difference, HeadOutputs
from dashboard import theme, typeset
from dashboard.figures.heat import heat
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import with_power
from dashboard.output import charts
from dashboard.output.comparisons import join_names, leading
from dashboard.recordings.watched import WatchedText
from pages.foundations.many_heads import compute, inputs
from pages.foundations.many_heads.compute import Sum
from pages.foundations.many_heads.figures import length_bars
from pages.foundations.many_heads.head_in_view import sequences_of, token_names
from pages.foundations.many_heads.prose import PAGE

SECTION = PAGE.section("Added up")
SIDES = (2, 3)  # widths of what stands on the left and on the right
MOST = 12  # terms of a sum that is written out
CHANNELS = 5  # channels in the table
ALIKE = 0.005  # of all lengths: shares that differ by less read the same
RIGHT = -0.1  # a cosine above it is nearly a right angle: such heads do not cancel


def show() -> None:
    """Contributions as bars, as a heat map and in numbers; that they add up; what to notice."""
    watched = inputs.watch(inputs.choose())
    with layout.waiting_place():
        layers = compute.head_outputs(watched)
    length_side, vector_side = st.columns(SIDES, gap="medium")
    with vector_side, layout.control_bar():
        numbers, first = layer_numbers(watched.record.calls), watched.notice.start.place[0]
        layer = controls.layer(numbers, first=first if first in numbers else numbers[0])
        place = numbers.index(layer)
        outputs = layers[place]
        names = sequences_of(watched, outputs.call)  # None: these are windows
        labels = token_names(watched.run.sequences[names[0]]) if names else ()
        # At first the last token of a text, the class token of a picture.
        token = controls.token(labels, first=len(labels) - 1 if isinstance(watched, WatchedText) else 0)
    if not labels:
        st.info(typeset.plain(compute.NOT_WHOLE.format(title=watched.model.title)), icon=":material/info:")
        return
    added, token_name = compute.sum_at(watched, place, token), typeset.plain(labels[token])
    name = f"layer-{layer}-token-{token}"
    with length_side:
        st.markdown(f"**What each head of layer {layer} adds at {token_name}**: the length of its vector")
        _lengths(added, name)
        layout.place_notice()
    with vector_side:
        st.markdown(f"**Through its rows of $W_O$**, {len(added.bias)} numbers; the last row is the sum of the others")
        _heat(added.rows, f"vectors-{name}")
    output_side, number_side = st.columns(SIDES, gap="medium")
    with output_side:
        st.markdown(f"**Each head's output**, {added.heads.shape[1]} numbers")
        _heat(dict(zip(added.rows, added.heads, strict=False)), f"heads-{name}")
    with number_side:
        _numbers(added)
    shares, difference = compute.of_all_tokens(watched, place)
    layout.prose(_exact(outputs, difference), width="stretch")
    layout.notes(SECTION, notice=noticed(added, shares, token_name), numbers=_first_channel(added, outputs))


def noticed(added: Sum, shares: list[float], token: str) -> tuple[str, ...]:
    """Who writes most, who pulls against whom, and how much of it remains.

    `shares` are those of each head in the lengths, the mean over all tokens; `token` is a name in Markdown.
    """
    lengths = np.linalg.norm(added.vectors, axis=-1)
    if not lengths.any():
        return (f"No head writes anything at {token}.",)
    sentences = [_about_most(lengths / lengths.sum(), shares, lengths, token)]
    if (lengths > 0).sum() > 1:
        sentences.append(_opposed(added))
    together = float(np.linalg.norm(added.vectors.sum(axis=0)))
    bias = f", with the bias {np.linalg.norm(added.total):.2f}" if added.bias.any() else ""
    ways = ": the heads point in different directions" if together < 0.995 * lengths.sum() else ""
    sentences.append(
        f"The lengths of all heads add up to {lengths.sum():.2f}; the sum of their vectors is {together:.2f} "
        f"long{bias}{ways}."
    )
    return tuple(sentences)


def _about_most(
    shares: Float[np.ndarray, " head"], usual: list[float], lengths: Float[np.ndarray, " head"], token: str
) -> str:
    """Which head writes most at a token, by its share of all lengths `shares`, and which does over all tokens."""
    if len(shares) == 1:
        return f"The only head of this layer writes a vector of length {lengths[0]:.2f} at {token}."
    first = leading(dict(enumerate(shares.tolist())), ALIKE)
    everywhere = leading(dict(enumerate(usual)), ALIKE)
    most = first[0]
    if len(first) > 1:
        sentence = (
            f"**Heads {join_names([str(head) for head in first])}** write most at {token}: {shares[most]:.0%} of all "
            "lengths together each."
        )
    else:
        sentence = (
            f"**Head {most}** writes most at {token}: a vector of length {lengths[most]:.2f}, {shares[most]:.0%} of "
            "all lengths together."
        )
    if not everywhere:
        return sentence
    share = f"{usual[everywhere[0]]:.0%} on average"
    if len(everywhere) == len(usual):
        return f"{sentence} Over all tokens no head writes more than the others: {share}."
    if everywhere == first:
        return f"{sentence} {'They do' if len(first) > 1 else 'It does'} so over all tokens, too: {share}."
    names = join_names([str(head) for head in everywhere])
    those = f"it is head {names} that does" if len(everywhere) == 1 else f"these are heads {names}"
    return f"{sentence} Over all tokens {those}: {share}."


def _opposed(added: Sum) -> str:
    vectors = added.vectors
    between = np.nan_to_num(added.cosines[: len(vectors), : len(vectors)], nan=1.0)  # a silent head has no direction
    first, second = np.unravel_index(between.argmin(), between.shape)
    lowest, pair = float(between.min()), sorted((int(first), int(second)))
    if lowest >= 0:
        return f"No two heads pull against each other here: the smallest cosine between two of them is {lowest:.2f}."
    if lowest > RIGHT:
        return (
            f"No two heads cancel each other here: heads {pair[0]} and {pair[1]} come closest to it, and their cosine "
            f"is only −{-lowest:.2f}, nearly a right angle."
        )
    alone = np.linalg.norm(vectors[pair], axis=-1)
    both = float(np.linalg.norm(vectors[pair].sum(axis=0)))
    return (
        f"**Heads {pair[0]} and {pair[1]}** point most against each other (cosine −{-lowest:.2f}): alone they are "
        f"{alone[0]:.2f} and {alone[1]:.2f} long, together {both:.2f}."
    )


def _heat(rows: dict[str, np.ndarray], name: str) -> None:
    values = np.stack(list(rows.values()))
    figure = partial(
        heat,
        values,
        look=theme.look(),
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
        table=partial(_of_channels, values, list(rows)),
    )


def _of_channels(values: np.ndarray, names: list[str]) -> pd.DataFrame:
    return pd.DataFrame(values.T, columns=names).rename_axis("channel").reset_index()


def _lengths(added: Sum, name: str) -> None:
    vectors = np.stack(list(added.rows.values()))
    table = pd.DataFrame(
        {
            "vector": list(added.rows),
            "length": np.linalg.norm(vectors, axis=-1),
            "cosine to the sum": added.cosines[-1],
        }
    )
    names, lengths, along = (table[column].tolist() for column in table)
    charts.chart(
        partial(length_bars, names, lengths, along, look=theme.look(), height=_height(len(names))),
        name=f"lengths-{name}",
        alt="Lengths: " + ", ".join(f"{row} {length:.2f}" for row, length in zip(names, lengths, strict=True)),
        table=table,
    )


def _height(rows: int) -> int:
    return 60 + round(2.2 * theme.look().letters) * rows


def _numbers(added: Sum) -> None:
    """The first channels of every vector, their sum, and what the model returned."""
    rows = added.rows | {"the model itself": added.returned, "difference": added.total - added.returned}
    table = pd.DataFrame({name: vector[:CHANNELS] for name, vector in rows.items()}).T
    table.columns = [f"channel {channel}" for channel in table.columns]
    written = table.map(lambda value: f"{value:+.4f}".replace("-", "−"))
    written.loc["difference"] = [_rounding(value) for value in table.loc["difference"]]
    st.table(written)


def _exact(outputs: HeadOutputs, difference: Difference) -> str:
    """That the sum is what the model returned, everywhere."""
    _, output_map, _ = outputs.input_map_output
    return SECTION.text(
        "Sum and model",
        tokens=outputs.call.query_length,
        channels=output_map.weight.shape[1],
        difference=_rounding(difference.largest),
        relative=_rounding(difference.relative),
    )


def _rounding(error: float) -> str:
    return with_power(error, digits=1) if error else "0"


def _first_channel(added: Sum, outputs: HeadOutputs) -> dict[str, object]:
    """The sum over heads in channel 0, and the sizes of this layer, by the places in the formula."""
    _, output_map, _ = outputs.input_map_output
    heads, width = added.heads.shape
    terms = [*added.vectors[:, 0], *([added.bias[0]] if added.bias.any() else [])]
    written = [f"{term:+.2f}" for term in terms[:MOST]] + [r"+\dots"] * (len(terms) > MOST)
    lines = [" ".join(written[start : start + 4]) for start in range(0, len(written), 4)]
    return {
        "terms": r" \\ &\quad ".join(lines),
        "total": added.total[0],
        "heads": heads,
        "width": width,
        "joined": heads * width,
        "path": typeset.plain(output_map.path),
        "channels": len(added.bias),
    }
