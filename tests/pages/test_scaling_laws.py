"""The section "Laws": the fitted numbers are core's, and held-out runs are those above the limit."""

import pytest

from core.scaling import Chinchilla, Kaplan
from pages.scale.scaling_comparison import compute_laws as kept
from pages.scale.scaling_comparison import laws_section

PAGE = "scale/scaling_comparison"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(kept, "DRAWS", 4)
    kept.fitted.clear()
    yield
    kept.fitted.clear()


def coefficients(app) -> list[str]:
    (table,) = (each.value for each in app.dataframe if "fitted here" in each.value)
    return table["fitted here"].tolist()


def test_the_coefficients_on_the_page_are_those_of_a_fit_to_the_runs_below_the_limit(visit):
    app = visit(PAGE, show="Laws")
    runs = kept.chosen("Chinchilla", 5, 0.0)
    found = Chinchilla.fit(runs.points.where(runs.points.flops <= 1e21))
    assert coefficients(app) == [f"{value:.4g}" for value in found.values()]
    held = int((runs.points.flops > 1e21).sum())
    assert any(f"on the {held} dearer ones" in each.value for each in app.markdown)


def test_another_law_and_the_runs_of_pythia_come_by_link(visit):
    app = visit(PAGE, show="Laws", laws_runs="Pythia", laws_law="Kaplan", laws_limit="nothing")
    found = Kaplan.fit(kept.published_runs("Pythia").points)
    assert coefficients(app)[2:] == [f"{value:.4g}" for value in found.values()[2:]]
    assert any("Nothing was held back" in each.value for each in app.markdown)


def test_too_few_runs_get_a_sentence_and_the_controls_stay(visit):
    app = visit(PAGE, show="Laws", laws_from="2 G", laws_limit=app_limit())
    assert any("needs more than 5 runs" in each.value for each in [*app.error, *app.warning, *app.info])
    assert app.select_slider


def app_limit() -> str:
    return laws_section._flops(laws_section.LIMITS[0])
