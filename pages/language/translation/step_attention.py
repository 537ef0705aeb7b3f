"""Where a step looks: scores, weights and shares of all source words, one of them taken apart, and what is mixed."""

import math

import numpy as np
import pandas as pd
import streamlit as st
from torch import Tensor

from core.text import Tokens
from core.translation.decoder_step import Look
from dashboard import charts, layout
from dashboard.figures.score_bars import Column, score_bars
from dashboard.figures.vector_rows import Row, vector_rows
from dashboard.numbers import signed
from pages.language.translation import step_choices
from pages.language.translation.step_words import Symbols, symbols

MOST = 30  # source tokens that get a row of their own
TOP = 6  # channels of a score that are listed
PARTS = 4  # source words whose parts of the mixed vector are drawn


def scores(look: Look, source: Tokens, *, hue: str, step: int, marked: int) -> None:
    """All source tokens: score, weight, and the share of what is handed on."""
    labels, names = [layout.readable(label) for label in source.labels], symbols(look)
    shown = largest(look.weights.numpy(), MOST)
    columns = [
        Column("score", look.scores.numpy(), "%{customdata}: score %{x:.3f}"),
        Column("weight", look.weights.numpy(), "%{customdata}: weight %{x:.2%}", percent=True, colour=hue),
        Column(
            f"share of {names.mixed}",
            look.shares.numpy(),
            f"%{{customdata}}: %{{x:.1%}} of the {names.mixed_means}",
            percent=True,
            colour=hue,
        ),
    ]
    rows = [labels[place] for place in shown]
    if others := len(labels) - len(shown):
        rows.append(f"{others} others")
        columns = [_with_rest(column, shown) for column in columns]
    else:
        columns = [_only(column, shown) for column in columns]
    charts.chart(
        score_bars(
            rows,
            columns,
            look=layout.look(),
            marked=shown.index(marked) if marked in shown else None,
        ),
        name="steps-scores",
        alt=f"The score, the weight and the share of each source word in step {step}",
        table=scores_table(look, source),
    )


def scores_table(look: Look, source: Tokens) -> pd.DataFrame:
    """All numbers of the comparison, one row a source token."""
    return pd.DataFrame(
        {
            "source token": source.labels,
            "sum of products": look.raw_scores,
            "score": look.scores,
            "exp(score - largest)": (look.scores - look.scores.max()).exp(),
            "weight": look.weights,
            "share": look.shares,
        }
    )


def largest(weights: np.ndarray, most: int) -> list[int]:
    """The places of the largest weights, in the order of the sentence."""
    return sorted(np.argsort(-weights, kind="stable")[:most].tolist())


def _only(column: Column, shown: list[int]) -> Column:
    return Column(column.title, column.values[shown], column.tell, column.percent, column.colour)


def _with_rest(column: Column, shown: list[int]) -> Column:
    """The chosen rows, and one more for all others: shares add up, scores do not."""
    rest = np.delete(column.values, shown).sum() if column.percent else np.nan
    return Column(column.title, np.append(column.values[shown], rest), column.tell, column.percent, column.colour)


def one_word(look: Look, source: Tokens, place: int) -> None:
    """How one score comes about: the vectors as strips, and the channels that count most."""
    names, label = symbols(look), layout.readable(source.labels[place])
    charts.chart(
        vector_rows(strips(look, place, label, names), look=layout.look()),
        name="steps-word",
        alt=f"The vectors that are compared for the source word {label}, number by number",
        table=channels(look, place, names),
    )
    table = summands(look, place, names)
    numbers = {name: st.column_config.TextColumn(alignment="right") for name in table.columns}
    st.dataframe(
        table.map(_four),
        hide_index=True,
        column_config=numbers,
        width=layout.PROSE,
        alt=f"The channels that contribute most to the score of {label}, and their sum",
    )
    if not layout.is_presented():
        st.caption(pushes(look, place))


def pushes(look: Look, place: int) -> str:
    """How many channels push a score up and how many down, and by how much."""
    terms = look.terms[place]
    up, down = terms[terms > 0], terms[terms < 0]
    return (
        f"{len(up)} of {len(terms)} channels push this sum up, together by {signed(float(up.sum()))}, and {len(down)} "
        f"push it down, by {signed(float(-down.sum()))}."
    )


def strips(look: Look, place: int, label: str, names: Symbols) -> list[Row]:
    """The vectors of a comparison, in the order in which they are computed."""
    of = f"of “{label}”"
    arrays: list[tuple[str, str, Tensor]] = []
    if look.state is not None:
        arrays.append(("<i>s</i>", "the decoder's state", look.state))
    arrays.append((f"<i>{names.query}</i>", "what this step looks for", look.query))
    arrays.append((f"<i>{names.key}</i>", of, look.key[place]))
    if look.activation is not None and look.vector is not None:
        arrays.append((f"tanh(<i>{names.query} + {names.key}</i>)", "compared", look.activation[place]))
        arrays.append(("<i>v</i>", "what counts, learned", look.vector))
    arrays.append(("<b>products</b>", f"their sum is {signed(float(look.raw_scores[place]))}", look.terms[place]))
    return [
        Row(f"{symbol}, {_plotly(means)}, {len(values)} numbers,", _without_tags(symbol), values.numpy())
        for symbol, means, values in arrays
    ]


def _plotly(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _without_tags(symbol: str) -> str:
    for tag in ("<i>", "</i>", "<b>", "</b>"):
        symbol = symbol.replace(tag, "")
    return symbol


def channels(look: Look, place: int, names: Symbols) -> pd.DataFrame:
    """Every summand of one score, channel by channel."""
    columns = {"channel": range(len(look.query)), names.query: look.query, names.key: look.key[place]}
    if look.activation is not None and look.vector is not None:
        columns |= {"tanh": look.activation[place], "v": look.vector}
    return pd.DataFrame(columns | {"product": look.terms[place]})


def summands(look: Look, place: int, names: Symbols) -> pd.DataFrame:
    """The channels that contribute most, all others together, and their sum, which (scaled) is the score."""
    table = channels(look, place, names)
    top = table.reindex(table["product"].abs().sort_values(ascending=False, kind="stable").index[:TOP])
    total = float(look.raw_scores[place])
    below = {"sum": total}
    if others := len(table) - len(top):
        below = {f"{others} others": total - float(top["product"].sum())} | below
    if look.scale != 1:
        below[f"sum ÷ √{len(look.query)}"] = float(look.scores[place])
    rest = pd.DataFrame({"channel": list(below), "product": list(below.values())})
    return pd.concat([top.astype({"channel": str}), rest], ignore_index=True)


def _four(value: float | str) -> str:
    """A number with four digits behind the point; nothing where there is none."""
    if isinstance(value, str):
        return value
    return "" if math.isnan(value) else f"{round(value, 4) + 0.0:.4f}".replace("-", "−")


def mixed(look: Look, source: Tokens, *, step: int) -> None:
    """The vector that is handed on, and below it the parts that add up to it, all on one scale."""
    names = symbols(look)
    charts.chart(
        vector_rows(parts(look, source, names), look=layout.look(), one_scale=True),
        name="steps-mixed",
        alt=f"The {names.mixed_means} of step {step} and the parts that the source words have in it",
        table=parts_table(look, source, names),
    )


def parts(look: Look, source: Tokens, names: Symbols) -> list[Row]:
    """The sum first, then its largest parts, then all others together."""
    order = np.argsort(-look.weights.numpy(), kind="stable").tolist()
    rows = [Row(f"<b>{names.mixed}</b>, the {names.mixed_means},", names.mixed_means, look.mixed.numpy())]
    for place in order[:PARTS]:
        label = _plotly(layout.readable(source.labels[place]))
        title = f"{float(look.weights[place]):.3f} × <i>{names.value}</i> of “{label}”"
        rows.append(Row(title, f"the part of “{layout.readable(source.labels[place])}”", look.parts[place].numpy()))
    if rest := order[PARTS:]:
        weight = float(look.weights[rest].sum())
        title = f"the {len(rest)} others, {weight:.3f} together"
        rows.append(Row(title, "the part of all others", look.parts[rest].sum(dim=0).numpy()))
    return rows


def parts_table(look: Look, source: Tokens, names: Symbols) -> pd.DataFrame:
    """One row a channel: the mixed vector, and what each source token puts into it."""
    columns = {f"{place + 1}. {label.strip()}": look.parts[place] for place, label in enumerate(source.labels)}
    return pd.DataFrame({"channel": range(len(look.mixed)), names.mixed: look.mixed} | columns)


def chosen_word(look: Look, source: Tokens) -> int:
    """The source word that is worked out."""
    return step_choices.source_word(source.labels, int(look.weights.argmax()))
