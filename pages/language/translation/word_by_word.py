"""Word by word: one step of decoding, with everything that was computed in it."""

import math
from collections.abc import Sequence
from functools import partial
from typing import cast

import pandas as pd
import streamlit as st

from core.models.transformer import Transformer
from core.translation.decoder_step import RecurrentStep, StepAttention
from core.translation.decoding import BEGIN, PAD, PENALTY, length_penalty, limit_of
from core.zoo import TRANSLATION as TITLES
from dashboard import contents, theme, typeset
from dashboard.figures.beam_tree import beam_tree
from dashboard.figures.predictions import prediction_bars
from dashboard.figures.vector_rows import Row, vector_rows
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import compare
from dashboard.output import charts, search_tree
from dashboard.output.data_table import data_table
from pages.language.translation import compute, inputs, step_attention
from pages.language.translation.compute import BestHead, Translated, WorkedStep
from pages.language.translation.figures import HUE
from pages.language.translation.prose import PAGE
from pages.language.translation.word_maps import quoted

SECTION = PAGE.section("Word by word")
TOP = 8  # tokens among which the next one is shown
PRINTED = 0.0005  # probabilities that differ by less are printed alike
FIRST = 2  # the step that is shown at first: something has been written, and it can be seen what
NUMBER = 125  # pixels: the box of the step
STRONGEST = -1  # in place of a source token: the one with the largest weight
COLUMNS = (4, 6, 10)  # steps of the tree; the first fits a phone


def show() -> None:
    """The step, what may come next, where it looks, and the tree of the beam."""
    with layout.control_bar():
        text = inputs.sentence()
        stepper = st.container(horizontal=True, vertical_alignment="bottom", width="content")
        with layout.settings():
            title = controls.choice("Model", TITLES.values(), key="steps_model", first=TITLES["bahdanau"], wrap=True)
            beam = inputs.beam()
            inputs.classic()
            heads = st.container()
    name = next(name for name, label in TITLES.items() if label == title)
    with layout.waiting_place(), st.spinner("Translating …"):
        translated = compute.translate(name, text, beam)
    best = compute.best_head() if name == "transformer" else None
    with stepper:
        step = _step(len(translated.target))
    with heads:
        layer, head = _head(translated, best)
    with layout.waiting_place():
        worked = compute.worked_step(name, text, beam, step - 1, layer, head)
    place = _step_in_numbers(translated, worked, step)
    _tree(translated, beam, step)
    layout.notes(
        SECTION,
        notice=noticed(translated, worked, step, best if best and (layer, head) == (best.layer, best.head) else None),
        formula=lambda: _formulas(translated, worked.known, place, step),
    )


def _step(count: int) -> int:
    """One of `count` steps, counted from 1: by number, by two buttons, by the arrow keys."""
    key = "steps_step"
    # Another sentence, model or beam may need fewer steps than the chosen one.
    if (st.session_state.get(key) or 0) > count:
        st.session_state[key] = count
    left = st.container(width="content")
    step = controls.number_box(f"Step, 1 to {count}", 1, count, min(FIRST, count), key=key, width=NUMBER)

    def move(by: int) -> None:
        # From where it stands by now: keys may be pressed faster than the page runs.
        st.session_state[key] = min(count, max(1, (st.session_state.get(key) or step) + by))

    # Both buttons come after the number, which a link may have set: only then is it known.
    for place, label, by in ((left, "Previous", -1), (st.container(width="content"), "Next", 1)):
        place.button(
            label,
            icon=":material/arrow_back:" if by < 0 else ":material/arrow_forward:",
            icon_position="left" if by < 0 else "right",
            key=f"steps_{label.lower()}",
            on_click=move,
            args=(by,),
            shortcut="Left" if by < 0 else "Right",
            disabled=not 1 <= step + by <= count,
        )
    return step


def _head(translated: Translated, best: BestHead | None) -> tuple[int, int]:
    """Layer and head of the transformer's decoder; at first the head that aligns best, where that was measured."""
    network = translated.model.network
    if not isinstance(network, Transformer):
        return 0, 0
    layers, heads = network.config.layers, network.config.heads
    layer = controls.number("Layer", layers, key="steps_layer", first=best.layer if best else layers - 1)
    return layer, controls.number("Head", heads, key="steps_head", first=best.head if best else 0)


def _source_word(labels: Sequence[str], strongest: int) -> int:
    """The source token whose score is taken apart: the strongest of the step, or always the same one."""
    key, options = "steps_word", [STRONGEST, *range(len(labels))]
    if st.session_state.get(key, STRONGEST) not in options:
        st.session_state[key] = STRONGEST

    def name(place: int) -> str:
        if place == STRONGEST:
            return "the one with the largest weight"
        return f"{place + 1}. {typeset.readable(labels[place])}"

    place = cast(int, st.selectbox("Source word", options, format_func=name, key=key, bind="query-params", width=300))
    return strongest if place == STRONGEST else place


def written(translated: Translated, step: int) -> str:
    """The translation in Markdown: what is written so far, the token of this step marked, the rest pale."""
    labels = translated.target.labels
    before, token, after = "".join(labels[: step - 1]).strip(), labels[step - 1], "".join(labels[step:])
    name = typeset.plain(typeset.readable(token))
    past = f"{typeset.plain(before)}{_joint(token)}" if before else "*nothing yet*, then "
    future = f"{_joint(after)}:gray[{typeset.plain(after.strip())}]" if after.strip() else ""
    probability = percent(math.exp(translated.aligned.log_probabilities[step - 1]))
    return (
        f"Written so far: {past}:primary-background[**{name}**]{future}  \n"
        f":gray[Step {step} writes “{name}” with probability {probability}.]"
    )


def _joint(following: str) -> str:
    """Between two pieces: a space, or, inside a word, a mark of no width that ends the Markdown before it."""
    return " " if following.startswith(" ") else "\u200b"


def _step_in_numbers(translated: Translated, worked: WorkedStep, step: int) -> int:
    """What may come next, beside where the step looks; then one source word, whose place it returns, and the mix."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown("**The most probable next tokens**")
        _next(translated, worked, step)
        st.markdown(written(translated, step))
    layout.place_notice()
    typeset.show_cut_notice(translated.source)
    look, title = worked.known, translated.model.title
    if isinstance(look, RecurrentStep):
        with right:
            st.markdown(f"**{title}: one vector in place of attention**")
            _memory(look, step)
        st.markdown(SECTION.text("One vector"))
        return 0
    with right:
        st.markdown(f"**{title}: attention to the source words**")
        scores = st.container()
    layout.heading("How one score is computed")
    place = _source_word(translated.source.labels, int(look.weights.argmax()))
    step_attention.one_word(look, translated.source, place)
    mixed = f"The {step_attention.symbols(look).mixed_means}"
    layout.heading(mixed)
    layout.prose(SECTION.text(mixed))
    step_attention.mixed(look, translated.source, step=step)
    with scores:
        hue = HUE[translated.model.name]
        step_attention.scores(look, translated.source, hue=hue, step=step, marked=place)
    return place


def _next(translated: Translated, worked: WorkedStep, step: int) -> None:
    """The most probable next tokens, the one that was written in the model's hue."""
    token = translated.target.ids[step - 1]
    numbers = worked.log_probabilities.topk(TOP).indices.tolist()
    numbers += [token] if token not in numbers else []
    labels = [_label(translated, number) for number in numbers]
    values = worked.log_probabilities[numbers].exp().tolist()
    look, hue = theme.look(), HUE[translated.model.name]
    hues = [hue if number == token else look.palette.soft for number in numbers]
    charts.chart(
        partial(prediction_bars, labels, values, look=look, hues=hues),
        name="steps-next",
        alt=f"The most probable tokens in step {step}",
        table=pd.DataFrame({"token": labels, "probability": values}),
    )


def _label(translated: Translated, token: int) -> str:
    return typeset.readable(translated.model.tokens([token]).labels[0])


def _memory(memory: RecurrentStep, step: int) -> None:
    """The one vector, and the decoder's state around the step."""
    rows = [
        Row(f"<b>c</b>, the summary, {len(memory.summary)} numbers,", "summary", memory.summary.numpy()),
        Row("<i>s</i> before this step,", "state before", memory.before.numpy()),
        Row("<i>s</i> after it has read the last token,", "state after", memory.after.numpy()),
    ]
    charts.chart(
        partial(vector_rows, rows, look=theme.look(), one_scale=True),
        name="steps-memory",
        alt=f"The summary of the source and the decoder's state around step {step}, number by number",
        table=pd.DataFrame({"summary": memory.summary, "before": memory.before, "after": memory.after}),
    )


def _tree(translated: Translated, beam: int, step: int) -> None:
    """The tree up to the chosen step, and all candidates of that step."""
    decoded = translated.decoded
    layout.heading("Beam search")
    columns = controls.choice("Steps drawn", COLUMNS, key="steps_drawn")

    def label(token: int) -> str:
        return _label(translated, token)

    nodes = search_tree.nodes_of(decoded, label, last=step, columns=columns)
    table = search_tree.table(decoded.steps[step - 1], search_tree.winning_places(decoded).get(step), label)
    figure = partial(beam_tree, nodes, look=theme.look(), hue=HUE[translated.model.name], chosen=step)
    charts.chart(figure, name="steps-tree", alt=f"The tree of the beam search up to step {step}", table=table)
    longest = limit_of(len(translated.source))
    layout.caption(search_tree.about_drawing(decoded, step, beam=beam, longest=longest))
    with st.expander(f"All {len(table)} candidates of step {step}"):
        data_table(
            table,
            hide_index=True,
            column_config={name: st.column_config.NumberColumn(format="%.3f") for name in ("log p", "total", "score")},
            alt=f"The candidates of step {step}",
        )


def noticed(translated: Translated, worked: WorkedStep, step: int, best: BestHead | None) -> tuple[str, ...]:
    """What is written, where the step looked, and how the beam came to it; `best` if it is the head that is shown."""
    if isinstance(worked.known, StepAttention):
        about_step = step_attention.about_look(worked.known, translated.source)
    else:
        about_step = (about_memory(worked.known, step),)
    beam = search_tree.about_candidates(translated.decoded, step)
    return (about_next(translated, worked, step), *about_step, beam, *about_best_head(best))


def about_next(translated: Translated, worked: WorkedStep, step: int) -> str:
    """The token that was written, and the one that it beat or was beaten by, of those that may be written."""
    token = translated.target.ids[step - 1]
    possible = [number for number in worked.log_probabilities.topk(4).indices.tolist() if number not in (PAD, BEGIN)]
    other = next(number for number in possible if number != token)
    ours, theirs = (float(worked.log_probabilities[number].exp()) for number in (token, other))
    name, its = (quoted(translated.model.tokens([number]).labels[0]) for number in (token, other))
    its += " (a piece of its own that reads the same)" if its == name else ""
    if compare(ours, theirs, margin=PRINTED) == "as much":
        return f"The model writes **{name}** with probability {percent(ours)}; {its} is as probable."
    if possible[0] == token:
        return (
            f"The model writes **{name}** with probability {percent(ours)}; {its} is the second most probable token, "
            f"with {percent(theirs)}."
        )
    return (
        f"The beam search writes **{name}** with probability {percent(ours)}, although {its} has {percent(theirs)}: "
        "it compares whole sequences, not single tokens."
    )


def percent(probability: float) -> str:
    """With one digit behind the point, and in words where that would be zero."""
    return f"{probability:.1%}" if probability >= 0.0005 else "less than 0.1%"


def about_memory(memory: RecurrentStep, step: int) -> str:
    """How far the state moved while the summary stayed."""
    length = float(memory.before.norm() * memory.after.norm())
    same = f"The summary is the same {len(memory.summary)} numbers in every step; only the decoder's state changes."
    if not length:
        return f"{same} A state of step {step} is 0, so it has no direction."
    cosine = max(-1.0, min(1.0, float(memory.before @ memory.after) / length))
    return f"{same} Step {step} turned it by {math.degrees(math.acos(cosine)):.0f}° (cosine {cosine:.2f})."


def about_best_head(best: BestHead | None) -> tuple[str, ...]:
    """That the head which aligns best looks one word back, if it was measured so; nothing otherwise."""
    if best is None or best.shift != 1:
        return ()
    return (
        f"Of all heads, layer {best.layer}, head {best.head} agrees best with human alignments, one step late: its "
        "links belong to the token that the decoder has **just read**, not to the one that it writes.",
    )


def _formulas(translated: Translated, known: StepAttention | RecurrentStep, place: int, step: int) -> None:
    """Score, weight and mixed vector of the source word that is worked out, or the recurrence; the beam's score."""
    if isinstance(known, StepAttention):
        heading, numbers = step_attention.formula(known, place, step)
        st.markdown(SECTION.text(heading, **numbers))
        if known.state is None:
            contents.STEPS.link("Attention step by step", show=contents.EIGHT_STEPS)
    else:
        st.markdown(SECTION.text("Recurrence"))
    total, divisor = sum(translated.decoded.best.log_probabilities[:step]), length_penalty(step, PENALTY)
    score = {"total": total, "divisor": divisor, "score": total / divisor}
    st.markdown(SECTION.text("Score of the beam search", step=step, penalty=PENALTY, **score))
