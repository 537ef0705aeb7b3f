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
from pages.language.next_word import compute_copying, copying_heads, inputs, words
from pages.language.next_word.compute_copying import DRAWS, Said, Silenced
from pages.language.next_word.inputs import Given

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
    given = inputs.given()
    with layout.control_bar():
        said, count = _asked(given)
    with layout.waiting_place():
        whole, scores = compute_copying.heard(said), compute_copying.scores(said.at_random)
        without = compute_copying.silenced(said, count) if count else None
    layout.caption(_said(said, whole))
    summary, along = st.columns([2, 3], gap="large")
    with summary:
        _summary(whole, without)
    with along:
        _along(said, given, whole, without)
    head = copying_heads.show(said, scores, without)
    layout.notes(
        words.COPYING_NOTES,
        notice=(
            about_copying(whole),
            copying_heads.about_heads(
                scores["induction"],
                scores["previous_token"],
                uniform_scores(_period(said)),
                compute_copying.numbers(said),
            ),
            about_silence(whole, without),
        ),
        formula=lambda: _explain(said, whole, scores, head),
    )


def _asked(given: Given) -> tuple[Said, int]:
    """What is said twice, and how many of the best heads are silenced."""
    model = given.model
    what = controls.choice("Said twice", [words.RANDOM, words.OWN_TEXT], key="copying_what")
    best = st.container(width="content")  # how many heads there are is known only below
    longest = min(LONGEST, model.context // 2)
    period, shortest = min(PERIOD, longest), min(SHORTEST, longest)
    if shortest < longest:
        period = st.slider(
            "Random tokens", shortest, longest, period, key="copying_length", bind="query-params", width=SLIDER
        )
    seed = int(controls.number_box("Seed", 0, LARGEST_SEED, SEED, key="copying_seed", width=130))
    said = Said(given.name, period, seed, given.text if what == words.OWN_TEXT else None)
    with layout.waiting_place():
        heads = len(compute_copying.order(said))
    most, key = min(MOST_SILENCED, heads // 2), "copying_silenced"
    if not most:
        return said, 0
    if (st.session_state.get(key) or 0) > most:  # another model may have fewer
        st.session_state[key] = most
    first = min(SILENCED, most)
    return said, best.slider(
        "Silence the best", 0, most, first, key=key, bind="query-params", width=SLIDER, help=words.BEST_HELP
    )


def _period(said: Said) -> int:
    """Of the random tokens."""
    return compute_copying.heard(said.at_random).period


def _said(said: Said, whole: RepetitionRun) -> str:
    if said.text is None:
        return words.SAID.format(count=SEQUENCES, period=whole.period)
    tokens = compute_copying.own_tokens(said)
    total = tokens.cut.total if tokens.cut else len(tokens) - sum(tokens.special)
    cut = words.SAID_CUT.format(total=total) if whole.period < total else ""
    return words.SAID_OWN.format(period=whole.period) + cut


def saved(heard: RepetitionRun) -> float:
    """By how many nats a token is cheaper the second time."""
    return float(heard.first.mean() - heard.second.mean())


def about_copying(whole: RepetitionRun) -> str:
    """Whether what was said already costs less, and whether it is predicted; both by more than chance explains."""
    first, second = float(whole.first.mean()), float(whole.second.mean())
    again, before = whole.second_accuracy, whole.first_accuracy
    cases = whole.second.numel()
    more_right = compare_shares(round(again * cases), cases, round(before * cases), cases) == "more"
    cheaper = compare(first, second, margin=max(SAVED, CLEAR * error_of_saved(whole)))
    if again >= COPIES and again > before + SOMETIMES and more_right:
        verdict = "the model copies"
    elif again >= SOMETIMES and again > before + SAVED and more_right:
        verdict = "it copies now and then"
    elif cheaper == "more":
        verdict = "it hardly copies: what it has read before is a little more probable, and that is all"
    elif cheaper == "less":
        verdict = "it does not copy: what it has read before costs more"
    elif change_is_unclear(whole):
        verdict = f"{cases} {'token is' if cases == 1 else 'tokens are'} too few to tell whether it copies"
    else:
        verdict = "it does not copy"
    return (
        f"The second time a token costs **{second:.2f} nats**, the first time {first:.2f}; the right one is the most "
        f"probable in {again:.0%} of the cases, the first time in {before:.0%}: {verdict}."
    )


def error_of_saved(heard: RepetitionRun) -> float:
    """The standard error of what is saved, over the tokens that were said twice; infinite for a single one."""
    changes = (heard.first - heard.second).flatten()
    return float(changes.std() / len(changes) ** 0.5) if len(changes) > 1 else float("inf")


def change_is_unclear(heard: RepetitionRun) -> bool:
    """Whether more is saved than SAVED, or more is right, but of too few tokens to tell that from chance."""
    return saved(heard) >= SAVED or heard.second_accuracy > heard.first_accuracy + SAVED


def about_silence(whole: RepetitionRun, without: Silenced | None) -> str:
    """What repetition still saves without the best heads, and without as many others."""
    if without is None:
        return "Silence the best heads, above, and this place will say what is left of the copying."
    count, before, after = len(without.best), saved(whole), saved(without.without_best)
    others = [saved(each) for each in without.without_others]
    heads = "the best head" if count == 1 else f"the best {count} heads"
    random = f"{'one other' if count == 1 else f'{count} others'}, chosen at random {len(others)} times"
    told = (
        f"With all heads the second time is {_nats(before)} nats cheaper. Without {heads} it is **{_nats(after)}**; "
        f"without {random}, {_nats(min(others))} to {_nats(max(others))}."
    )
    if before < SAVED:
        return f"{told} There is nothing to lose."
    if compare(before, 0.0, margin=CLEAR * error_of_saved(whole)) != "more":
        return f"{told} So few tokens cannot tell what the heads carry."
    if after < min(before, *others) - SAVED:
        return (
            f"{told} They carry {min(1.0, max(0.0, 1 - after / before)):.0%} of it, more than any of the others chosen "
            "at random."
        )
    return f"{told} So they matter no more than heads chosen at random."


def _nats(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _summary(whole: RepetitionRun, without: Silenced | None) -> None:
    """Loss and hits of both times, with all heads and without some."""
    runs: dict[str, Sequence[RepetitionRun]] = {"all heads": [whole]}
    if without:
        count = len(without.best)
        runs |= {
            f"without the best {count}": [without.without_best],
            f"without {count} others*": without.without_others,
        }
    table = pd.DataFrame(
        {
            "heads": list(runs),
            FIRST: [np.mean([float(run.first.mean()) for run in each]) for each in runs.values()],
            SECOND: [np.mean([float(run.second.mean()) for run in each]) for each in runs.values()],
            "right, second time": [np.mean([run.second_accuracy for run in each]) for each in runs.values()],
        }
    )
    tell = "%{customdata}: %{x:.3f} nats a token"
    columns = [
        Column(FIRST, table[FIRST].to_numpy(), tell, colour=theme.look().palette.soft),
        Column(SECOND, table[SECOND].to_numpy(), tell),
        Column("right", table["right, second time"].to_numpy(), "%{customdata}: %{x:.1%} right", percent=True),
    ]
    st.markdown("**Nats a token**, and how many are predicted right the second time")
    charts.chart(
        partial(score_bars, list(runs), columns, look=theme.look().sized(-1)),
        name="copying-summary",
        alt="; ".join(f"{row.iloc[0]}: {row.iloc[1]:.2f} and {row.iloc[2]:.2f} nats" for _, row in table.iterrows()),
        table=table,
    )
    if without:
        layout.caption(f"\\* The mean over {DRAWS} random choices among the other heads.")


def _along(said: Said, given: Given, whole: RepetitionRun, without: Silenced | None) -> None:
    """The loss at each place, both times, one upon another."""
    lines = {FIRST: whole.first.mean(dim=0).numpy(), SECOND: whole.second.mean(dim=0).numpy()}
    if without:
        lines[f"{SECOND}, without the best"] = without.without_best.second.mean(dim=0).numpy()
        others = np.mean([each.second.mean(dim=0).numpy() for each in without.without_others], axis=0)
        lines[f"{SECOND}, without others"] = others
    labels = None
    if said.text is not None and whole.period <= LABELLED:
        tokens = compute_copying.own_tokens(said)
        labels = [typeset.in_word(tokens, place) for place in compute_copying.own_places(said)[1:]]
    even = None
    if said.text is None:
        even = float(np.log(given.model.tokenizer.get_vocab_size()))
    places = list(range(1, whole.period))
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


def _explain(
    said: Said, whole: RepetitionRun, scores: dict[str, Float[Tensor, "layer head"]], head: Head | None
) -> None:
    """Both losses and the induction score, with the numbers of this page."""
    period, first, second = whole.period, float(whole.first.mean()), float(whole.second.mean())
    st.latex(
        r"\begin{aligned} \mathcal{L}_1 &= \frac{1}{p-1} \sum_{i=1}^{p-1} -\log p(x_i) \\ "
        r"\mathcal{L}_2 &= \frac{1}{p-1} \sum_{i=p+1}^{2p-1} -\log p(x_i) \end{aligned}"
    )
    st.markdown(
        f"With *p* = {period}: $\\mathcal{{L}}_1$ = {first:.3f}, $\\mathcal{{L}}_2$ = {second:.3f} nats, the same "
        f"{period - 1} tokens both times, in {len(whole.tokens)} "
        f"sequence{'s' if len(whole.tokens) > 1 else ''}. Token *p*, the first again, could not have been known and is "
        "left out."
    )
    if head is None:
        return
    st.latex(r"\mathrm{induction} = \frac{1}{p} \sum_{i=p}^{2p-1} A_{i,\,i-p+1}")
    even, layer = uniform_scores(_period(said)), compute_copying.numbers(said)[head[0]]
    st.markdown(
        f"On {_period(said)} random tokens layer {layer}, head {head[1]} has {float(scores['induction'][head]):.3f}; "
        f"even attention {even[0]:.3f}. To the token before it gives {float(scores['previous_token'][head]):.3f}; even "
        f"attention {even[1]:.3f}."
    )
