"""Hidden words: guessed with the picture, with another one and without, and with the looks of a layer silenced."""

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.results.joint_results import ANOTHER, ITS, NONE
from core.text import Tokens
from core.zoo.joint import JOINT
from core.zoo.text_models import Prediction
from dashboard import theme, typeset
from dashboard.cache.models import joint
from dashboard.components.word_picker import PickedWord, word_picker
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import compare
from dashboard.output import charts
from pages.words_and_pictures.joint import compute, inputs
from pages.words_and_pictures.joint.prose import PAGE

SECTION = PAGE.section("Hidden words")
KEY = "hidden"  # in the address: places of the sentence
WIDE = 220  # pixels of the picture
NOBODY = "none"
NOTICEABLE = 0.05  # of probability: a smaller difference between pictures counts as none
SMALL = 0.01  # the same between layers


def show() -> None:
    """The sentence with gaps, the guesses side by side, what each layer brings."""
    with layout.control_bar():
        chosen, text = inputs.scene_and_sentence()
        with layout.settings():
            name = inputs.network()
            layers = [NOBODY, *map(str, range(joint(name).layers))]
            chosen_layer = controls.choice("Ablate the attention of layer", layers, key="silenced_layer")
    name, chosen, text = inputs.settled(chosen, text, name)
    silenced = None if chosen_layer == NOBODY else int(chosen_layer)
    model = joint(name)
    tokens = model.encode(text)
    real = [place for place, special in enumerate(tokens.special) if not special]
    places = tuple(place for place in inputs.numbers(KEY, len(tokens)) if place in real) or (
        real[min(1, len(real) - 1)],
    )
    left, right = st.columns([1, 2], gap="large")
    with left:
        wide = theme.look().high(WIDE)
        st.image(compute.prepare(name, chosen).photograph, width=wide, alt="The picture that the sentence is read with")
        word_picker(
            [
                PickedWord(
                    f" {tokens.labels[place].strip()}",
                    f"“{tokens.labels[place].strip()}” is {'masked' if place in places else 'shown'}",
                    covered=place in places,
                )
                for place in real
            ],
            key="joint-words",
            on_click=lambda clicked: inputs.switch(KEY, places, real[clicked]),
            label="The sentence with its masked words",
            hint="Click a word to mask it; click again to show it.",
        )
    with right:
        guesses = {
            condition: compute.guesses(name, chosen, text, places, condition) for condition in (ITS, ANOTHER, NONE)
        }
        if silenced is not None:
            guesses["silenced"] = compute.guesses(name, chosen, text, places, ITS, silenced)
        for place in places:
            _guesses(tokens, place, {condition: by_place[place] for condition, by_place in guesses.items()}, silenced)
            if place == places[0]:
                layout.place_notice()
    chances = {
        condition: compute.true_chances(name, chosen, text, places, condition) for condition in (ITS, ANOTHER, NONE)
    }
    by_layer = [compute.true_chances(name, chosen, text, places, ITS, layer) for layer in range(model.layers)]
    beside = next(network for network in JOINT if network != name)
    other = {
        condition: compute.true_chances(beside, chosen, text, places, condition)[places[0]] for condition in (ITS, NONE)
    }
    layout.notes(
        SECTION,
        notice=(*noticed(tokens, places, chances, by_layer), tell_other(tokens, places[0], JOINT[beside], other)),
        numbers={
            "place": places[0],
            "word": typeset.plain(tokens.labels[places[0]].strip()),
            "probability": chances[ITS][places[0]],
        },
    )


def _guesses(
    tokens: Tokens, place: int, predictions: Mapping[str, tuple[Prediction, ...]], silenced: int | None
) -> None:
    label = typeset.plain(tokens.labels[place].strip())
    st.markdown(f"**In place of “{label}”**")
    columns = st.columns(len(predictions), gap="medium")
    look = theme.look()
    for column, (condition, guesses) in zip(columns, predictions.items(), strict=True):
        with column:
            title = f"layer {silenced} ablated" if condition == "silenced" else inputs.PICTURE_CONDITIONS[condition]
            st.caption(title)
            labels = [guess.label for guess in guesses[:5]]
            values = [guess.probability for guess in guesses[:5]]
            hues = [
                look.palette.map if guess_label == tokens.labels[place].strip() else look.palette.soft
                for guess_label in labels
            ]
            charts.plot(
                partial(prediction_bars, labels, values, look=look, hues=hues),
                name=f"hidden-{place}-{condition}",
                alt=f"Guesses {title}: " + "; ".join(f"{a} {b:.0%}" for a, b in zip(labels, values, strict=True)),
            )
    table = pd.DataFrame(
        [
            (condition, guess.label, guess.probability)
            for condition, guesses in predictions.items()
            for guess in guesses
        ],
        columns=["shown", "word", "probability"],
    )
    charts.download_table(table, f"hidden-word-{place}")


def noticed(
    tokens: Tokens,
    places: tuple[int, ...],
    chances: Mapping[str, Mapping[int, float]],
    by_layer: list[dict[int, float]],
) -> tuple[str, ...]:
    """What the picture is worth for each hidden word, and which layers matter for the first of them."""
    sentences = []
    for place in places[:3]:
        own, other, none = (chances[condition][place] for condition in (ITS, ANOTHER, NONE))
        sentences.append(tell_worth(typeset.plain(tokens.labels[place].strip()), own, other, none))
    first = places[0]
    label = typeset.plain(tokens.labels[first].strip())
    return (*sentences, tell_layers(label, chances[ITS][first], [layer_chances[first] for layer_chances in by_layer]))


def tell_worth(label: str, own: float, other: float, none: float) -> str:
    """What a picture adds to the probability of a hidden word, or takes from it, beside another one and beside grey.

    Differences of up to NOTICEABLE count as none.
    """
    by_other, by_none = compare(own, other, margin=NOTICEABLE), compare(own, none, margin=NOTICEABLE)
    beside = f"{own:.0%} with it, {other:.0%} with another picture, {none:.0%} without a picture"
    match by_other, by_none:
        case "more", "more":
            says = f"The picture adds at least {100 * (own - max(other, none)):.0f} points to **“{label}”**"
        case "less", "less":
            says = f"The picture takes at least {100 * (min(other, none) - own):.0f} points from **“{label}”**"
        case "as much", "as much":
            says = f"The picture changes **“{label}”** by no more than {100 * NOTICEABLE:.0f} points"
        case "as much", "more":
            says = f"A picture helps **“{label}”**, but another one helps as much"
        case "as much", "less":
            says = f"A picture takes from **“{label}”**, and another one takes as much"
        case "more", "less":
            says = f"The picture takes {100 * (none - own):.0f} points from **“{label}”**, and another one takes more"
        case "less", "more":
            says = f"The picture adds {100 * (own - none):.0f} points to **“{label}”**, and another one adds more"
        case "more", "as much":
            says = f"The picture helps **“{label}”** no more than none, and another one takes from it"
        case "less", "as much":
            says = f"The picture helps **“{label}”** no more than none, and another one adds to it"
        case _:
            says = f"What the picture is worth for **“{label}”** is not known"
    return f"{says}: {beside}."


def tell_layers(label: str, own: float, without: Sequence[float]) -> str:
    """Without which layer the probability of a word falls most or, where it falls in none, rises most.

    Layers that differ by no more than SMALL are named together.
    """
    low, high = min(without), max(without)
    if compare(own, low, margin=SMALL) == "more":
        layers = [layer for layer, chance in enumerate(without) if compare(chance, low, margin=SMALL) == "as much"]
        return f"Ablating {_layers(layers)} costs “{label}” most: from {own:.0%} to {low:.0%}."
    if compare(own, high, margin=SMALL) == "less":
        layers = [layer for layer, chance in enumerate(without) if compare(chance, high, margin=SMALL) == "as much"]
        return f"Ablating {_layers(layers)} helps “{label}” most: from {own:.0%} to {high:.0%}."
    return f"Ablating one layer alone changes “{label}” by no more than {100 * SMALL:.0f} point."


def _layers(numbers: Sequence[int]) -> str:
    """Layers as a sentence names them: each was silenced alone."""
    *most, last = map(str, numbers)
    return f"layer {', '.join(most)} or {last}" if most else f"layer {last}"


def tell_other(tokens: Tokens, place: int, title: str, chances: Mapping[str, float]) -> str:
    """What the other network makes of the first gap."""
    label = typeset.plain(tokens.labels[place].strip())
    return f"{title} gives “{label}” {chances[ITS]:.0%} with the picture, {chances[NONE]:.0%} without."
