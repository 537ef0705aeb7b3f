"""The section "From scratch": every trained variant is shown, beside the exact one."""

import pytest

from core.measured import HIDDEN, NEXT, EfficientRun
from pages.scale.efficient_attention import scratch_section
from pages.scale.efficient_attention.scratch_notices import notice
from pages.scale.efficient_attention.words_scratch import TASKS
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


def test_the_page_shows_each_variant_and_its_distance_to_exact(visit, monkeypatch):
    monkeypatch.setattr(scratch_section, "efficient_characters", lambda: RUNS + NEXT_RUNS)
    app = visit(PAGE, show="From scratch")
    (table,) = (each.value for each in app.dataframe)
    assert table["attention"].tolist() == ["Exact", "Low rank", "BigBird", "Performer"]
    assert table["more than exact"].tolist() == pytest.approx([0, 0.01, 0.05, 0.3])
    told = prose(app)
    assert "**BigBird**" in told
    assert "0.050 bits more than exact attention, with 30% of its multiplications" in told
    assert "**Performer** multiplies least, 20% of what exact attention does, and needs 0.300 bits more" in told
    assert "With 0.010 bits more than exact attention it says what a map of rank 32 can still do" in told


def test_the_other_task_has_runs_and_a_loss_of_its_own(visit, monkeypatch):
    monkeypatch.setattr(scratch_section, "efficient_characters", lambda: RUNS + NEXT_RUNS)
    app = visit(PAGE, show="From scratch")
    check(app.segmented_control(key="learns").set_value(TASKS[NEXT]).run())
    (table,) = (each.value for each in app.dataframe)
    assert table["bits a character"].tolist() == [2.0, 2.5]
    assert "Clustered and low-rank attention are missing here" in prose(app)
    assert any("c_{t-1}" in each.value for each in app.latex)


def test_an_approximation_that_predicts_better_is_said_to():
    told = notice((EXACT, run("BigBird", 2.1, 300)))
    assert "0.100 bits fewer than exact attention" in told[0]
    assert "Better than exact is no mistake: 400 steps are few" in told[-1]


def test_the_bound_is_never_called_the_best_of_those_that_leave_something_out():
    told = notice((EXACT, run("BigBird", 2.25, 300), run("Low rank", 2.1, 1100, rank=8)))
    assert told[0].startswith("Of all that leave something out, **BigBird**")
    assert "a map of rank 8 can still do" in told[-1]
