"""Your own classes: a picture, classes as words, templates that make sentences of them."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import InputError
from dashboard import theme, typeset
from dashboard.cache.models import clip
from dashboard.frame import layout
from dashboard.inputs import controls, picture_input
from dashboard.inputs.picture_input import EMOJI, PHOTOGRAPHS, SCENES, PictureInput
from dashboard.number_format import compare
from dashboard.output import charts
from pages.words_and_pictures.clip import compute, inputs
from pages.words_and_pictures.clip.figures import template_bars
from pages.words_and_pictures.clip.prose import PAGE

SECTION = PAGE.section("Your own classes")
# Classes to choose between; the first of each world are there before anybody has typed.
CLASSES = {
    PHOTOGRAPHS: {
        "Things": "cat\ndog\ncup\nrocket\nmotorcycle\nwoman",
        "Places": "beach\nkitchen\nstreet\nforest\nsky",
        "Near one another": "cat\nkitten\ndog\nfox\nrabbit",
    },
    SCENES: {
        "Things": "a red star\na blue circle\na green square\na yellow heart\na purple ring",
        "Colours": "something red\nsomething blue\nsomething green\nsomething yellow",
        "Shapes": "a star\na circle\na square\na heart\na ring",
    },
    EMOJI: {
        "Things": "heart\nface\ndog\nfruit\ncar",
        "Feelings": "happy\nsad\nangry\ntired",
        "Colours": "red\nyellow\ngreen\nblue",
    },
}
TEMPLATES = ("a photo of a {}", "a picture of a {}", "a {}")
SCENE_TEMPLATES = ("{}",)
MOST_CLASSES, MOST_TEMPLATES = 20, 8
HARDLY = 0.01  # of probability: a smaller difference counts as none


def show() -> None:
    """The picture, classes and templates; bars with their spread."""
    bar = layout.control_bar()
    messages = st.container(gap=None)
    with bar:
        chosen = picture_input.choose((PHOTOGRAPHS, SCENES, EMOJI))
        own = inputs.WORLDS[chosen.world]
        offered, field = CLASSES[chosen.world], f"classes_{own}"
        typed = _lines("Classes, one per line", next(iter(offered.values())), field)
        controls.examples(offered, field=field)
        with layout.settings():
            name = inputs.network(chosen.world, messages)
            usual = TEMPLATES if chosen.world == PHOTOGRAPHS else SCENE_TEMPLATES
            templates = _lines("Templates, {} stands for the class", "\n".join(usual), f"templates_{own}")
    check(typed, templates)
    with layout.waiting_place():
        chances = chances_of(name, chosen, typed, templates)
    left, right = st.columns([1, 3], gap="large")
    with left:
        st.image(compute.prepare(name, chosen).photograph, width="stretch", alt="The picture to be classified")
    with right:
        _bars(typed, templates, chances)
        layout.place_notice()
    model = clip(name)
    inputs.say_unknown(model, [template.replace("{}", "") for template in templates] + list(typed))
    texts = ("Zero-shot", "Names of ImageNet") if name == "photographs" else ("Zero-shot",)
    layout.prose(" ".join(map(SECTION.text, texts)))
    layout.notes(
        SECTION,
        notice=(*noticed(typed, templates, chances), *inputs.tell_learned((chosen,))),
        numbers={"templates": len(templates), "classes": len(typed), "temperature": model.temperature},
    )


def _bars(classes: Sequence[str], templates: Sequence[str], chances: np.ndarray) -> None:
    order = chances.mean(axis=0).argsort()[::-1]
    figure = partial(
        template_bars, [classes[place] for place in order], chances[:, order], list(templates), look=theme.look()
    )
    table = pd.DataFrame(chances, columns=list(classes))
    table.insert(0, "template", list(templates))
    alt = "The probability of each class: " + "; ".join(
        f"{classes[place]} {chances[:, place].mean():.0%}" for place in order
    )
    charts.chart(figure, name="clip-classes", alt=alt, table=table)


def _lines(label: str, first: str, key: str) -> tuple[str, ...]:
    typed = st.text_area(label, first, key=key, bind="query-params", height=70, max_chars=2000)
    return tuple(dict.fromkeys(line.strip() for line in (typed or "").splitlines() if line.strip()))


def check(classes: Sequence[str], templates: Sequence[str]) -> None:
    """Raise InputError for no or too many classes or templates, or a template without a place for the class."""
    for lines, what, most in ((classes, "classes", MOST_CLASSES), (templates, "templates", MOST_TEMPLATES)):
        if not lines:
            raise InputError(f"There are no {what} here yet. Write one in each line.")
        if len(lines) > most:
            raise InputError(f"There are {len(lines)} {what}; at most {most} are compared at once. Leave some out.")
    if wrong := [template for template in templates if template.count("{}") != 1]:
        raise InputError(f"“{wrong[0][:60]}” has no place for the class: write {{}} once in each template.")


def chances_of(name: str, chosen: PictureInput, classes: Sequence[str], templates: Sequence[str]) -> np.ndarray:
    """(template, class): the softmax over classes, with the temperature that was learned."""
    rows = [
        compute.cosines(name, [chosen], [template.replace("{}", class_name) for class_name in classes])[0]
        for template in templates
    ]
    return compute.shares(np.stack(rows), clip(name).temperature, 1)


def noticed(classes: Sequence[str], templates: Sequence[str], chances: np.ndarray) -> tuple[str, ...]:
    """The class that wins, how far templates agree, and where they differ most; up to HARDLY counts as equal."""
    mean = chances.mean(axis=0)
    if len(classes) == 1:
        return (f"“{typeset.plain(classes[0])}” gets 100%: with a single class there is nothing to choose.",)
    best = int(mean.argmax())
    near = [place for place, share in enumerate(mean) if compare(share, mean[best], margin=HARDLY) == "as much"]
    over = f" (mean over {len(templates)} templates)" if len(templates) > 1 else ""
    beside = f"{over}; an even share would be {1 / len(classes):.0%}"
    if len(near) == len(classes):
        return (f"No class wins: all {len(classes)} get about an even share, {1 / len(classes):.0%}.",)
    if len(near) > 1:
        named = ", ".join(f"“{typeset.plain(classes[place])}”" for place in near)
        sentences = [f"{named} share the first place, each with about {mean[best]:.0%}{beside}."]
    else:
        sentences = [f"**“{typeset.plain(classes[best])}”** wins with {mean[best]:.0%}{beside}."]
    return (*sentences, *_tell_templates(classes, templates, chances, best if len(near) == 1 else None))


def _tell_templates(
    classes: Sequence[str], templates: Sequence[str], chances: np.ndarray, best: int | None
) -> Iterator[str]:
    """With how many templates the winner wins by itself, and over which class they differ most."""
    if len(templates) < 2:
        return
    if best is not None:
        same = int((chances.argmax(axis=1) == best).sum())
        yield f"It also wins with {same} of the {len(templates)} templates alone."
    spread = chances.max(axis=0) - chances.min(axis=0)
    most = int(spread.argmax())
    if compare(float(spread[most]), 0.0, margin=HARDLY) != "more":
        yield f"The templates hardly differ: by no more than {100 * HARDLY:.0f} point for any class."
        return
    yield (
        f"The templates differ most over “{typeset.plain(classes[most])}”: from {chances[:, most].min():.0%} to "
        f"{chances[:, most].max():.0%}."
    )
