"""Where a step looks: scores, weights and shares of all source words, one of them taken apart, and what is mixed."""

import math
import re
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float
from torch import Tensor

from core.text import Tokens
from core.translation.decoder_step import StepAttention
from dashboard import theme, typeset
from dashboard.figures.paper import escape
from dashboard.figures.score_bars import Column, score_bars
from dashboard.figures.vector_rows import Row, vector_rows
from dashboard.frame import layout
from dashboard.number_format import READABLE, signed, with_power
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.language.translation.word_maps import quoted

MOST = 30  # source tokens that get a row of their own
TOP = 6  # channels of a score that are listed
DIFFERENT = 0.05  # of the share of the mixed vector and the weight: from here on it is worth a sentence
ALIKE = 0.005  # scores that differ by less are printed alike
PARTS = 4  # source words whose parts of the mixed vector are drawn


@dataclass(frozen=True)
class Symbols:
    """How the parts of a `StepAttention` are written in figures (HTML of Plotly) and tables."""

    query: str
    key: str
    value: str
    mixed: str
    mixed_means: str


OF_BAHDANAU = Symbols("W s", "U h", "h", "c", "context vector")
OF_A_HEAD = Symbols("q", "k", "v", "o", "output of the head")


def symbols(look: StepAttention) -> Symbols:
    """Those of this kind of comparison."""
    return OF_A_HEAD if look.state is None else OF_BAHDANAU


def scores(look: StepAttention, source: Tokens, *, hue: str, step: int, marked: int) -> None:
    """All source tokens: score, weight, and the share of what is handed on."""
    labels, names = [typeset.readable(label) for label in source.labels], symbols(look)
    places = largest(look.weights.numpy(), MOST)
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
    rows = [labels[place] for place in places]
    if others := len(labels) - len(places):
        rows.append(f"{others} others")
    charts.chart(
        partial(
            score_bars,
            rows,
            [_of_rows(column, places) for column in columns],
            look=theme.look(),
            marked=places.index(marked) if marked in places else None,
        ),
        name="steps-scores",
        alt=f"The score, the weight and the share of each source word in step {step}",
        table=partial(scores_table, look, source),
    )


def scores_table(look: StepAttention, source: Tokens) -> pd.DataFrame:
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


def _of_rows(column: Column, places: list[int]) -> Column:
    """The chosen rows and, if there are more, one for all others together: shares add up, scores do not."""
    values = column.values[places]
    if len(places) < len(column.values):
        values = np.append(values, np.delete(column.values, places).sum() if column.percent else np.nan)
    return replace(column, values=values)


def one_word(look: StepAttention, source: Tokens, place: int) -> None:
    """How one score comes about: the vectors as strips, and the channels that count most."""
    label = typeset.readable(source.labels[place])
    charts.chart(
        partial(vector_rows, strips(look, place, label), look=theme.look()),
        name="steps-word",
        alt=f"The vectors that are compared for the source word {label}, number by number",
        table=partial(channels, look, place),
    )
    table = summands(look, place)
    numbers = {name: st.column_config.TextColumn(alignment="right") for name in table.columns}
    data_table(
        table.map(_four),
        hide_index=True,
        column_config=numbers,
        width=theme.PROSE,
        alt=f"The channels that contribute most to the score of {label}, and their sum",
    )
    layout.caption(pushes(look.terms[place]))


def pushes(terms: Float[Tensor, " head_dim"]) -> str:
    """How many channels push a score up and how many down, and by how much."""
    up, down = terms[terms > 0], terms[terms < 0]
    return (
        f"{len(up)} of {len(terms)} channels push this sum up, together by {signed(float(up.sum()))}, and {len(down)} "
        f"push it down, by {signed(float(-down.sum()))}."
    )


def strips(look: StepAttention, place: int, label: str) -> list[Row]:
    """The vectors of a comparison, in the order in which they are computed."""
    names, arrays = symbols(look), list[tuple[str, str, Tensor]]()
    if look.state is not None:
        arrays.append(("<i>s</i>", "the decoder's state", look.state))
    arrays.append((f"<i>{names.query}</i>", "the query of this step", look.query))
    arrays.append((f"<i>{names.key}</i>", f"of “{label}”", look.key[place]))
    if look.activation is not None and look.vector is not None:
        arrays.append((f"tanh(<i>{names.query} + {names.key}</i>)", "compared", look.activation[place]))
        arrays.append(("<i>v</i>", "what counts, learned", look.vector))
    arrays.append(("<b>products</b>", f"their sum is {signed(float(look.raw_scores[place]))}", look.terms[place]))
    return [
        Row(f"{symbol}, {escape(means)}, {len(values)} numbers,", re.sub("</?[ib]>", "", symbol), values.numpy())
        for symbol, means, values in arrays
    ]


def channels(look: StepAttention, place: int) -> pd.DataFrame:
    """Every summand of one score, channel by channel."""
    names = symbols(look)
    columns = {"channel": range(len(look.query)), names.query: look.query, names.key: look.key[place]}
    if look.activation is not None and look.vector is not None:
        columns |= {"tanh": look.activation[place], "v": look.vector}
    return pd.DataFrame(columns | {"product": look.terms[place]})


def summands(look: StepAttention, place: int) -> pd.DataFrame:
    """The channels that contribute most, all others together, and their sum, which (scaled) is the score."""
    table = channels(look, place)
    top = table.reindex(table["product"].abs().sort_values(ascending=False, kind="stable").index[:TOP])
    total = float(look.raw_scores[place])
    below = {"sum": total}
    if others := len(table) - len(top):
        below = {f"{others} others": total - float(top["product"].sum())} | below
    if look.scale != 1:
        below[f"sum ÷ √{len(look.query)}"] = float(look.scores[place])
    totals = pd.DataFrame({"channel": list(below), "product": list(below.values())})
    return pd.concat([top.astype({"channel": str}), totals], ignore_index=True)


def _four(value: float | str) -> str:
    """A number with four digits behind the point; nothing where there is none."""
    if isinstance(value, str):
        return value
    return "" if math.isnan(value) else f"{round(value, 4) + 0.0:.4f}".replace("-", "−")


def mixed(look: StepAttention, source: Tokens, *, step: int) -> None:
    """The vector that is handed on, and below it the parts that add up to it, all on one scale."""
    names = symbols(look)
    charts.chart(
        partial(vector_rows, parts(look, source), look=theme.look(), one_scale=True),
        name="steps-mixed",
        alt=f"The {names.mixed_means} of step {step} and the parts that the source words have in it",
        table=partial(parts_table, look, source),
    )


def parts(look: StepAttention, source: Tokens) -> list[Row]:
    """The sum first, then its largest parts, then all others together."""
    names, order = symbols(look), np.argsort(-look.weights.numpy(), kind="stable").tolist()
    rows = [Row(f"<b>{names.mixed}</b>, the {names.mixed_means},", names.mixed_means, look.mixed.numpy())]
    for place in order[:PARTS]:
        label = escape(typeset.readable(source.labels[place]))
        title = f"{float(look.weights[place]):.3f} × <i>{names.value}</i> of “{label}”"
        rows.append(Row(title, f"the part of “{typeset.readable(source.labels[place])}”", look.parts[place].numpy()))
    if other_places := order[PARTS:]:
        weight = float(look.weights[other_places].sum())
        title = f"the {len(other_places)} others, {weight:.3f} together"
        rows.append(Row(title, "the part of all others", look.parts[other_places].sum(dim=0).numpy()))
    return rows


def parts_table(look: StepAttention, source: Tokens) -> pd.DataFrame:
    """One row a channel: the mixed vector, and what each source token puts into it."""
    columns = {f"{place + 1}. {label.strip()}": look.parts[place] for place, label in enumerate(source.labels)}
    return pd.DataFrame({"channel": range(len(look.mixed)), symbols(look).mixed: look.mixed} | columns)


def about_look(look: StepAttention, source: Tokens) -> tuple[str, ...]:
    """How a difference of scores became a ratio of weights, and whether weight and share agree."""
    if len(look.weights) < 2:
        return ("The source is a single token, so all of the weight is on it, whatever its score.",)
    (top, following), places = look.scores.topk(2).values.tolist(), look.scores.topk(2).indices.tolist()
    strongest, other = (quoted(source.labels[place]) for place in places)
    weights = look.weights[places].tolist()
    if top - following < ALIKE:
        first = (
            f"**{strongest}** ({weights[0]:.1%}) and {other} ({weights[1]:.1%}) get the most attention; their scores "
            "are equal."
        )
    else:
        first = (
            f"**{strongest}** gets the most attention, {weights[0]:.1%}. Its score is {top - following:.2f} above that "
            f"of {other} ({weights[1]:.1%}), and softmax turns this difference into a factor: "
            f"$e^{{{top - following:.2f}}}$ ≈ {_factor(top - following)}."
        )
    share, names = float(look.shares[places[0]]), symbols(look)
    if math.isnan(share):
        return (first, f"The {names.mixed_means} is 0, so no word has a share of it.")
    if abs(share - weights[0]) < DIFFERENT:
        return (first, f"Its share of the {names.mixed_means} is {share:.1%}, close to its weight.")
    more = "more" if share > weights[0] else "less"
    return (
        first,
        f"The share of {strongest} in the {names.mixed_means} is {share:.1%}, {more} than its weight: the share also "
        "depends on the length and direction of its vector.",
    )


def _factor(difference: float) -> str:
    """The power of e of a difference as it is printed, with two digits behind the point."""
    factor = math.exp(min(round(difference, 2), 700))
    if factor >= READABLE:
        return with_power(factor, digits=2)
    return f"{factor:.2f}" if factor < 10 else f"{factor:,.0f}"


def formula(look: StepAttention, place: int, step: int) -> tuple[str, dict[str, object]]:
    """Score, weight and mixed vector of one source word: the heading of the text, and the numbers for its places."""
    score, best = float(look.scores[place]), float(look.scores.max())
    numbers: dict[str, object] = {
        "step": step,
        "place": place + 1,
        "score": score,
        "largest": f"{best:.3f}" if best >= 0 else f"({best:.3f})",
        "power": math.exp(score - best),
        "total": float((look.scores - best).exp().sum()),
        "weight": float(look.weights[place]),
    }
    if look.state is not None:
        return "Additive attention", numbers | {"before": step - 1}
    width = len(look.query)
    own = {"product": float(look.raw_scores[place]), "width": width, "root": math.sqrt(width)}
    return "Dot-product attention", numbers | own
