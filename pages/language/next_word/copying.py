"""Does it copy? Tokens said twice, the heads that look back to the first time, and the model without them."""

import streamlit as st
from jaxtyping import Float
from torch import Tensor

from core.heads.head_table import SEED, SEQUENCES
from core.heads.repetition import RepetitionRun, uniform_scores
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import CLEAR, compare
from dashboard.recordings.watched import Head
from pages.language.next_word import compute_copying, copying_heads, copying_losses, inputs
from pages.language.next_word.compute_copying import Repetition, Silenced
from pages.language.next_word.inputs import Selection
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Copying")
RANDOM, OWN_TEXT = "Random tokens", "Your own text"
SHORTEST, PERIOD, LONGEST = 10, 25, 100  # random tokens: at least, at first (as Olsson et al.), at most
SLIDER = 190  # pixels
SILENCED, MOST_SILENCED = 2, 12  # heads: at first, and at most
LARGEST_SEED = 9999


def show() -> None:
    """The loss of both times, the heads on two maps, one of them in view, and the same without the best ones."""
    with layout.control_bar():
        typed_text = inputs.text()
        ablation = st.container(width="content")
        menu = layout.settings()
    selection = inputs.selection(typed_text, menu)
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
        copying_losses.summary(full_run, without)
    with figures[1]:
        copying_losses.along(repetition, selection, full_run, without)
        layout.caption(_sequence(repetition, full_run))
    head = copying_heads.show(repetition, scores, without)
    layout.notes(
        SECTION,
        notice=(
            copying_losses.about_copying(full_run),
            copying_heads.about_heads(
                scores["induction"],
                scores["previous_token"],
                uniform_scores(_period(repetition)),
                compute_copying.numbers(repetition),
            ),
            about_silence(full_run, without),
        ),
        numbers=copying_losses.numbers(full_run),
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


def about_silence(full_run: RepetitionRun, without: Silenced | None) -> str:
    """What repetition still saves without the best heads, and without as many others."""
    if without is None:
        return "Ablate the best heads, in the row above, to see what is left of the copying."
    count, before, after = len(without.best), copying_losses.saved(full_run), copying_losses.saved(without.without_best)
    others = [copying_losses.saved(run) for run in without.without_others]
    heads = "the best head" if count == 1 else f"the best {count} heads"
    random = f"{'one other' if count == 1 else f'{count} others'}, chosen at random {len(others)} times"
    sentence = (
        f"With all heads the second time is {_nats(before)} nats cheaper. Without {heads} it is **{_nats(after)}**; "
        f"without {random}, {_nats(min(others))} to {_nats(max(others))}."
    )
    if before < copying_losses.SAVED:
        return f"{sentence} There is no copying to lose."
    if compare(before, 0.0, margin=CLEAR * copying_losses.error_of_saved(full_run)) != "more":
        return f"{sentence} These are too few tokens to tell what the heads contribute."
    if after < min(before, *others) - copying_losses.SAVED:
        return (
            f"{sentence} They carry {min(1.0, max(0.0, 1 - after / before)):.0%} of it, more than any of the others "
            "chosen at random."
        )
    return f"{sentence} They matter no more than heads chosen at random."


def _nats(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


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
