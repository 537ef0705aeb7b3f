"""Word by word: one step of decoding, with everything that was computed in it."""

import math

import pandas as pd
import streamlit as st

from core.models.transformer import Transformer
from core.translation.decoder_step import Look, Memory
from dashboard import charts, layout
from dashboard.figures.predictions import prediction_bars
from dashboard.figures.vector_rows import Row, vector_rows
from pages.language.translation import compute as kept
from pages.language.translation import inputs, step_attention, step_choices, step_formulas, step_notices, step_tree
from pages.language.translation import words_steps as said
from pages.language.translation.compute import Translated
from pages.language.translation.compute_steps import WorkedStep, worked_step
from pages.language.translation.figures_beam_tree import beam_tree
from pages.language.translation.models import HUE

TOP = 8  # tokens among which the next one is shown


def show() -> None:
    """The step, what may come next, where it looks, and the tree of the beam."""
    text = inputs.sentence()
    bar, second = layout.control_bar(), layout.control_bar()
    with bar:
        name, beam = step_choices.model(), inputs.beam()
        inputs.classic()
    with layout.waiting_place():
        translated = _translated(name, text, beam)
    layout.say_what_was_cut(translated.source)
    with second:
        step = step_choices.step(len(translated.target))
        layer, head = _head(second, translated)
    with layout.waiting_place():
        worked = worked_step(name, text, beam, step - 1, layer, head)
    st.markdown(written(translated, step))
    if isinstance(worked.known, Look):
        place = _look(translated, worked, worked.known, step)
        formula = lambda: step_formulas.look(worked.known, translated, place, step)  # noqa: E731
    else:
        _memory(translated, worked, worked.known, step)
        formula = lambda: step_formulas.memory(translated, step)  # noqa: E731
    _tree(translated, step)
    best = kept.best_heads().get(name, {})
    notice = step_notices.about_step(translated, worked, step)
    if (layer, head) == (best.get("layer"), best.get("head")):
        notice = (*notice, *step_notices.about_best_head(best))
    layout.notes(said.NOTES, notice=notice, formula=formula)


def _translated(name: str, text: str, beam: int) -> Translated:
    known = kept.known_translation(name, text, beam)
    if known is not None:
        return known
    with st.spinner("Translating …"):
        return kept.translate(name, text, beam=beam)


def _head(bar, translated: Translated) -> tuple[int, int]:
    network = translated.model.network
    if not isinstance(network, Transformer):
        return 0, 0
    best = kept.best_heads().get("transformer", {})
    return step_choices.head(bar, network.config.layers, network.config.heads, best)


def written(translated: Translated, step: int) -> str:
    """The translation in Markdown: what is written so far, the token of this step marked, the rest pale."""
    labels = translated.target.labels
    before, chosen, after = "".join(labels[: step - 1]).strip(), labels[step - 1], "".join(labels[step:])
    name = layout.plain(layout.readable(chosen))
    past = f"{layout.plain(before)}{_joint(chosen)}" if before else "*nothing yet*, then "
    future = f"{_joint(after)}:gray[{layout.plain(after.strip())}]" if after.strip() else ""
    probability = step_notices.percent(math.exp(translated.aligned.log_probabilities[step - 1]))
    return (
        f"Written so far: {past}:primary-background[**{name}**]{future}  \n"
        f":gray[Step {step} writes “{name}” with probability {probability}.]"
    )


def _joint(following: str) -> str:
    """Between two pieces: a space, or, inside a word, a mark of no width that ends the Markdown before it."""
    return " " if following.startswith(" ") else "\u200b"


def _look(translated: Translated, worked: WorkedStep, look: Look, step: int) -> int:
    """What may come next beside where the step looks; then one word, then the mix. Returns the chosen word."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.subheader("What may come next", anchor=False)
        _next(translated, worked, step)
    with right:
        st.subheader("Where it looks", anchor=False)
        scores = st.container()
    st.subheader("One score, taken apart", anchor=False)
    place = step_attention.chosen_word(look, translated.source)
    step_attention.one_word(look, translated.source, place)
    st.subheader("What is handed on", anchor=False)
    if not layout.is_presented():
        st.markdown(said.HANDED_ON if look.state is not None else said.HANDED_ON_BY_A_HEAD, width=layout.PROSE)
    step_attention.mixed(look, translated.source, step=step)
    with scores:
        hue = HUE[translated.model.name]
        step_attention.scores(look, translated.source, hue=hue, step=step, marked=place)
    return place


def _memory(translated: Translated, worked: WorkedStep, memory: Memory, step: int) -> None:
    """Without attention: what may come next, and the one vector."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.subheader("What may come next", anchor=False)
        _next(translated, worked, step)
    with right:
        st.subheader("Where it looks: nowhere", anchor=False)
        st.markdown(said.ONE_VECTOR)
        rows = [
            Row(f"<b>c</b>, the summary, {len(memory.summary)} numbers,", "summary", memory.summary.numpy()),
            Row("<i>s</i> before this step,", "state before", memory.before.numpy()),
            Row("<i>s</i> after it has read the last token,", "state after", memory.after.numpy()),
        ]
        charts.chart(
            vector_rows(rows, look=layout.look(), one_scale=True),
            name="steps-memory",
            alt=f"The summary of the source and the decoder's state around step {step}, number by number",
            table=pd.DataFrame({"summary": memory.summary, "before": memory.before, "after": memory.after}),
        )


def _next(translated: Translated, worked: WorkedStep, step: int) -> None:
    """The most probable next tokens, the one that was written in the model's hue."""
    chosen = translated.target.ids[step - 1]
    numbers = worked.log_probabilities.topk(TOP).indices.tolist()
    numbers += [chosen] if chosen not in numbers else []
    labels = [layout.readable(translated.model.tokens([number]).labels[0]) for number in numbers]
    values = worked.log_probabilities[numbers].exp().tolist()
    look = layout.look()
    figure = prediction_bars(labels, values, look=look)
    hue = HUE[translated.model.name]
    figure.update_traces(marker_color=[hue if number == chosen else look.palette.soft for number in numbers])
    charts.chart(
        figure,
        name="steps-next",
        alt=f"The most probable tokens in step {step}",
        table=pd.DataFrame({"token": labels, "probability": values}),
    )


def _tree(translated: Translated, step: int) -> None:
    """The tree up to the chosen step, and all candidates of that step."""
    decoded = translated.decoded
    st.subheader("The beam", anchor=False)
    columns = step_choices.columns()
    nodes = step_tree.nodes_of(decoded, _label(translated), last=step, columns=columns)
    candidates = decoded.steps[step - 1]
    table = step_tree.table(candidates, step_tree.winning_places(decoded).get(step), _label(translated))
    figure = beam_tree(nodes, look=layout.look(), hue=HUE[translated.model.name], chosen=step)
    charts.chart(figure, name="steps-tree", alt=f"The tree of the beam search up to step {step}", table=table)
    if not layout.is_presented():
        st.caption(step_notices.about_tree(decoded, step))
    with st.expander(f"All {len(candidates)} candidates of step {step}"):
        st.dataframe(
            table,
            hide_index=True,
            column_config={name: st.column_config.NumberColumn(format="%.3f") for name in ("log p", "total", "score")},
            alt=f"The candidates of step {step}",
        )


def _label(translated: Translated) -> step_tree.Label:
    return lambda number: layout.readable(translated.model.tokens([number]).labels[0])
