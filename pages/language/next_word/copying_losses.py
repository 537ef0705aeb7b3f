"""What a token costs the first and the second time it is read, and whether the model copies."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.heads.repetition import RepetitionRun
from dashboard import theme, typeset
from dashboard.figures.curves import curves
from dashboard.figures.score_bars import Column, score_bars
from dashboard.frame import layout
from dashboard.number_format import CLEAR, compare, compare_shares
from dashboard.output import charts
from dashboard.theme import HUES, Look
from pages.language.next_word import compute_copying
from pages.language.next_word.compute_copying import DRAWS, Repetition, Silenced
from pages.language.next_word.inputs import Selection
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Copying")
LABELLED = 40  # tokens that can be read beside one another
COPIES, SOMETIMES = 0.5, 0.1  # of the tokens that are foretold the second time
SAVED = 0.05  # nats a token: less is not told from nothing
FIRST, SECOND = "first time", "second time"


def saved(heard: RepetitionRun) -> float:
    """By how many nats a token is cheaper the second time."""
    return float(heard.first.mean() - heard.second.mean())


def about_copying(full_run: RepetitionRun) -> str:
    """Whether what was said already costs less, and whether it is predicted; both by more than chance explains."""
    first, second = float(full_run.first.mean()), float(full_run.second.mean())
    again, before = full_run.second_accuracy, full_run.first_accuracy
    cases = full_run.second.numel()
    more_right = compare_shares(round(again * cases), cases, round(before * cases), cases) == "more"
    cheaper = compare(first, second, margin=max(SAVED, CLEAR * error_of_saved(full_run)))
    if again >= COPIES and again > before + SOMETIMES and more_right:
        verdict = "the model copies"
    elif again >= SOMETIMES and again > before + SAVED and more_right:
        verdict = "it copies now and then"
    elif cheaper == "more":
        verdict = "it hardly copies: repeated tokens are only a little more probable"
    elif cheaper == "less":
        verdict = "it does not copy: repeated tokens cost more"
    elif change_is_unclear(full_run):
        verdict = f"{cases} {'token is' if cases == 1 else 'tokens are'} too few to tell whether it copies"
    else:
        verdict = "it does not copy"
    return (
        f"{verdict[:1].upper()}{verdict[1:]}. The second time, a token costs **{second:.2f} nats**, the first time "
        f"{first:.2f}; the right token is the most probable one in {again:.0%} of cases, the first time in "
        f"{before:.0%}."
    )


def error_of_saved(heard: RepetitionRun) -> float:
    """The standard error of what is saved, over the tokens that were said twice; infinite for a single one."""
    changes = (heard.first - heard.second).flatten()
    return float(changes.std() / len(changes) ** 0.5) if len(changes) > 1 else float("inf")


def change_is_unclear(heard: RepetitionRun) -> bool:
    """Whether more is saved than SAVED, or more is right, but of too few tokens to tell that from chance."""
    return saved(heard) >= SAVED or heard.second_accuracy > heard.first_accuracy + SAVED


def summary(full_run: RepetitionRun, without: Silenced | None) -> None:
    """Loss and hits of both times, with all heads and without some."""
    runs: dict[str, Sequence[RepetitionRun]] = {"all heads": [full_run]}
    if without:
        count = len(without.best)
        runs |= {
            f"without the best {count}": [without.without_best],
            f"without {count} others*": without.without_others,
        }
    table = pd.DataFrame(
        {
            "heads": list(runs),
            FIRST: [np.mean([float(run.first.mean()) for run in group]) for group in runs.values()],
            SECOND: [np.mean([float(run.second.mean()) for run in group]) for group in runs.values()],
            "right, second time": [np.mean([run.second_accuracy for run in group]) for group in runs.values()],
        }
    )
    tell = "%{customdata}: %{x:.3f} nats a token"
    columns = [
        Column(FIRST, table[FIRST].to_numpy(), tell, colour=theme.look().palette.soft),
        Column(SECOND, table[SECOND].to_numpy(), tell),
        Column("right", table["right, second time"].to_numpy(), "%{customdata}: %{x:.1%} right", percent=True),
    ]
    st.markdown("**Loss, nats a token**; share right the second time")
    charts.chart(
        partial(score_bars, list(runs), columns, look=theme.look().sized(-1)),
        name="copying-summary",
        alt="; ".join(f"{row.iloc[0]}: {row.iloc[1]:.2f} and {row.iloc[2]:.2f} nats" for _, row in table.iterrows()),
        table=table,
    )
    if without:
        layout.caption(SECTION.text("Random choice of heads", draws=DRAWS))


def along(repetition: Repetition, selection: Selection, full_run: RepetitionRun, without: Silenced | None) -> None:
    """The loss at each place, both times, one upon another."""
    lines = {FIRST: full_run.first.mean(dim=0).numpy(), SECOND: full_run.second.mean(dim=0).numpy()}
    if without:
        lines[f"{SECOND}, without the best"] = without.without_best.second.mean(dim=0).numpy()
        others = np.mean([run.second.mean(dim=0).numpy() for run in without.without_others], axis=0)
        lines[f"{SECOND}, without others"] = others
    labels = None
    if repetition.text is not None and full_run.period <= LABELLED:
        tokens = compute_copying.own_tokens(repetition)
        labels = [typeset.in_word(tokens, place) for place in compute_copying.own_places(repetition)[1:]]
    even = None
    if repetition.text is None:
        even = float(np.log(selection.model.tokenizer.get_vocab_size()))
    places = list(range(1, full_run.period))
    charts.chart(
        partial(loss_lines, places, lines, labels, even, look=theme.look().sized(-1)),
        name="copying-losses",
        alt="The loss of each token, the first and the second time",
        table=pd.DataFrame({"place": places, **lines}),
    )


def loss_lines(
    places: Sequence[int],
    lines: dict[str, np.ndarray],
    labels: Sequence[str] | None,
    even: float | None,
    *,
    look: Look,
) -> go.Figure:
    """Losses by place, a line for each reading; a dotted one at `even`, what guessing evenly would cost."""
    hues = dict(zip(lines, (look.palette.soft, look.palette.map, look.palette.accent, HUES[2]), strict=False))
    figure = curves(
        places, lines, look=look, x="place in the sequence", y="loss, nats", hues=hues, labels=labels,
        tell="%{fullData.name}, token %{x}: %{y:.2f} nats", marks=labels is not None, height=look.high(340),
    )  # fmt: skip
    figure.update_yaxes(rangemode="tozero")
    if even is not None:
        figure.add_hline(
            y=even,
            line={"color": look.palette.soft, "width": 1, "dash": "dot"},
            annotation={"text": f"even guess: {even:.1f}", "font": {"size": look.letters - 2}},
            annotation_position="bottom right",
        )
    return figure


def numbers(full_run: RepetitionRun) -> dict[str, object]:
    """Both losses, and over what they are the mean."""
    count = len(full_run.tokens)
    return {
        "period": full_run.period,
        "first": float(full_run.first.mean()),
        "second": float(full_run.second.mean()),
        "predicted": full_run.period - 1,
        "sequences": "1 sequence" if count == 1 else f"{count} sequences",
    }
