"""The section "From scratch": every trained variant is shown, beside the exact one."""

import pytest

from core.measured import EfficientRun
from dashboard.efficient import scratch_section
from training.efficient_characters import CONTESTANTS, build

PAGE = "scale/efficient_attention.py"


def run(variant: str, bits: float, multiplications: int) -> EfficientRun:
    return EfficientRun(
        variant, "<b>settings</b>", 256, 612_034, multiplications, 400, bits, 300, "a machine", "a command"
    )


RUNS = (run("Exact", 2.2, 1000), run("BigBird", 2.25, 300), run("Performer", 2.5, 200))


def test_the_page_shows_each_variant_and_its_distance_to_exact(visit, monkeypatch):
    monkeypatch.setattr(scratch_section, "efficient_characters", lambda: RUNS)
    app = visit(PAGE, show="From scratch")
    (table,) = (each.value for each in app.dataframe)
    assert table["attention"].tolist() == ["Exact", "BigBird", "Performer"]
    assert table["more than exact"].tolist() == pytest.approx([0, 0.05, 0.3])
    told = " ".join(each.value for each in app.markdown)
    assert "**BigBird**" in told
    assert "0.050 bits more than exact attention, with 30% of its multiplications" in told
    assert "**Performer** multiplies least, 20% of what exact attention does, and needs 0.300 bits more" in told


def test_an_approximation_that_predicts_better_is_said_to():
    told = scratch_section.notice((RUNS[0], run("BigBird", 2.1, 300)))
    assert "0.100 bits fewer than exact attention" in told[0]
    assert "Better than exact is no mistake: 400 steps are few" in told[-1]


@pytest.mark.parametrize("name", CONTESTANTS)
def test_all_variants_start_from_the_same_weights(name):
    exact, other = build("Exact", 20), build(name, 20)
    shared = exact.state_dict()
    assert all((other.state_dict()[key] == value).all() for key, value in shared.items())
