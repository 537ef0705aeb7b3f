"""The section "Cost": exponents and crossings follow from the curves that are shown."""

import pytest

from core.costs.attention_costs import EACH, TOKENS, VARIANTS
from core.costs.one_pass import Cost
from core.measured import MeasuredCosts
from pages.scale.efficient_attention import compute_costs as kept
from pages.scale.efficient_attention import cost_formulas, cost_section

PAGE = "scale/efficient_attention"
# The exact ones are quadratic, the others linear and dearer at first.
SECONDS = {name: (lambda n: 1e-9 * n**2) if name.startswith("Exact") else (lambda n: 2e-6 * n) for name in VARIANTS}
COSTS = tuple(
    Cost(name, n, seconds(n), 5, 4 * n**2 if name == "Exact, written out" else 256 * n)
    for n in TOKENS
    for name, seconds in SECONDS.items()
)


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setattr(kept, "attention_costs", lambda: MeasuredCosts(COSTS, "a machine", "a command"))
    monkeypatch.setattr(kept, "_MEASURED", {})


def test_the_table_gives_exponents_and_crossings_of_known_curves():
    rows = cost_section.table(COSTS).set_index("attention")
    assert rows.loc["Exact, fused", "time grows like n^"] == pytest.approx(2)
    assert rows.loc["Exact, written out", "memory grows like n^"] == pytest.approx(2)
    assert rows.loc["Performer", "time grows like n^"] == pytest.approx(1)
    assert rows.loc["Performer", "faster than fused from"] == pytest.approx(2000)  # 2e-6 n = 1e-9 n²


def test_the_page_says_what_the_curves_show(visit, known):
    del known
    app = visit(PAGE, show="Cost")
    told = " ".join(each.value for each in (*app.markdown, *app.caption))
    assert "it overtakes it at about 2,000 tokens" in told
    assert "grows like n^2.0" in told
    assert "a command" in told


def test_a_measurement_on_this_machine_takes_the_place_of_the_one_that_comes_along(visit, known, monkeypatch):
    del known
    quick = tuple(Cost(each.name, each.tokens, each.seconds / 2, 3, each.bytes) for each in COSTS)
    monkeypatch.setattr(kept, "measure_attention", lambda progress: progress(1, 1) or quick)
    app = visit(PAGE, show="Cost")
    next(button for button in app.button if button.label == "Measure on this machine").click().run()
    told = " ".join(each.value for each in (*app.markdown, *app.caption))
    assert "Measured on this machine just now" in told
    assert "medians of 3 passes" in told


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("tokens", [4096, 16_384])
def test_the_formula_with_the_numbers_of_the_page_is_what_the_variant_counts(name, tokens):
    _, filled = cost_formulas.written(name, tokens)
    value = eval(filled.replace("{,}", "").replace(r"\cdot", "*").replace("^", "**"))  # our own formula
    assert value == VARIANTS[name].multiplications(tokens, EACH)


def test_the_settings_name_the_numbers_of_the_variants():
    assert "Sliding window of 128 keys; BigBird with blocks of 64" in cost_formulas.settings()
