"""Does it copy? Tokens said twice, the heads that look back to the first time, and the model without them."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from jaxtyping import Float
from torch import Tensor

from core.heads.head_table import SEED, SEQUENCES
from core.heads.repetition import RepetitionRun, uniform_scores
from dashboard import theme, typeset
from dashboard.figures.curves import curves
from dashboard.figures.score_bars import Column, score_bars
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import CLEAR, compare, compare_shares
from dashboard.output import charts
from dashboard.recordings.watched import Head
from dashboard.theme import HUES, Look
from pages.language.next_word import compute_copying, copying_heads, inputs
from pages.language.next_word.compute_copying import DRAWS, Repetition, Silenced
from pages.language.next_word.inputs import Selection
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Copying")
RANDOM, OWN_TEXT = "Random tokens", "Your own text"
SHORTEST, PERIOD, LONGEST = 10, 25, 100  # random tokens: at least, at first (as Olsson et al.), at most
SLIDER = 190  # pixels
SILENCED, MOST_SILENCED = 2, 12  # heads: at first, and at most
LABELLED = 40  # tokens that can be read beside one another
LARGEST_SEED = 9999
COPIES, SOMETIMES = 0.5, 0.1  # of the tokens that are foretold the second time
SAVED = 0.05  # nats a token: less is not told from nothing
FIRST, SECOND = "first time", "second time"


def show() -> None:
    """The loss of both times, the heads on two maps, one of them in view, and the same without the best ones."""
    with layout.control_bar():
        given_text = inputs.text()
        ablation = st.container(width="content")
        menu = layout.settings()
    selection = inputs.selection(given_text, menu)
    figures = st.columns([2, 3], gap="large")
    with figures[0]:
        summary, source = st.container(), st.container()
        layout.place_notice()
    with source:
        what = controls.choice("Said twice", [RANDOM, OWN_TEXT], key="copying_what")
    with menu:
        repetition = _repetition(selection, is_own=what == OWN_TEXT)
    with ablation:
        count = _ablated(repetition)
    with layout.waiting_place():
        full_run, scores = compute_copying.heard(repetition), compute_copying.scores(repetition.at_random)
        without = compute_copying.silenced(repetition, count) if count else None
    with summary:
        _summary(full_run, without)
    with figures[1]:
        _along(repetition, selection, full_run, without)
        layout.caption(_sequence(repetition, full_run))
    head = copying_heads.show(repetition, scores, without)
    layout.notes(
        SECTION,
        notice=(
            about_copying(full_run),
            copying_heads.about_heads(
                scores["induction"],
                scores["previous_token"],
                uniform_scores(_period(repetition)),
                compute_copying.numbers(repetition),
            ),
            about_silence(full_run, without),
        ),
        numbers=_numbers(full_run),
        formula=lambda: _induction_score(repetition, scores, head),
    )


def _repetition(selection: Selection, *, is_own: bool) -> Repetition:
    """What is said twice: the visitor's own text, or random tokens."""
    longest = min(LONGEST, selection.model.context // 2)
    period, shortest = min(PERIOD, longest), min(SHORTEST, longest)
    if shortest < longest:
        period = st.slider(
            "Random tokens", shortest, longest, period, key="copying_length", bind="query-params", width=SLIDER
        )
    seed = int(controls.number_box("Seed", 0, LARGEST_SEED, SEED, key="copying_seed", width=130))
    return Repetition(selection.name, period, seed, selection.text if is_own else None)


def _ablated(repetition: Repetition) -> int:
    """How many of the best heads are ablated."""
    with layout.waiting_place():
        heads = len(compute_copying.order(repetition))
    most, key = min(MOST_SILENCED, heads // 2), "copying_silenced"
    if not most:
        return 0
    if (st.session_state.get(key) or 0) > most:  # another model may have fewer
        st.session_state[key] = most
    first = min(SILENCED, most)
    return st.slider(
        "Ablate the best heads",
        0,
        most,
        first,
        key=key,
        bind="query-params",
        width=SLIDER,
        help=SECTION.text("Ablated heads"),
    )


def _period(repetition: Repetition) -> int:
    """Of the random tokens."""
    return compute_copying.heard(repetition.at_random).period


def _sequence(repetition: Repetition, full_run: RepetitionRun) -> str:
    """What is repeated, and whether a part of the visitor's text is left out."""
    if repetition.text is None:
        return SECTION.text(RANDOM, sequences=SEQUENCES, period=full_run.period)
    tokens = compute_copying.own_tokens(repetition)
    total = tokens.cut.total if tokens.cut else len(tokens) - sum(tokens.special)
    sentences = SECTION.text(OWN_TEXT, period=full_run.period)
    return f"{sentences} {SECTION.text('Rest of your text', total=total)}" if full_run.period < total else sentences


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


def about_silence(full_run: RepetitionRun, without: Silenced | None) -> str:
    """What repetition still saves without the best heads, and without as many others."""
    if without is None:
        return "Ablate the best heads, in the row above, to see what is left of the copying."
    count, before, after = len(without.best), saved(full_run), saved(without.without_best)
    others = [saved(run) for run in without.without_others]
    heads = "the best head" if count == 1 else f"the best {count} heads"
    random = f"{'one other' if count == 1 else f'{count} others'}, chosen at random {len(others)} times"
    sentence = (
        f"With all heads the second time is {_nats(before)} nats cheaper. Without {heads} it is **{_nats(after)}**; "
        f"without {random}, {_nats(min(others))} to {_nats(max(others))}."
    )
    if before < SAVED:
        return f"{sentence} There is no copying to lose."
    if compare(before, 0.0, margin=CLEAR * error_of_saved(full_run)) != "more":
        return f"{sentence} These are too few tokens to tell what the heads contribute."
    if after < min(before, *others) - SAVED:
        return (
            f"{sentence} They carry {min(1.0, max(0.0, 1 - after / before)):.0%} of it, more than any of the others "
            "chosen at random."
        )
    return f"{sentence} They matter no more than heads chosen at random."


def _nats(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _summary(full_run: RepetitionRun, without: Silenced | None) -> None:
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


def _along(repetition: Repetition, selection: Selection, full_run: RepetitionRun, without: Silenced | None) -> None:
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


def _numbers(full_run: RepetitionRun) -> dict[str, object]:
    """Both losses, and over what they are the mean."""
    count = len(full_run.tokens)
    return {
        "period": full_run.period,
        "first": float(full_run.first.mean()),
        "second": float(full_run.second.mean()),
        "predicted": full_run.period - 1,
        "sequences": "1 sequence" if count == 1 else f"{count} sequences",
    }


def _induction_score(repetition: Repetition, scores: dict[str, Float[Tensor, "layer head"]], head: Head | None) -> None:
    """The scores of the head in view, beside uniform attention."""
    if head is None:
        return
    period = _period(repetition)
    uniform_induction, uniform_previous = uniform_scores(period)
    text = SECTION.text(
        "Induction score",
        period=period,
        layer=compute_copying.numbers(repetition)[head[0]],
        head=head[1],
        induction=float(scores["induction"][head]),
        uniform_induction=uniform_induction,
        previous=float(scores["previous_token"][head]),
        uniform_previous=uniform_previous,
    )
    st.markdown(text)
