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
    assert "0.050 more than exact attention, with 30% of its multiplications" in told
    assert "**Performer** loses most, 0.300 bits" in told


@pytest.mark.parametrize("name", CONTESTANTS)
def test_all_variants_start_from_the_same_weights(name):
    exact, other = build("Exact", 20), build(name, 20)
    shared = exact.state_dict()
    assert all((other.state_dict()[key] == value).all() for key, value in shared.items())
