"""Held-out results of students beside their teachers."""

from core.results import shrinking_students
from docs.result_rows import SHARE, Baseline, Result


def students(teacher: str, measure: str) -> list[Result]:
    """Students with fewer layers, beside the same network trained without a teacher and beside the teacher."""
    networks = {network.variant: network for network in shrinking_students.students(teacher)}
    teacher_row = networks["whole"]
    return [
        Result(
            "shrinking",
            f"`{name}`, {student.layers} of {teacher_row.layers} layers",
            measure,
            student.quality,
            SHARE,
            (
                Baseline("without a teacher", networks[f"{name}-alone"].quality, gap_error=student.gain.error),
                Baseline(f"its teacher, `{teacher}`", teacher_row.quality, gap_error=student.lead.error),
            ),
            student.parameters,
        )
        for name, student in networks.items()
        if student.gain and student.lead
    ]
