"""The section "Calculator": its numbers are the formulas', for GPT-3 and for any other GPT."""

import numpy as np
import pytest

from core.scaling import Chinchilla
from pages.scale.scaling_comparison import compute_laws as kept
from pages.scale.scaling_comparison.calculator_section import duration, split_of

PAGE = "scale/scaling_comparison"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(kept, "DRAWS", 2)
    kept.fitted.clear()
    yield
    kept.fitted.clear()


def metrics(app) -> dict[str, str]:
    return {each.label: each.value for each in app.metric}


def test_gpt3_is_there_at_once_with_its_published_numbers(visit):
    found = metrics(visit(PAGE, show="Calculator"))
    assert found["Parameters"] == "175 G"
    assert found["FLOPs, 6\u00a0N\u00a0D"] == "3.14\u00a0×\u00a010²³"  # Brown et al. 2020, table D.1
    assert found["KV cache of the texts"] == "9.66 GB"  # 2 · 96 · 2,048 · 12,288 · 2 bytes


def test_twice_the_devices_take_half_the_time_and_the_address_keeps_the_choice(visit):
    one = visit(PAGE, show="Calculator", calc_devices="1000", calc_used="50")
    two = visit(PAGE, show="Calculator", calc_devices="2000", calc_used="50")
    first, second = (float(metrics(app)["Duration"].split()[0]) for app in (one, two))
    assert first == pytest.approx(2 * second, rel=0.01)


def test_heads_that_cannot_share_the_width_get_a_sentence(visit):
    app = visit(PAGE, show="Calculator", calc_heads="7")
    assert any("7 heads cannot share 12,288 channels" in each.value for each in [*app.error, *app.warning, *app.info])


def test_a_training_that_fits_says_so(visit):
    app = visit(PAGE, show="Calculator", calc_layers="12", calc_width="768", calc_heads="12", calc_context="1024")
    assert any("fits into one NVIDIA A100" in each.value for each in app.markdown)


def test_the_best_split_is_the_lowest_point_of_the_curve():
    split = split_of(Chinchilla(1.8, 480.0, 2100.0, 0.35, 0.37), 10**9, 10**10)
    assert split.best[1] == pytest.approx(split.loss.min(), rel=1e-4)
    assert split.best[0] == pytest.approx(split.parameters[split.loss.argmin()], rel=0.1)
    assert np.interp(1e9, split.parameters, split.loss) == pytest.approx(split.chosen[1], rel=1e-3)


@pytest.mark.parametrize(
    ("hours", "told"),
    [(0.5, "30 minutes"), (3.0, "3 hours"), (47.0, "47 hours"), (72.0, "3 days"), (26_298.0, "3 years")],
)
def test_durations_are_said_in_the_unit_that_fits(hours, told):
    assert duration(hours) == told
