"""The four models in one table, and their accuracy against what one picture costs."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard import charts, layout
from dashboard.theme import HUES
from pages.vision.vision_transformer import compute_measured as kept
from pages.vision.vision_transformer import words_measured as said
from pages.vision.vision_transformer.compute_measured import Quality
from pages.vision.vision_transformer.figures_quality import Mark, quality_marks

HUE = dict(zip(said.MODELS.values(), HUES, strict=False))
MILLION = 1e6


def show() -> tuple[str, ...]:
    """Table and figures; what is to be noticed in them."""
    st.subheader("What are they worth, and what do they cost?", anchor=False)
    found = kept.qualities()
    if not found:
        st.info(said.NOTHING, icon=":material/info:")
        return ()
    rows = table(found)
    percent = st.column_config.NumberColumn(format="percent")
    st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        row_height=42 if layout.is_presented() else None,
        column_config={
            "top-1": percent,
            "top-5": percent,
            "parameters": st.column_config.NumberColumn(format="localized"),
            "million MACs": st.column_config.NumberColumn(format="%.0f"),
            "pictures per second": st.column_config.NumberColumn(format="%.0f"),
            "training, minutes": st.column_config.NumberColumn(format="%.0f"),
            "epochs": st.column_config.NumberColumn(format="%.1f"),
        },
    )
    if not layout.is_presented():
        _about(found)
        charts.download_table(rows, "vision-models")
    _figures(found)
    return about(found)


def table(found: Sequence[Quality]) -> pd.DataFrame:
    """One row a model; columns that nobody has measured are left out."""
    rows = pd.DataFrame(
        [
            {
                "model": said.MODELS[one.name],
                "top-1": one.top1,
                "top-5": one.top5,
                "parameters": one.parameters,
                "million MACs": None if one.macs is None else one.macs / MILLION,
                "pictures per second": one.images_per_second,
                "training, minutes": None if one.seconds is None else one.seconds / 60,
                "epochs": one.epochs,
            }
            for one in found
        ]
    )
    return rows.dropna(axis="columns", how="all")


def _about(found: Sequence[Quality]) -> None:
    told = [said.MEASURED_ON.format(pictures=found[0].pictures)]
    if found[0].hardware:
        told.append(f"Trained and timed on {layout.plain(found[0].hardware)}.")
    if missing := [title for name, title in said.MODELS.items() if name not in {one.name for one in found}]:
        told.append(said.NOT_YET.format(names=", ".join(missing)))
    st.caption(" ".join(told))


def _figures(found: Sequence[Quality]) -> None:
    macs = [Mark(said.MODELS[o.name], o.macs / MILLION, o.top1, o.standard_error) for o in found if o.macs]
    weights = [
        Mark(said.MODELS[o.name], o.parameters / MILLION, o.top1, o.standard_error) for o in found if o.parameters
    ]
    kinds = (("million MACs for a picture", "macs", macs), ("million parameters", "parameters", weights))
    shown = [kind for kind in kinds if len(kind[2]) > 1]
    for place, (x, name, marks) in zip(st.columns(max(len(shown), 1), gap="medium"), shown, strict=False):
        with place:
            figure = quality_marks(
                marks,
                hues=HUE,
                look=layout.look(),
                x=x,
                y="top-1",
                tell=f"%{{text}}: top-1 %{{y:.1%}}, %{{x:.3g}} {x}",
                height=layout.look().high(360),
            )
            charts.chart(
                figure,
                name=f"vision-{name}",
                alt=f"Top-1 accuracy against {x}: "
                + "; ".join(f"{mark.name} {mark.quality:.1%} at {mark.cost:.3g}" for mark in marks),
                table=pd.DataFrame(
                    [{"model": m.name, x: m.cost, "top-1": m.quality, "standard error": m.error} for m in marks]
                ),
            )


def about(found: Sequence[Quality]) -> tuple[str, ...]:
    """The best one, and the one that is best for its cost, with their numbers."""
    if len(found) < 2:
        return ()
    best, *others = sorted(found, key=lambda one: -one.top1)
    apart = (best.standard_error**2 + others[0].standard_error ** 2) ** 0.5
    sure = best.top1 - others[0].top1 > 2 * apart
    sentences = [
        f"**{said.MODELS[best.name]}** is right most often ({best.top1:.1%}), before "
        f"**{said.MODELS[others[0].name]}** ({others[0].top1:.1%}): "
        + ("more than chance explains." if sure else "so little that it may be chance.")
    ]
    measured = [one for one in found if one.macs]
    if len(measured) > 1:
        least, most = min(measured, key=lambda one: one.macs or 0), max(measured, key=lambda one: one.macs or 0)
        times = (most.macs or 0) / (least.macs or 1)
        sentences.append(
            f"**{said.MODELS[least.name]}** computes least for a picture, **{said.MODELS[most.name]}** most: "
            f"{times:.1f} times as much, for {_points(most.top1 - least.top1)} of top-1."
        )
    return (*sentences, *_shortcuts({one.name: one for one in found}))


def _shortcuts(found: dict[str, Quality]) -> tuple[str, ...]:
    """What the shortcuts of the residual network are worth: the plain one is the same without them."""
    residual, plain = found.get("resnet-tiny-imagenet"), found.get("plain-tiny-imagenet")
    if residual is None or plain is None:
        return ()
    points = _points(residual.top1 - plain.top1)
    return (f"The shortcuts of the residual network are worth {points} of top-1.",)


def _points(difference: float) -> str:
    """A difference of shares, with a true minus."""
    return f"{100 * difference:+.1f} points".replace("-", "−")
