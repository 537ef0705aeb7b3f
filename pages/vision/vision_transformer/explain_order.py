"""A slider through the order of an explanation: the picture as the model sees it, and what it says of it."""

import streamlit as st

from dashboard import charts, layout
from dashboard.figures.predictions import prediction_bars
from dashboard.photograph import Photograph as Given
from pages.vision.vision_transformer import compute_explained as kept
from pages.vision.vision_transformer import words_explain as said
from pages.vision.vision_transformer.figures_over_photograph import photograph_alone

DELETE, INSERT = "take away", "put back into a blurred copy"
TOP = 5


def show(chosen: Given, explained: kept.ExplainedPicture, number: int | None) -> None:
    """Which explanation, what is done with its patches, how many of them; what comes of it."""
    st.subheader("Take it at its word", anchor=False)
    with layout.control_bar():
        name = _explanation(explained)
        how = st.segmented_control(
            "Its patches", [DELETE, INSERT], default=DELETE, key="explain_how", bind="query-params", required=True
        )
        percent = st.slider(
            "The most important first, %", 0, 100, 20, step=5, key="explain_percent", bind="query-params", width=260
        )
    with layout.waiting_place(), st.spinner("Looking again …"):
        changed = kept.change_picture(
            chosen.name, chosen.picture, chosen.resolution, number, name, percent / 100, insert=how == INSERT
        )
    seen, says = st.columns([1, 1.4], gap="large")
    with seen:
        _picture(explained, changed, percent, insert=how == INSERT)
    with says:
        _bars(explained, changed)


def _explanation(explained: kept.ExplainedPicture) -> str:
    names = {said.TITLES[name]: name for name in explained.maps}
    if len(names) == 1:
        return next(iter(explained.maps))
    if st.session_state.get("explain_order") not in names:  # another model may have others
        st.session_state.pop("explain_order", None)
    title = st.segmented_control(
        "Explanation", list(names), default=list(names)[-1], key="explain_order", bind="query-params", required=True
    )
    return names[title]


def _picture(explained: kept.ExplainedPicture, changed: kept.ChangedPicture, percent: int, *, insert: bool) -> None:
    rows, columns = explained.grid
    what = "put back" if insert else "taken away"
    title, about = "As the model sees it", f"{changed.patches} of {rows * columns} patches {what}"
    figure = photograph_alone(
        changed.shown,
        title=title,
        about=about,
        look=layout.look(),
        height=layout.look().high(360),
    )
    charts.chart(figure, name="explain-seen", alt=f"{title}: {about}, {percent} %")


def _bars(explained: kept.ExplainedPicture, changed: kept.ChangedPicture) -> None:
    """The probability of the class before and after, and what is most probable now."""
    assert explained.number is not None
    assert explained.probabilities is not None
    names = explained.model.classes
    before, after = explained.probabilities[explained.number].item(), changed.probabilities[explained.number].item()
    st.metric(
        f"Probability of {layout.plain(names[explained.number])}",
        f"{after:.1%}",
        # A hyphen for the minus: by it Streamlit knows which way its arrow points.
        f"{100 * (after - before):+.1f} points" if abs(after - before) >= 5e-4 else None,
        delta_color="off",
    )
    best = [*changed.probabilities.topk(min(TOP, len(names))).indices.tolist()]
    labels, values = [names[each] for each in best], changed.probabilities[best].tolist()
    charts.plot(
        prediction_bars(labels, values, look=layout.look()),
        name="explain-says",
        alt="Most probable now: "
        + ", ".join(f"{label} {value:.1%}" for label, value in zip(labels, values, strict=True)),
    )
