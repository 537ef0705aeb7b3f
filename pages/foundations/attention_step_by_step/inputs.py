"""Where the steps begin: with an example whose numbers can be changed, or with a sentence in a model."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

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
from pages.foundations.attention_step_by_step.prose import PAGE

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


@dataclass(frozen=True)
class _Places:
    """Where controls stand: in the row above the figure, in the menu at its end, below the figure; and messages."""

    row: DeltaGenerator
    menu: DeltaGenerator
    below: DeltaGenerator
    messages: DeltaGenerator


@dataclass(frozen=True)
class Chosen:
    """What the visitor has chosen to follow, and where a section draws.

    `options` are scale, mask and temperature, as keyword arguments of `followed.compute`; `figure` is the place of the
    figure, `menu` that of further controls of the section.
    """

    followed: Followed
    options: dict[str, Any]
    figure: DeltaGenerator
    menu: DeltaGenerator

    def divisor(self, channels: int) -> float:
        """What dot products of so many channels are divided by before the softmax."""
        return self.options["temperature"] * (math.sqrt(channels) if self.options["scale"] else 1.0)


def choose() -> Chosen:
    """Draw the controls above the figure, and return what the visitor has chosen."""
    with layout.control_bar():
        begin = controls.choice("Begin with", [EXAMPLE, contents.OWN_SENTENCE], key="begin")
        if begin == contents.OWN_SENTENCE:
            raw = st.text_input("Sentence", SENTENCE, key="text", bind="query-params", max_chars=contents.LONGEST_LINE)
            carried.note("text", raw, SENTENCE)
        else:
            titles = {example.title: name for name, example in EXAMPLES.items()}
            name = titles[st.selectbox("Example", titles, key="example", bind="query-params", width=240)]
        with st.container(width="content"):  # what follows keeps its place in both modes
            if begin == contents.OWN_SENTENCE:
                controls.examples(SENTENCES)
        row, menu = st.container(width="content"), layout.settings()
    messages, figure, below = st.container(gap=None), st.container(), st.container(gap=None)
    places = _Places(row, menu, below, messages)
    followed = _sentence(raw, places) if begin == contents.OWN_SENTENCE else _example(name, places)
    return Chosen(followed, _options(followed, menu), figure, menu)


def _options(followed: Followed, menu: DeltaGenerator) -> dict:
    with menu:
        scale = st.toggle("Scale", value=True, key="scaled", bind="query-params")
        # The defaults of the two modes differ, so they have different names in the address.
        name = "masked" if followed.is_causal else "mask"
        mask = st.toggle("Mask", value=followed.is_causal, key=name, bind="query-params")
        temperature = st.slider("Temperature", 0.1, 4.0, 1.0, 0.1, key="temperature", bind="query-params", width=180)
    return {"scale": scale, "causal": mask, "temperature": temperature}


def _example(name: str, places: _Places) -> Followed:
    example = EXAMPLES[name]
    with places.menu, st.container(gap=None):
        head = controls.choice("Head", range(example.heads), key="head") if example.heads > 1 else 0
    # In the classic example the first row has the famous numbers.
    query = _query(example.tokens, places.row, first=0 if name == "classic" else len(example.tokens) - 1)
    with places.below, st.expander("Change the numbers"):
        example = _edited(name, example)
    return Followed(example.tokens, example.channels, head, query, False, name, example.steps)


def _edited(name: str, example: WorkedExample) -> WorkedExample:
    """The example with the visitor's numbers, one table for each matrix."""
    st.caption(PAGE.text("Numbers of an example", largest=matrices.LARGEST))
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


def _sentence(raw: str, places: _Places) -> Followed:
    model = text_model(contents.STEPS_MODEL)
    tokens = model.encode(read_text(raw))
    labels, network = tokens.labels[:LONGEST], cast(GPT, model.network)
    with places.menu, st.container(horizontal=True):
        layer = controls.number("Layer", network.config.layers, key="layer")
        head = controls.number("Head", network.config.heads, key="head")
    words = [place for place, label in enumerate(labels) if any(map(str.isalnum, label))]
    query = _query(labels, places.row, first=words[-1] if words else len(labels) - 1)
    if len(tokens) > LONGEST:
        places.messages.info(
            PAGE.text("Long sentences", longest=LONGEST, tokens=len(tokens)), icon=":material/content_cut:"
        )
    inputs = layer_inputs(network, torch.tensor(tokens.ids[:LONGEST]), layer)
    return Followed(labels, (), head, query, True, f"{contents.STEPS_MODEL}-layer-{layer}", inputs.steps)


def _query(labels: tuple[str, ...], row: DeltaGenerator, *, first: int) -> int:
    """The token whose row is followed through all steps."""
    with row:
        return controls.token([typeset.readable(label) for label in labels], first=first, label="Query", width=120)
