"""What several sections ask the visitor for: a network, and a sentence or a picture."""

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import typeset
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, model_name, photograph
from pages.scale.shrinking import compute
from pages.scale.shrinking.compute import Question

GPT, SENTIMENTS, MASKED = "GPT", "BERT, praise or blame", "BERT, masked words"
VISION, TRANSLATOR = "Vision transformer", "Translator"
MODELS = {
    GPT: "gpt-books",
    SENTIMENTS: "bert-tasks",
    VISION: "vit-tiny-imagenet",
    TRANSLATOR: "translation",
}
OTHER_TEXT, OTHER_PICTURE = "Another, for texts", "Another, for pictures"  # by name or folder
OURS = {"text": ("gpt-books", "bert-books"), "image": ("vit-tiny-imagenet",)}  # first on the lists of those
EXAMPLES = example_texts.examples("shrinking")
MASKED_EXAMPLES = example_texts.examples("shrinking-mask")
NETWORK, SENTENCE, GAP = "shrunk", "sentence", "gap"  # keys
LONGEST_LINE = 400  # characters


def choose(
    below: DeltaGenerator,
    models: Mapping[str, str] = MODELS,
    *,
    others: bool = True,
    forgets: tuple[str, ...] = (),
) -> Question:
    """A network and what it is asked about, for a control bar; `show_cut` belongs below it.

    `below`: a container below the bar, for pictures and for what is said of a model that is not here yet. `forgets`:
    what the address says of the former network or text.
    """

    def put_back() -> None:
        for address in forgets:
            st.query_params.pop(address, None)

    offered = [*models, *((OTHER_TEXT, OTHER_PICTURE) if others else ())]
    chosen = controls.menu("Model", offered, key=NETWORK, width=190, on_change=put_back)
    if chosen == OTHER_PICTURE:
        with below:
            return _of_picture(photograph.choose(OURS["image"], attends=False))
    if chosen == OTHER_TEXT:
        place = st.container(width="content")
        with below:
            name = model_name.model("text", offered=OURS["text"], attends=False, menu=place)
    else:
        name = models[chosen]
    if name.startswith("vit-"):
        with below, st.container(horizontal=True, vertical_alignment="bottom"):
            return _of_picture(photograph.Photograph(name, controls.picture(), None))
    key, texts = (GAP, MASKED_EXAMPLES) if name == "bert-books" else (SENTENCE, EXAMPLES)
    first = next(iter(texts.values()))
    typed = st.text_input("Your sentence", first, key=key, bind="query-params", max_chars=LONGEST_LINE)
    controls.examples(texts, field=key, forgets=forgets)
    return Question(name, typed)


def _of_picture(chosen: photograph.Photograph) -> Question:
    return Question(chosen.name, chosen)


def show_cut(question: Question) -> None:
    """Show which part of a long sentence is read; InputError for a sentence that cannot be read."""
    if isinstance(question.model_input, str):
        with layout.waiting_place():
            typeset.show_cut_notice(compute.read(question.name, question.model_input))
