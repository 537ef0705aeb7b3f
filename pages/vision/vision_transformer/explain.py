"""Explanations: what the verdict rests on, told in several ways on the same photograph."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.attribution.image_methods import ACTIVATION, ATTENTION, RELEVANCE, ROLLOUT
from dashboard import theme, typeset
from dashboard.frame import layout
from dashboard.inputs import photograph
from dashboard.inputs.photograph import Photograph
from dashboard.output import charts, class_gallery
from pages.vision.vision_transformer import faithful
from pages.vision.vision_transformer.compute import TITLES, Explained, explain_photograph
from pages.vision.vision_transformer.figures import over_photograph
from pages.vision.vision_transformer.prose import PAGE

SECTION = PAGE.section("Explanations")
# What stands below the pointer before the number.
TELLS = {
    ATTENTION: "the last layer gives it",
    ROLLOUT: "rollout gives it",
    RELEVANCE: "relevance",
    ACTIVATION: "activation for the class",
}
MOST_PROBABLE = "the most probable"


def show() -> None:
    """The maps side by side, their curves, the picture without what they point at."""
    main, settings = layout.bar_with_settings()
    with main:
        chosen = photograph.choose_in_bar(photograph.CLASSIFIERS, attends=False, patches_in=settings)
        number = _class(chosen.model.classes) if chosen.model.classes else None
    is_shown = settings.toggle("Photograph", True, key="explain_photo", bind="query-params")
    with layout.waiting_place():
        explained = explain_photograph(chosen, number)
    _maps(explained, is_shown=is_shown)
    _introduce(explained, chosen.picture if isinstance(chosen.picture, str) else "")
    layout.place_notice()
    layout.caption(SECTION.text("Scale of a map"))
    if explained.probabilities is not None:
        class_gallery.show(chosen.name, chosen.model.classes, explained.probabilities.numpy())
    noticed, curves = tell_halves(explained.maps), None
    if explained.number is not None:
        curves = faithful.show_curves(explained)
        faithful.show_slider(explained)
    if curves is not None:
        noticed += faithful.tell(curves)

    def formula() -> None:
        st.markdown(_formula(chosen, explained))
        if curves is not None:
            st.markdown(faithful.formula(curves))

    layout.notes(SECTION, notice=noticed, formula=formula)


def _class(classes: Sequence[str]) -> int | None:
    """The class that is asked about; None: the most probable one."""
    names = labels_of(classes)
    name = st.selectbox(
        "Class",
        [MOST_PROBABLE, *names],
        key="explain_class",
        bind="query-params",
        width=200,
        help=SECTION.text("Class"),
    )
    return None if name == MOST_PROBABLE else names.index(name)


def labels_of(classes: Sequence[str]) -> list[str]:
    """Names by which classes can be told apart: those that stand for several have their numbers with them."""
    several = {name for name in classes if classes.count(name) > 1}
    return [f"{name} ({number})" if name in several else name for number, name in enumerate(classes)]


def _introduce(explained: Explained, example: str) -> None:
    """What the model says, and how far that is to be believed; `example`: the photograph's name, "" for others."""
    model = explained.model
    if not model.attends:
        rows, columns = next(iter(explained.maps.values())).shape
        title = typeset.plain(model.title)
        about = SECTION.text("Networks without attention", model=title, rows=rows, columns=columns)
        st.info(about, icon=":material/info:")
    if explained.number is None or explained.probabilities is None:
        st.info(SECTION.text("Explanations without classes"), icon=":material/info:")
    else:
        verdict = tell_verdict(model.classes, explained.probabilities.tolist(), explained.number)
        doubt = photograph.doubt_sentence(float(explained.probabilities.max()))
        failure = photograph.failure_sentence(model, example, model.classes[int(explained.probabilities.argmax())])
        st.markdown(" ".join(filter(None, (verdict, doubt, failure))))
        if known := photograph.accuracy_sentence(model.name, explained.prepared.pixels.shape[-1]):
            st.caption(known)


def tell_verdict(classes: Sequence[str], probabilities: Sequence[float], target: int) -> str:
    """The class in question and its probability; if it is not the most probable one, that one as well."""
    best = int(np.argmax(probabilities))
    name, share = typeset.plain(classes[target]), probabilities[target]
    if best == target:
        return f"The model says **{name}** ({share:.1%}). What does that rest on?"
    return (
        f"What speaks for **{name}** ({share:.1%})? The model itself says **{typeset.plain(classes[best])}** "
        f"({probabilities[best]:.1%})."
    )


def _maps(explained: Explained, *, is_shown: bool) -> None:
    """One figure for each explanation, beside one another; on a phone below one another."""
    places = st.columns(max(len(explained.maps), 2), gap="small")
    for place, (name, values) in zip(places, explained.maps.items(), strict=False):
        row, column = divmod(int(values.argmax()), values.shape[1])
        with place:
            charts.chart(
                partial(
                    over_photograph,
                    values,
                    explained.prepared.photograph,
                    show_photograph=is_shown,
                    title=TITLES[name],
                    look=theme.look(),
                    tell=f"%{{customdata}}: {TELLS[name]} %{{z:.3g}}",
                    height=theme.look().high(350),
                ),
                name=f"explain-{name}",
                alt=f"{TITLES[name]} over the photograph: it is largest at row {row}, column {column}",
                table=pd.DataFrame(
                    [(*cell, value) for cell, value in np.ndenumerate(values)], columns=["row", "column", name]
                ),
            )
            readers = {"readers": name_readers(explained.explanations.read)} if name == ATTENTION else {}
            layout.caption(SECTION.text(TITLES[name], **readers))


def name_readers(read: Sequence[str]) -> str:
    """Which tokens the head reads, with their verb: "the class token looks"."""
    if tuple(read) == ("patches",):
        return "the patches look, which the head reads,"
    if len(read) == 1:
        return f"the {read[0]} token looks"
    return f"the tokens that the head reads ({', '.join(read)}) look"


def tell_halves(maps: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """On how few places half of each map lies, which is gathered most, and which are empty."""
    held = {name: held_by(values) for name, values in maps.items() if values.max() > 0}
    clauses = [
        f"half of **{TITLES[name].lower()}** lies on {count} of {maps[name].size} places"
        for name, count in held.items()
    ]
    sentences = [f"H{', '.join(clauses)[1:]}."] if clauses else []
    shares = {name: count / maps[name].size for name, count in held.items()}
    if len(set(shares.values())) > 1:
        narrow, wide = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
        gathered, spread = TITLES[narrow], TITLES[wide].lower()
        sentences.append(f"{gathered} is gathered on the smallest part of the picture, {spread} on the largest.")
    if empty := [TITLES[name] for name in maps if name not in held]:
        is_zero = "is 0 everywhere: it points" if len(empty) == 1 else "are 0 everywhere: they point"
        sentences.append(f"{' and '.join(empty)} {is_zero} at no place.")
    return (" ".join(sentences),)


def held_by(values: np.ndarray, share: float = 0.5) -> int:
    """How many places hold this share of what is above 0 in a map, the largest first."""
    sums = np.sort(values.clip(min=0).ravel())[::-1].cumsum()
    return int((sums < share * sums[-1]).sum()) + 1


def _formula(chosen: Photograph, explained: Explained) -> str:
    """What the model has: relevance of attention, or class activation."""
    if not explained.model.attends:
        return SECTION.text("Gradients of feature maps")
    calls = chosen.watched().record.calls
    counts = sorted({call.heads for call in calls})
    heads = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else counts[0]
    tokens = ("all patches" if one == "patches" else f"the {one} token" for one in explained.explanations.read)
    read = typeset.plain(" and ".join(tokens))
    return SECTION.text("Relevance of attention", layers=len(calls), heads=heads, read=read)
