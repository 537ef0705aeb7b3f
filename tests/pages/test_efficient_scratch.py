"""The section "From scratch": every trained variant is shown, beside the exact one."""

import pytest

from core.results import HIDDEN, NEXT, EfficientRun, efficient_characters
from pages.scale.efficient_attention import from_scratch
from pages.scale.efficient_attention.from_scratch import TASKS, notices
from tests.pages.conftest import check, prose

PAGE = "scale/efficient_attention"


def run(variant: str, bits: float, multiplications: int, *, task: str = HIDDEN, rank: int = 0) -> EfficientRun:
    settings = f"rank {rank}" if rank else "<b>settings</b>"
    return EfficientRun(
        task, variant, settings, 256, 612_034, multiplications, 400, bits, 300, "a machine", "a command"
    )


EXACT = run("Exact", 2.2, 1000)
RUNS = (EXACT, run("BigBird", 2.25, 300), run("Performer", 2.5, 200), run("Low rank", 2.21, 1100, rank=32))
NEXT_RUNS = (run("Exact", 2.0, 1000, task=NEXT), run("BigBird", 2.5, 300, task=NEXT))


def test_the_page_shows_each_variant_of_both_tasks_and_its_distance_to_exact(visit, monkeypatch):
    monkeypatch.setattr(from_scratch, "efficient_characters", lambda: RUNS + NEXT_RUNS)
    app = visit(PAGE, show="From scratch")
    (table,) = (frame.value for frame in app.dataframe)
    assert table["attention"].tolist() == ["Exact", "Low rank", "BigBird", "Performer"]
    assert table["more than exact"].tolist() == pytest.approx([0, 0.01, 0.05, 0.3])
    text = prose(app)
    assert "**BigBird**" in text
    assert "0.050 bits more than exact attention, with 30% of its multiplications" in text
    assert "**Performer** multiplies least, 20% of what exact attention does, and needs 0.300 bits more" in text
    assert "With 0.010 bits more than exact attention it says what the nearest map of rank 32 can still do" in text
    check(app.segmented_control(key="learns").set_value(TASKS[NEXT]).run())
    (table,) = (frame.value for frame in app.dataframe)
    assert table["bits a character"].tolist() == [2.0, 2.5]
    assert "Clustered and low-rank attention have to be left out here" in prose(app)
    assert "c_{t-1}" in prose(app)


def test_an_approximation_that_predicts_better_is_said_to():
    sentences = notices((EXACT, run("BigBird", 2.1, 300)))
    assert "0.100 bits fewer than exact attention" in sentences[0]
    assert "Better than exact is not a misprint: this was measured after 400 steps" in sentences[-1]


def test_a_difference_of_one_training_that_is_too_small_is_none():
    sentences = notices((EXACT, run("BigBird", EXACT.bits - 0.002, 300), run("Performer", EXACT.bits + 0.001, 200)))
    assert "as many bits as exact attention" in sentences[0]
    assert "**Performer** cannot be told from it" in sentences[0]
    assert not any("not a misprint" in sentence or "predicts worst" in sentence for sentence in sentences)


def test_the_bound_is_never_called_the_best_of_those_that_leave_something_out():
    sentences = notices((EXACT, run("BigBird", 2.25, 300), run("Low rank", 2.1, 1100, rank=8)))
    assert sentences[0].startswith("Of all approximations, **BigBird**")
    assert "the nearest map of rank 8 can still do" in sentences[-1]


def test_the_shipped_runs_are_told_as_loops_find_them():
    for task in (HIDDEN, NEXT):
        runs = [row for row in efficient_characters() if row.task == task]
        exact = next(row for row in runs if row.variant == "Exact")
        others = [row for row in runs if row.variant not in ("Exact", "Low rank")]
        sentences = notices(runs)
        ranked = sorted(others, key=lambda row: row.bits)
        assert f"**{ranked[0].variant}**" in sentences[0]
        gap = ranked[0].bits - exact.bits
        assert (f"{abs(gap):.3f} bits {'more' if gap > 0 else 'fewer'}" in sentences[0]) == (abs(gap) > 0.005)
        least = min(others, key=lambda row: row.multiplications)
        assert any(f"**{least.variant}** multiplies least" in sentence for sentence in sentences) == (
            least != ranked[0]
        )
        alike = [row for row in ranked if row.bits - ranked[0].bits <= 0.005]
        is_told = ranked[-1] not in (least, *alike)
        assert any(f"**{ranked[-1].variant}** predicts worst" in sentence for sentence in sentences) == is_told
        assert any("not a misprint" in sentence for sentence in sentences) == (ranked[0].bits < exact.bits - 0.005)
    assert notices([exact]) == ()
