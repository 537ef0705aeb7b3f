"""Any model: a ViLT by name or folder reads a text and a picture; who looks at whom, and what it says."""

from functools import partial

import pandas as pd
import streamlit as st

from core.zoo.offers import check_offer
from core.zoo.text_models import Prediction
from core.zoo.transformers_joint import NamedJointReader
from dashboard import theme, typeset
from dashboard.cache.memo import cached
from dashboard.cache.models import named_joint
from dashboard.components.word_maps import WordScene, word_maps
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.inputs import controls, model_name, picture_input
from dashboard.inputs.picture_input import PHOTOGRAPHS, SCENES, PictureInput
from dashboard.number_format import signed
from dashboard.output import charts
from pages.words_and_pictures.joint import co_attention, compute
from pages.words_and_pictures.joint.compute import NamedJointAttention
from pages.words_and_pictures.joint.prose import PAGE

SECTION = PAGE.section("Any model")
TEXT, QUESTION = "a photo of a [MASK]", "What is in the picture?"
EXAMPLES = {
    "A mask": TEXT,
    "A colour": "a [MASK] cup on a table",
    "A question": QUESTION,
    "How many?": "How many people are there?",
}
TOP = 6  # words or answers that are listed


def show() -> None:
    """The name of a model, the picture, the text, the maps, what it says."""
    model = model_name.named_model(
        "vilt",
        "both",
        lambda offer: check_offer(offer, "joint"),
        named_joint,
        placeholder="dandelin/vilt-b32-mlm, or a folder",
        about="A ViLT, by its name on the hub or by its folder.",
        empty_text=SECTION.text("Before a model is named"),
        without_hub="the small networks of the other sections",
    )
    if model is None:
        layout.notes(SECTION, notice=("No model is named yet, so there is nothing to notice.",))
        return
    with layout.control_bar():
        chosen = picture_input.choose((PHOTOGRAPHS, SCENES), first=PHOTOGRAPHS)
        first = QUESTION if model.output_kind == "answers" else TEXT
        text = st.text_input("Your text", first, key="vilt_text", bind="query-params", max_chars=300)
        controls.examples(EXAMPLES, field="vilt_text")
        with layout.settings():
            way = co_attention.direction()
    with layout.waiting_place():
        attention = compute.look_by_name(model.name, chosen, text)
    word_maps(scene_of(model.name, chosen, text, way), key="vilt-maps", name=f"joint-{model.title}")
    layout.place_notice()
    output_sentences = _outputs(model, attention)
    sentences = (*co_attention.noticed(attention, one_stream=True), *output_sentences)
    layout.notes(SECTION, notice=sentences)


@cached()
def scene_of(name: str, chosen: PictureInput, text: str, way: str) -> WordScene:
    """What the view shows of one direction; it is not known what the pieces of words mean."""
    attention = compute.look_by_name(name, chosen, text)
    photo = "colour" if chosen.is_scene else "ink"
    known = (None,) * len(attention.tokens)
    return co_attention.view_of(attention, attention.prepared, named_joint(name).grid, way, text, known, photo=photo)


def _outputs(model: NamedJointReader, attention: NamedJointAttention) -> tuple[str, ...]:
    """Show what it was trained to say, with the picture and with an even grey; the sentences that tell of it."""
    outputs, without = attention.outputs, attention.without
    if outputs.answers is not None:
        st.subheader("What it answers", anchor=False)
        _beside(model.best_answers(outputs, TOP), model.best_answers(without, TOP), "answer")
        return (tell_best(model.best_answers(outputs, 1)[0], model.best_answers(without, 1)[0], "the answer"),)
    if outputs.match is not None and without.match is not None:
        return (tell_match(outputs.match, without.match),)
    places = model.masked(attention.tokens) if outputs.words is not None else ()
    for place in places:
        st.subheader(f"What stands at place {place}", anchor=False)
        _beside(model.guesses(outputs, place, TOP), model.guesses(without, place, TOP), f"place-{place}")
    if outputs.words is not None and not places:
        return ("Write [MASK] in place of a word, and the model guesses it.",)
    return tuple(
        tell_best(
            model.guesses(outputs, place, 1)[0], model.guesses(without, place, 1)[0], f"the word at place {place}"
        )
        for place in places
    )


def _beside(own: tuple[Prediction, ...], without: tuple[Prediction, ...], name: str) -> None:
    look = theme.look()
    titles = {"picture": "with the picture", "grey": "with an even grey"}
    for column, (key, predictions) in zip(
        st.columns(2, gap="large"), {"picture": own, "grey": without}.items(), strict=True
    ):
        labels, values = (
            [prediction.label for prediction in predictions],
            [prediction.probability for prediction in predictions],
        )
        with column:
            st.caption(titles[key])
            charts.chart(
                partial(prediction_bars, labels, values, look=look),
                name=f"vilt-{name}-{key}",
                alt="; ".join(f"{label} {value:.0%}" for label, value in zip(labels, values, strict=True)),
                table=pd.DataFrame({"label": labels, "probability": values}),
            )


def tell_best(own: Prediction, without: Prediction, what: str) -> str:
    """Its best guess with the picture, and with grey, each with its probability."""
    label, other = typeset.plain(own.label), typeset.plain(without.label)
    sentence = f"With the picture {what} is **“{label}”**, {own.probability:.0%}; with grey it is"
    if own.label == without.label:
        return f"{sentence} the same, {without.probability:.0%}."
    return f"{sentence} “{other}”, {without.probability:.0%}."


def tell_match(own: float, without: float) -> str:
    """How well text and picture match, beside grey."""
    return f"Text and picture match with a score of {signed(own)}, the text and an even grey with {signed(without)}."
