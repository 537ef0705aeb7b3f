"""The heads of a student beside those of its teacher: how far apart they look, and two of their maps."""

import math

import streamlit as st
import torch

from core.shrinking.students import LAYERS, STUDENTS, divergences, kept_blocks
from core.view.codec import whole_number
from dashboard import theme, typeset
from dashboard.address import parameter
from dashboard.components.cell_map import cell_map
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import compare
from pages.scale.shrinking.compute_distilled import Comparison, Output
from pages.scale.shrinking.prose import PAGE

SECTION = PAGE.section("Distilled")
STUDENT, LAYER = "distilled_student", "distilled_layer"
PAIR = "distilled_heads"  # of the student and of the teacher, as "1.3"
TEACHER_LAYERS = 6
ALIKE = 0.005  # nats: smaller differences would be printed alike
MOST = math.log(2)  # nats between two heads that look at nothing in common


def show(comparison: Comparison) -> float:
    """The grid of a layer, then two maps; how far apart the two heads are, in nats."""
    student, layer, far = _grid(comparison)
    ours, theirs = _chosen(far)
    _maps(comparison, student, layer, ours, theirs)
    return float(far[ours, theirs])


def _grid(comparison: Comparison) -> tuple[str, int, torch.Tensor]:
    layout.heading("Head by head")
    names = {comparison.outputs[name].title: name for name in STUDENTS[comparison.teacher]}
    with layout.control_bar():
        student = names[controls.choice("Student", names, key=STUDENT)]
        layer = controls.number("Layer of the student", len(comparison.outputs[student].maps), key=LAYER)
    source = source_of(student, layer)
    far = divergences(comparison.outputs[student].maps[layer], comparison.outputs[comparison.teacher].maps[source])
    st.markdown(
        f"Layer {layer} of the student began as layer **{source}** of the teacher. {about_heads(far.tolist())}",
        width=theme.PROSE,
    )
    heads = [str(head) for head in range(len(far))]

    def take(ours: int, theirs: int) -> None:
        st.query_params[PAIR] = f"{ours}.{theirs}"

    cell_map(
        far.numpy(),
        key="distilled_heads",
        x="teacher's head",
        y="student's head",
        tell="the student's head {row}, the teacher's head {column}: {value} nats apart",
        rows=heads,
        columns=heads,
        limits=(0.0, MOST),
        marked=[_chosen(far)],
        on_click=take,
        alt=f"How far each head of the student's layer {layer} is from each of the teacher's layer {source}",
        name="distilled-heads",
        height=260,
    )
    layout.caption(SECTION.text("Divergence of heads"))
    return student, layer, far


def source_of(student: str, layer: int) -> int:
    """The teacher's layer from which a student's began."""
    return kept_blocks(TEACHER_LAYERS, LAYERS[student.partition("-")[2]])[layer]


def _chosen(far: torch.Tensor) -> tuple[int, int]:
    """The pair of heads in the address; without one that fits, the first with the head that it began as."""

    def parse(text: str) -> tuple[int, int]:
        parts = text.partition(".")[::2]
        ours, theirs = (whole_number(part, heads) for part, heads in zip(parts, far.shape, strict=True))
        return (0, 0) if ours is None or theirs is None else (ours, theirs)

    return parameter(PAIR, parse)


def about_heads(far: list[list[float]]) -> str:
    """How many heads are still nearest to the one that they began as, and which has gone farthest."""
    own = [row[head] for head, row in enumerate(far)]
    stayed = sum(min(row) == row[head] for head, row in enumerate(far))
    gone = max(range(len(own)), key=own.__getitem__)
    if compare(own[gone], min(own), margin=ALIKE) == "as much":
        return (
            f"**{stayed} of {len(far)}** of its heads look most like the head that they began as; all have gone about "
            f"as far from it ({own[gone]:.2f} nats)."
        )
    return (
        f"**{stayed} of {len(far)}** of its heads look most like the head that they began as; head {gone} has gone "
        f"farthest from it ({own[gone]:.2f} nats)."
    )


def _maps(comparison: Comparison, student: str, layer: int, ours: int, theirs: int) -> None:
    layout.heading("Where they attend")
    source = source_of(student, layer)
    panels: list[tuple[str, Output, int, int]] = [
        (f"The teacher's head {theirs} in layer {source}", comparison.outputs[comparison.teacher], source, theirs),
        (f"The student's head {ours} in layer {layer}", comparison.outputs[student], layer, ours),
    ]
    labels = [typeset.readable(label) for label in comparison.labels]
    for column, (title, output, depth, head) in zip(st.columns(2, gap="medium"), panels, strict=True):
        who = "teacher" if output is comparison.outputs[comparison.teacher] else "student"
        with column:
            st.markdown(f"**{title}**")
            cell_map(
                output.maps[depth][head].numpy(),
                key=f"distilled_map_{who}",
                x="key",
                y="query",
                tell="{row} gives {value} to {column}",
                rows=labels,
                columns=labels,
                limits=(0.0, 1.0),
                alt=f"{title}: who looks at whom",
                name=f"distilled-map-{who}",
                height=380,
            )
