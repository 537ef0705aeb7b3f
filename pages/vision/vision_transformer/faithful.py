"""How faithful explanations are: curves of deletion and insertion, and a slider that takes them at their word."""

from functools import partial

import streamlit as st

from core.attribution.image_methods import RELEVANCE
from dashboard import theme, typeset
from dashboard.figures.faithfulness import RANDOM, area_in_latex
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import compare, points
from dashboard.output import charts, deletion_curves
from dashboard.theme import HUES
from pages.vision.vision_transformer.compute import (
    TITLES,
    Curves,
    Explained,
    colour_of_zero,
    measure_faithfulness,
    take_away,
    tell_colour,
)
from pages.vision.vision_transformer.figures import photograph_alone
from pages.vision.vision_transformer.prose import PAGE

SECTION = PAGE.section("Explanations")
HUE = dict(zip(TITLES.values(), HUES, strict=False))
PATIENCE = 30  # seconds: what takes longer is measured when somebody asks for it
SIDES = {
    "deletion": ("patches taken away", "Deletion: the lower, the more faithful"),
    "insertion": ("patches put back", "Insertion: the higher, the more faithful"),
}
DELETE, INSERT = "take away", "put back into a blurred copy"
TOP = 5
ALIKE = 0.001  # of an area: a smaller difference counts as none


def show_curves(explained: Explained) -> Curves | None:
    """Both figures; None while nobody has asked for what would take long."""
    layout.heading("Which one tells the truth?")
    if explained.waiting > PATIENCE:
        label = f"Measure it on this photograph (about {explained.waiting:.0f} seconds)"
        if not st.toggle(label, key="explain_measure", bind="query-params"):
            return None
    with layout.waiting_place():
        curves = measure_faithfulness(explained)
    layout.prose(tell(curves)[0], width="stretch")
    for place, side in zip(st.columns(2, gap="medium"), SIDES, strict=True):
        with place:
            _curves(explained, curves, side)
    colour = tell_colour(colour_of_zero(explained.model.framing))
    layout.caption(SECTION.text("Deletion and insertion", colour=colour, draws=len(curves.draws)))
    return curves


def _curves(explained: Explained, curves: Curves, side: str) -> None:
    assert explained.number is not None
    x, title = SIDES[side]
    named = {TITLES[name]: curve for name, curve in curves.explanations.items()} | {RANDOM: curves.random}
    deletion_curves.show(
        named,
        side,
        {name: getattr(curve, f"{side}_area") for name, curve in named.items()},
        curves.band(side),
        title=title,
        x=x,
        answer=explained.model.classes[explained.number],
        hues=HUE,
        name=f"explain-{side}",
    )


def tell(curves: Curves) -> tuple[str, ...]:
    """Which explanation is the most faithful here, by both measures, and which are no better than chance.

    No better is what does not lie beyond all of the random draws.
    """
    sentences = [_tell_best(curves)]
    draws = {side: [getattr(draw, f"{side}_area") for draw in curves.draws] for side in SIDES}
    deletion = [name for name, one in curves.explanations.items() if one.deletion_area >= min(draws["deletion"])]
    insertion = [name for name, one in curves.explanations.items() if one.insertion_area <= max(draws["insertion"])]
    for side, worse, what in (
        ("deletion", deletion, "taking patches away"),
        ("insertion", insertion, "putting patches back"),
    ):
        if worse:
            names = ", ".join(TITLES[name] for name in worse)
            sentences.append(
                f"By {side}, **{names}** {'is' if len(worse) == 1 else 'are'} not better here than {what} at random: "
                f"not beyond all of {len(curves.draws)} orders."
            )
    return tuple(sentences)


def _tell_best(curves: Curves) -> str:
    """The explanations with the smallest area under deletion and the largest under insertion; ties are named."""
    explanations, chance = curves.explanations, curves.random
    areas = {side: {name: getattr(one, f"{side}_area") for name, one in explanations.items()} for side in SIDES}
    first = min(explanations, key=areas["deletion"].__getitem__)
    second = max(explanations, key=areas["insertion"].__getitem__)
    deletion = f"area {explanations[first].deletion_area:.3f}; random {chance.deletion_area:.3f}"
    insertion = f"area {explanations[second].insertion_area:.3f}; random {chance.insertion_area:.3f}"
    if len(explanations) == 1:
        return f"**{TITLES[first]}** under deletion: {deletion}. Under insertion: {insertion}."
    if all(compare(max(own.values()), min(own.values()), margin=ALIKE) != "more" for own in areas.values()):
        return f"On this photograph no explanation is more faithful than the others: deletion {deletion}."
    if first == second:
        return (
            f"On this photograph **{TITLES[first].lower()}** is the most faithful by both measures: the smallest "
            f"area under deletion ({deletion}) and the largest under insertion ({insertion})."
        )
    return (
        f"On this photograph **{TITLES[first].lower()}** is the most faithful by deletion ({deletion}), "
        f"**{TITLES[second].lower()}** by insertion ({insertion}). This is one photograph only: *Measured* has "
        "the means of many."
    )


def show_slider(explained: Explained) -> None:
    """The picture without, or with nothing but, what an explanation finds most important, and what comes of it."""
    layout.heading("Take it at its word")
    with layout.control_bar():
        name = _explanation(explained)
        how = controls.choice("Its patches", [DELETE, INSERT], key="explain_how")
        percent = st.slider(
            "The most important first, %", 0, 100, 20, step=5, key="explain_percent", bind="query-params", width=260
        )
    with layout.waiting_place():
        picture, count, after = take_away(explained, name, percent / 100, insert=how == INSERT)
    rows, columns = explained.grid
    title = "As the model sees it"
    about = f"{count} of {rows * columns} patches {'put back' if how == INSERT else 'taken away'}"
    picture_column, says = st.columns([1, 1.4], gap="large")
    with picture_column:
        figure = partial(
            photograph_alone, picture, title=title, about=about, look=theme.look(), height=theme.look().high(360)
        )
        charts.chart(figure, name="explain-seen", alt=f"{title}: {about}, {percent} %")
    with says:
        _says(explained, after.tolist())


def _explanation(explained: Explained) -> str:
    names = {TITLES[name]: name for name in explained.maps}
    if len(names) == 1:
        return next(iter(explained.maps))
    if st.session_state.get("explain_order") not in names:  # another model may have others
        st.session_state.pop("explain_order", None)
    title = controls.choice("Explanation", names, key="explain_order", first=list(names)[-1])
    return names[title]


def _says(explained: Explained, after: list[float]) -> None:
    """The probability of the class before and after, and what is most probable now."""
    assert explained.number is not None
    assert explained.probabilities is not None
    names = [*explained.model.classes]
    now, change = after[explained.number], after[explained.number] - explained.probabilities[explained.number].item()
    st.metric(
        f"Probability of {typeset.plain(names[explained.number])}",
        f"{now:.1%}",
        # A hyphen for the minus: by it Streamlit knows which way its arrow points.
        points(change).replace("−", "-") if abs(change) >= 5e-4 else None,
        delta_color="off",
    )
    best = sorted(range(len(names)), key=lambda number: -after[number])[:TOP]
    labels, values = [names[number] for number in best], [after[number] for number in best]
    charts.plot(
        partial(prediction_bars, labels, values, look=theme.look()),
        name="explain-says",
        alt="Most probable now: "
        + ", ".join(f"{label} {value:.1%}" for label, value in zip(labels, values, strict=True)),
    )


def formula(curves: Curves) -> str:
    """The area under one curve, with its first and its last numbers, as Markdown."""
    explanations = curves.explanations
    name = RELEVANCE if RELEVANCE in explanations else next(iter(explanations))
    return SECTION.text("Area under deletion", explanation=TITLES[name].lower(), area=area_in_latex(explanations[name]))
