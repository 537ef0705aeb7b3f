"""Where the steps begin: with an example whose numbers can be changed, or with a sentence in a model."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from core.attention.equations import Step
from core.attention.worked_examples import EXAMPLES, WorkedExample
from core.models.gpt import GPT
from core.models.gpt_steps import layer_inputs
from core.text import read_text
from dashboard import contents, typeset
from dashboard.cache.models import text_model
from dashboard.frame import carried, layout
from dashboard.inputs import controls, example_texts
from pages.foundations.attention_step_by_step import matrices

SENTENCES = example_texts.examples("steps")
SENTENCE = next(iter(SENTENCES.values()))
LONGEST = 48  # tokens: so many rows can still be told apart

EXAMPLE = "Worked example"


@dataclass(frozen=True)
class Followed:
    """One head of one layer, and everything that its attention computes with."""

    tokens: tuple[str, ...]
    channels: tuple[str, ...]
    head: int
    query: int  # the token whose row is followed
    is_causal: bool  # whether later tokens are hidden, unless the visitor decides otherwise
    place: str  # where this is, for the names of files
    compute: Callable[..., tuple[Step, ...]]  # takes scale, causal and temperature
    bar: DeltaGenerator  # the row of controls, for those that come after


def choose() -> Followed:
    """What the visitor has chosen to follow."""
    with layout.control_bar():
        begin = controls.choice("Begin with", [EXAMPLE, contents.OWN_SENTENCE], key="begin")
        if begin == contents.OWN_SENTENCE:
            raw = st.text_input("Sentence", SENTENCE, key="text", bind="query-params", max_chars=contents.LONGEST_LINE)
            carried.note("text", raw, SENTENCE)
        else:
            titles = {example.title: name for name, example in EXAMPLES.items()}
            name = titles[st.selectbox("Example", titles, key="example", bind="query-params", width=300)]
    if begin == contents.OWN_SENTENCE:
        controls.examples(SENTENCES)
    return _sentence(raw) if begin == contents.OWN_SENTENCE else _example(name)


def choose_options(followed: Followed) -> dict:
    """Scale, mask and temperature, as keyword arguments of `followed.compute`."""
    with followed.bar:
        temperature = st.slider("Temperature", 0.1, 4.0, 1.0, 0.1, key="temperature", bind="query-params", width=180)
        scale = st.toggle("Scale", value=True, key="scaled", bind="query-params")
        # The defaults of the two modes differ, so they have different names in the address.
        name = "masked" if followed.is_causal else "mask"
        mask = st.toggle("Mask", value=followed.is_causal, key=name, bind="query-params")
    return {"scale": scale, "causal": mask, "temperature": temperature}


def _example(name: str) -> Followed:
    example = EXAMPLES[name]
    bar = layout.control_bar()
    with bar:
        head = controls.choice("Head", range(example.heads), key="head") if example.heads > 1 else 0
        # In the classic example the first row has the famous numbers.
        query = _query(example.tokens, first=0 if name == "classic" else len(example.tokens) - 1)
    with st.expander("Change the numbers"):
        example = _edited(name, example)
    return Followed(example.tokens, example.channels, head, query, False, name, example.steps, bar)


def _edited(name: str, example: WorkedExample) -> WorkedExample:
    """The example with the visitor's numbers, one table for each matrix."""
    st.caption(f"Any number from −{matrices.LARGEST} to {matrices.LARGEST}. The address keeps what you change.")
    changed = {}
    with st.container(horizontal=True):
        for symbol, matrix in example.matrices.items():
            counted = [[str(place) for place in range(size)] for size in matrix.shape]
            rows = {"W_O": counted[0]}.get(symbol, example.channels if "W" in symbol else example.tokens)
            columns = example.channels if symbol == "X" else counted[1]
            with st.container(width=360 if len(columns) <= 4 else "stretch"):
                st.markdown(f"${symbol}$")
                changed[symbol] = matrices.editor(symbol, matrix, rows=rows, columns=columns, version=name)
    return replace(example, matrices=changed)


def _sentence(raw: str) -> Followed:
    model = text_model(contents.STEPS_MODEL)
    tokens = model.encode(read_text(raw))
    labels, network = tokens.labels[:LONGEST], cast(GPT, model.network)
    bar = layout.control_bar()
    with bar:
        layer = controls.number("Layer", network.config.layers, key="layer")
        head = controls.number("Head", network.config.heads, key="head")
        words = [place for place, label in enumerate(labels) if any(map(str.isalnum, label))]
        query = _query(labels, first=words[-1] if words else len(labels) - 1)
    if len(tokens) > LONGEST:
        st.info(
            f"Here the first {LONGEST} of {len(tokens):,} tokens are shown: with more rows the numbers would be too "
            "small to read.",
            icon=":material/content_cut:",
        )
    inputs = layer_inputs(network, torch.tensor(tokens.ids[:LONGEST]), layer)
    return Followed(labels, (), head, query, True, f"{contents.STEPS_MODEL}-layer-{layer}", inputs.steps, bar)


def _query(labels: tuple[str, ...], *, first: int) -> int:
    """The token whose row is followed through all steps."""
    return controls.token([typeset.readable(label) for label in labels], first=first, label="Query token", width=190)
