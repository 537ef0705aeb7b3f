"""Inference across languages: does the second sentence follow from the first, and which word attends to which?"""

from dataclasses import dataclass
from functools import partial
from math import exp

import numpy as np
import pandas as pd
import streamlit as st
from torch import Tensor

from core.models.bert_inference import RELATIONS
from core.probing.fine_tuning.inference import Language, Languages, sides
from dashboard import theme, typeset
from dashboard.components.cell_map import cell_map
from dashboard.contents import LONGEST_LINE
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts
from dashboard.output import charts
from pages.language.missing_word import compute_inference as compute
from pages.language.missing_word import inference_measured, inputs
from pages.language.missing_word import inference_sentences as sentences
from pages.language.missing_word.compute_inference import Reading
from pages.language.missing_word.prose import PAGE


@dataclass(frozen=True)
class Example:
    """Two sentences, each in both languages."""

    first: dict[Language, str]
    second: dict[Language, str]


SECTION = PAGE.section("Inference across languages")
EXAMPLES = example_texts.examples_of("inference", Example)
FIRST = next(iter(EXAMPLES.values()))
RELATION_NAMES = {
    "entailment": "the second sentence is true if the first one is",
    "neutral": "the second sentence may be true or not",
    "contradiction": "both sentences cannot be true of one scene",
}
BEFORE, AFTER = "before", "after"
TEXTS = ("infer_first", "infer_second")
LANGUAGES = ("infer_first_in", "infer_second_in")
EXAMPLE, WHEN, LAYER, HEAD = "infer_example", "infer_when", "infer_layer", "infer_head"
START: Languages = ("English", "English")
OPTIONS: tuple[Language, Language] = ("English", "French")


def show() -> None:
    """Two sentences and the probabilities of their relation, beside one head's attention; then what was measured."""
    languages, (first, second) = _sentences()
    with layout.waiting_place():
        reading = compute.read(first, second, languages)
    inputs.say_unknown(reading.tokens.ids, "".join(reading.texts), compute.model())
    left, right = st.columns([2, 3], gap="large")
    with left:
        _relation(reading)
        layout.place_notice()
    with right:
        head, when = _map(reading)
    results = compute.results()
    _moved(reading, head)
    inference_measured.show(results)
    relation = sentences.about_relation(reading.probabilities.tolist())
    notice = (
        f"{relation} {sentences.about_worth(results, languages)}",
        _about_head(reading, head, when),
        sentences.about_french(results),
        sentences.about_mixed(results),
        *filter(None, (sentences.about_bodies(results), sentences.about_words(results))),
    )
    layout.notes(SECTION, notice=notice, numbers=_numbers(reading, head))


# What is read.


def _sentences() -> tuple[Languages, tuple[str, str]]:
    """Both sentences with their languages, and examples to click; at first the first example."""
    first, second = (st.session_state.get(key) for key in TEXTS)
    if first is not None and second is not None:  # sentences that were typed or edited are no example
        st.session_state[EXAMPLE] = _example_of(first, second)
    languages, texts, usual = [], [], (FIRST.first[START[0]], FIRST.second[START[1]])
    with layout.control_bar():
        for number, which in enumerate(("First", "Second")):
            texts.append(
                st.text_input(
                    f"{which} sentence", usual[number], key=TEXTS[number], bind="query-params", max_chars=LONGEST_LINE
                )
            )
            chosen = controls.choice(
                f"{which} in", OPTIONS, key=LANGUAGES[number], first=START[number], on_change=_translate
            )
            languages.append(chosen)
        with st.popover("Examples", icon=":material/format_quote:"):
            st.pills("Examples", list(EXAMPLES), key=EXAMPLE, on_change=_take, label_visibility="collapsed")
    return (languages[0], languages[1]), (texts[0], texts[1])


def _take() -> None:
    """Write the chosen example into the fields, in the languages that are chosen."""
    if (example := EXAMPLES.get(st.session_state[EXAMPLE])) is not None:
        first, second = (st.session_state[key] for key in LANGUAGES)
        st.session_state[TEXTS[0]], st.session_state[TEXTS[1]] = example.first[first], example.second[second]


def _translate() -> None:
    """Translate the sentences of an example into the languages that are chosen; others stay as they are."""
    first, second = (st.session_state[key] for key in LANGUAGES)
    for key, language in zip(TEXTS, (first, second), strict=True):
        for example in EXAMPLES.values():
            for sentence in (example.first, example.second):
                if st.session_state[key] in sentence.values():
                    st.session_state[key] = sentence[language]


def _example_of(first: str, second: str) -> str | None:
    """The name of the example that has these sentences, in whatever languages."""
    names = (name for name, example in EXAMPLES.items() if first in example.first.values())
    return next((name for name in names if second in EXAMPLES[name].second.values()), None)


# What it says, and where it looks.


def _relation(reading: Reading) -> None:
    """The probabilities of the three relations."""
    values = reading.probabilities.tolist()
    look = theme.look()
    hues = [look.palette.accent if value == max(values) else look.palette.map for value in values]
    rows = {"relation": RELATIONS, "meaning": RELATION_NAMES.values(), "probability": values}
    charts.chart(
        partial(prediction_bars, list(RELATIONS), values, look=look, hues=hues),
        name="inference-relation",
        alt="Relation of the sentences: "
        + ", ".join(f"{name} {value:.1%}" for name, value in zip(RELATIONS, values, strict=True)),
        table=pd.DataFrame(rows),
    )


def _map(reading: Reading) -> tuple[tuple[int, int], str]:
    """One head's attention between all words, before or after fine-tuning; at first the head that moved most."""
    values = reading.moved.numpy()
    most = np.unravel_index(int(values.argmax()), values.shape)
    with layout.control_bar():
        when = controls.choice("Fine-tuning", (AFTER, BEFORE), key=WHEN, about=SECTION.text("Fine-tuning"), wrap=True)
        layer = controls.number("Layer", values.shape[0], key=LAYER, first=int(most[0]))
        head = controls.number("Head", values.shape[1], key=HEAD, first=int(most[1]))
    labels = [typeset.readable(label) for label in reading.labels]
    cell_map(
        _maps(reading, when)[layer, head].numpy(),
        key="inference_map",
        x="attended to",
        y="attends",
        tell="{row} gives {value} to {column}",
        rows=labels,
        columns=labels,
        limits=(0.0, 1.0),
        alt=f"{when.title()} fine-tuning: the attention of layer {layer}, head {head} between all words",
        name="inference-map",
        height=420,
    )
    layout.caption(SECTION.text("Attention"))
    return (layer, head), when


def _maps(reading: Reading, when: str) -> Tensor:
    return reading.before if when == BEFORE else reading.after


def _moved(reading: Reading, head: tuple[int, int]) -> None:
    """How much the attention of every head moved."""
    st.subheader("Which heads changed?", anchor=False)
    cell_map(
        reading.moved.numpy(),
        key="inference_moved",
        x="head",
        y="layer",
        tell="layer {row}, head {column}: {value} of its attention moved",
        limits=(0.0, 1.0),
        marked=[head],
        on_click=_take_head,
        alt=f"How much attention moved in each head, {reading.moved.min():.0%} to {reading.moved.max():.0%}",
        name="inference-moved",
        height=240,
    )
    layout.caption(SECTION.text("Moved attention"))


def _take_head(layer: int, head: int) -> None:
    st.session_state[LAYER], st.session_state[HEAD] = layer, head


def _about_head(reading: Reading, head: tuple[int, int], when: str) -> str:
    """How the chosen head changed, and the strongest link that is drawn of it."""
    moved = sentences.about_head(
        head,
        float(reading.moved[head]),
        float(reading.across_before[head]),
        float(reading.across_after[head]),
        is_most=bool(reading.moved[head] == reading.moved.max()),
    )
    link = sentences.about_link(_maps(reading, when)[head].tolist(), reading.labels, sides(reading.tokens))
    return f"{moved} {when.title()} fine-tuning: {link}"


def _numbers(reading: Reading, head: tuple[int, int]) -> dict[str, object]:
    """The most probable relation from its logit, how much of a row moved, and the attention between the sentences."""
    logarithms = reading.probabilities.double().clamp(min=1e-30).log()
    logits = (logarithms - logarithms[RELATIONS.index("neutral")]).tolist()
    top = max(range(len(RELATIONS)), key=logits.__getitem__)
    differences = float((reading.before[head][0] - reading.after[head][0]).abs().sum())
    return {
        "relation": RELATIONS[top],
        "logit": logits[top],
        "exponentials": "+".join(f"e^{{{logit:.2f}}}" for logit in logits),
        "probability": exp(logits[top]) / sum(map(exp, logits)),
        "differences": differences,
        "moved": differences / 2,
        "words": sum(map(len, sides(reading.tokens))),
        "across": float(reading.across_after[head]),
    }
