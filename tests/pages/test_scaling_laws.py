"""Laws and calculator: the fitted numbers are core's, the sentences are theirs counted in another way."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.costs import gpt
from core.published.devices import devices
from core.scaling import LAWS, Chinchilla, Kaplan
from pages.scale.scaling_comparison import calculator, compute, laws
from tests.pages.conftest import message_text, prose
from tests.pages.scaling import PAGE, has_no_number, plain

LAW = Chinchilla(1.8, 480.0, 2100.0, 0.35, 0.37)


@pytest.fixture
def few_draws(monkeypatch):
    """Four resamples instead of sixty."""
    fitted = compute.fitted
    monkeypatch.setattr(compute, "fitted", lambda *args, **more: fitted(*args, **{**more, "draws": 4}))


def coefficients(app):
    (table,) = (frame.value for frame in app.dataframe if "fitted here" in frame.value)
    return table["fitted here"].tolist()


@pytest.mark.usefixtures("few_draws")
def test_the_coefficients_on_the_page_are_those_of_a_fit_to_the_runs_below_the_limit(visit):
    app = visit(PAGE, show="Laws")
    runs = compute.runs_without("Chinchilla", 5, 0.0)
    law = Chinchilla.fit(compute.points_of(runs[runs["training FLOPs"] <= 1e21]))
    assert coefficients(app) == [f"{value:.4g}" for value in law.values()]
    held = int((runs["training FLOPs"] > 1e21).sum())
    assert f"its forecasts of the {held} more expensive runs miss by" in prose(app)


@pytest.mark.usefixtures("few_draws")
def test_another_law_comes_by_link_and_too_few_runs_get_a_sentence(visit):
    app = visit(PAGE, show="Laws", laws_runs="Pythia", laws_law="Kaplan", laws_limit="nothing")
    law = Kaplan.fit(compute.points_of(compute.published_runs("Pythia")))
    assert coefficients(app)[2:] == [f"{value:.4g}" for value in law.values()[2:]]
    assert "None was held back" in prose(app)
    app = visit(PAGE, show="Laws", laws_from="2 G", laws_limit=laws._flops(laws.LIMITS[0]))
    assert "needs more than 5 runs" in message_text(app)
    assert app.select_slider


@pytest.mark.parametrize(("collection", "law"), [*product(["Chinchilla", "Pythia"], LAWS)])
def test_no_sentence_about_a_fit_holds_what_is_no_number(collection, law):
    for limit in (1e21, float("inf")):
        text = plain(laws.notice(laws.fit_of(collection, law, 0, limit, 0.0, draws=2)))
        assert not has_no_number(text), text
        assert (laws.SECTION.text("Compute frontier") in text) == (law == "Compute frontier")


losses = arrays(float, 12, elements=st.floats(1.5, 4.0))


@settings(max_examples=20, deadline=None)
@given(losses, losses, arrays(bool, 12))
def test_how_far_a_law_misses_is_the_root_of_the_mean_square_and_not_a_mean(predicted, measured, held):
    sentence = laws.foretold(predicted, measured, held)
    groups = {False: [], True: []}
    for one, other, out in zip(predicted, measured, held, strict=True):
        groups[bool(out)].append(100 * (one - other) / other)
    sizes = {out: (sum(error**2 for error in of) / len(of)) ** 0.5 if of else 0.0 for out, of in groups.items()}
    assert (
        f"the {len(groups[False])} runs that were not held back by {sizes[False]:.1f}% (root mean square)" in sentence
    )
    assert not has_no_number(sentence)
    if held.any():
        bias = sum(groups[True]) / len(groups[True])
        assert f"its forecasts of the {len(groups[True])} more expensive runs miss by {sizes[True]:.1f}%" in sentence
        assert ("too high" in sentence, "too low" in sentence) == (bias >= 0.05, bias <= -0.05)


@pytest.mark.parametrize(("low", "high"), [(2.1, 3.4), (0.2, 0.9), (1.0, 60.0)])
def test_losses_on_an_axis_are_round_and_few(low, high):
    ticks = laws.round_ticks(np.array([low, high]))
    assert 2 <= len(ticks) <= 9
    assert all(low - 1e-9 <= tick for tick in ticks)


@pytest.mark.parametrize("law", LAWS)
def test_a_formula_has_a_place_for_each_coefficient(law):
    template, symbols = laws.FORMULAS[law]
    assert len(symbols) == len(LAWS[law].names())
    numbers = template.format(*range(100, 100 + len(symbols)))
    assert all(str(100 + place) in numbers for place in range(len(symbols)))
    assert numbers.count("{") == numbers.count("}")


def wanted(layers=12, width=768, context=1024, tokens=10**10, batch=1, count=8, used=0.5, heads=12):
    shape = gpt(layers, width, heads, vocabulary=50_257, positions=context)
    device = next(device for device in devices() if device.name == "NVIDIA A100 SXM 80 GB")
    return calculator.TrainingRun(shape, context, tokens, batch, device, count, used)


def test_gpt3_is_there_at_once_with_its_published_numbers_and_heads_that_do_not_fit_get_a_sentence(visit):
    metrics = {metric.label: metric.value for metric in visit(PAGE, show="Calculator").metric}
    assert metrics["Parameters"] == "175 G"
    assert metrics["FLOPs, 6\u00a0N\u00a0D"] == "3.14\u00a0×\u00a010²³"  # Brown et al. 2020, table D.1
    assert metrics["KV cache of the texts"] == "9.66 GB"  # 2 · 96 · 2,048 · 12,288 · 2 bytes
    app = visit(PAGE, show="Calculator", calc_heads="7")
    assert "7 heads cannot share 12,288 channels" in message_text(app)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 30), st.integers(1, 40), st.integers(1, 3000))
def test_rule_and_count_differ_by_the_scores_and_by_what_is_not_multiplied(layers, head_dim, context):
    width, heads = 12 * head_dim, 12
    sentence = calculator.rule_and_count(wanted(layers, width, context, tokens=context * 10**6))
    # Layer by layer: four matrices of attention, two of the MLP four times as wide, the table of words as output.
    matrices = layers * (4 * width**2 + 2 * width * 4 * width) + 50_257 * width
    others = layers * (4 * width + 5 * width + 4 * width) + 2 * width + context * width
    scores = layers * 2 * 2 * context * width  # a token: with each of `context` keys, and with as many values
    per_token = 2 * matrices + scores
    share = 100 * (3 * per_token / (6 * (matrices + others)) - 1)
    if abs(share) < 1e-9:
        assert "is the same as" in sentence
    else:
        assert f"{abs(share):.3g}% {'above' if share > 0 else 'below'}" in sentence
    assert f"take {scores / per_token:.2%} of it;" in sentence
    assert f"{others / (matrices + others):.2%} of the parameters" in sentence
    assert heads == 12


def test_twice_the_devices_take_half_the_time():
    one, two = (wanted(count=count).duration(1e21) for count in (1000, 2000))
    assert float(one.split()[0]) == pytest.approx(2 * float(two.split()[0]), rel=0.01)


@pytest.mark.parametrize(("parameters", "tokens"), [(10**9, 10**10), (10**7, 10**12), (10**11, 10**9)])
def test_the_best_split_is_the_lowest_point_of_the_curve_and_its_sentence_says_which_way_it_lies(parameters, tokens):
    split = calculator.split_of(LAW, parameters, tokens)
    assert split.best[1] == pytest.approx(split.loss.min(), rel=1e-3)
    assert split.best[0] == pytest.approx(split.parameters[split.loss.argmin()], rel=0.15)
    assert np.interp(parameters, split.parameters, split.loss) == pytest.approx(split.chosen[1], rel=1e-2)
    text = plain(calculator.notice(wanted(tokens=tokens), split))
    if split.chosen[1] - split.best[1] < calculator.NOTICEABLE:
        assert "no other size would lower the loss" in text
    else:
        assert ("a smaller model" in text and "cheaper" in text) == (split.best[0] < parameters)
    assert not has_no_number(text)


@pytest.mark.parametrize(("layers", "width", "fits"), [(12, 768, True), (96, 12_288, False)])
def test_a_training_fits_into_one_device_or_into_so_many(layers, width, fits):
    request = wanted(layers, width)
    text = plain(calculator.notice(request, calculator.split_of(LAW, 10**9, 10**10)))
    needed = sum(line.value for line in request.memory)
    assert (needed <= 80e9) == fits
    assert ("fits into one NVIDIA A100" if fits else f"at least {-(-needed // 80_000_000_000):,} ×") in text


@pytest.mark.parametrize(
    ("hours", "words_for"),
    [
        (0.001, "3.6 seconds"),
        (0.5, "30 minutes"),
        (3.0, "3 hours"),
        (47.0, "47 hours"),
        (72.0, "3 days"),
        (26_298.0, "3 years"),
    ],
)
def test_durations_are_said_in_the_unit_that_fits(hours, words_for):
    assert calculator.duration(hours) == words_for
