"""What was measured of the masked autoencoder: the section opens with results and without, and sentences hold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from core.errors import ModelError
from core.models.mae import MAEConfig
from core.results.mae_results import (
    AUTOENCODER,
    FEATURES,
    FILLED_BY,
    NETWORK,
    PATCHES,
    PIXELS,
    SCRATCH,
    TRAINED,
    UNTRAINED,
    Errors,
    FineTuned,
    Probe,
    Results,
)
from core.vision.skipped_patches import ALL, FORWARD, STEP, VISIBLE, Saving, count_operations
from pages.vision.reconstruction import measured_autoencoder
from pages.vision.reconstruction.measured_autoencoder import (
    rows_of,
    tell_counted,
    tell_errors,
    tell_probe,
    tell_saving,
    tell_tuned,
)
from tests.pages.conftest import message_text, prose

ROOM = "vision/reconstruction"
SAVING = Saving(
    {ALL: 300, VISIBLE: 100}, {FORWARD: {ALL: 0.2, VISIBLE: 0.08}, STEP: {ALL: 0.9, VISIBLE: 0.3}}, batch=10
)


def errors_at(share: float, own: float, best: float, error: float = 0.001) -> Errors:
    others = dict(zip(FILLED_BY[1:], (best + 0.02, best + 0.03, best), strict=True))
    return Errors(share, {name: (value, error) for name, value in {NETWORK: own, **others}.items()})


def all_of(*tuned: FineTuned) -> Results:
    probes = tuple(Probe(labels, dict.fromkeys(FEATURES, 0.1) | {FEATURES[0]: 0.3}) for labels in (10, 100))
    return Results(1000, (errors_at(0.5, 0.02, 0.03), errors_at(0.75, 0.03, 0.06)), 5000, probes, tuned, SAVING)


@pytest.mark.parametrize("is_tuned", [True, False])
def test_the_section_shows_what_was_measured(visit, monkeypatch, is_tuned):
    tuned = (
        [FineTuned(10, AUTOENCODER, 0.2, 0.5, 460, 600.0), FineTuned(10, SCRATCH, 0.1, 0.4, 460, 600.0)]
        if is_tuned
        else []
    )
    monkeypatch.setattr(measured_autoencoder, "measured", lambda: all_of(*tuned))
    app = visit(ROOM, show="Measured")
    assert not message_text(app, "warning")
    text = prose(app)
    assert "At **every share** the autoencoder is nearer" in text
    assert "+20.0 points for what was learned without labels" in text
    assert ("+10.0 points, one seed each" in text) == is_tuned
    assert ("It has not been fine-tuned yet" in message_text(app, "info")) != is_tuned
    assert "**2.7 times** as many" in text
    assert "takes 2.5 times as long in a forward pass, and 3.0 times" in text


def test_where_nothing_was_measured_one_sentence_says_so_and_the_saving_can_still_be_measured(visit, monkeypatch):
    def missing() -> Results:
        raise ModelError("weights/mae/results.json is not there: make it.")

    monkeypatch.setattr(measured_autoencoder, "measured", missing)
    app = visit(ROOM, show="Measured")
    assert "is not there: make it." in message_text(app, "warning")
    assert [button.label for button in app.button] == ["Present", "Measure on this machine"]
    assert "million multiply-adds" in prose(app)


small = some.floats(0.001, 0.2)


@given(some.lists(some.tuples(small, small, some.floats(1e-5, 0.01)), min_size=1, max_size=8))
@settings(max_examples=60)
def test_errors_are_told_at_as_many_shares_as_they_are_clear(given_errors):
    measured_errors = [
        errors_at((place + 1) / 10, own, best, error) for place, (own, best, error) in enumerate(given_errors)
    ]
    clear = [best - own > 2 * (2 * error**2) ** 0.5 for own, best, error in given_errors]
    sentence = tell_errors(measured_errors)
    if not any(clear):
        assert "At no share" in sentence
        return
    assert ("**every share**" in sentence) == all(clear)
    if not all(clear):
        assert f"**{sum(clear)} of {len(clear)} shares**" in sentence
    leads = [1 - own / best for own, best, _ in given_errors]
    place = leads.index(max(leads))
    assert f"with {measured_errors[place].share:.0%} hidden: {given_errors[place][0]:.4f}" in sentence
    assert f"{max(leads):.0%} less" in sentence


@given(some.floats(0, 1), some.floats(0, 1), some.floats(0, 1))
def test_a_probe_gains_only_what_lies_beyond_its_error(own, other, pixels):
    top1 = dict.fromkeys(FEATURES, 0.0)
    top1 |= {f"{TRAINED}, {PATCHES}": own, f"{UNTRAINED}, {PATCHES}": other, PIXELS: pixels}
    sentence = tell_probe(Probe(10, top1), 0.01)
    assert f"**{own:.1%}** right, on those of an untrained encoder {other:.1%}, on pixels {pixels:.1%}" in sentence
    gain = own - max(other, pixels)
    if abs(abs(gain) - 0.02 * 2**0.5) > 1e-9:
        assert ("no clear gain" in sentence) == (abs(gain) < 0.02 * 2**0.5)
        assert ("nothing was gained" in sentence) == (gain < -0.02 * 2**0.5)


def test_fine_tuning_is_told_only_where_it_is_clear():
    own, scratch = FineTuned(100, AUTOENCODER, 0.4, 0.7, 1170, 60.0), FineTuned(100, SCRATCH, 0.39, 0.7, 1170, 60.0)
    assert "cannot be decided from 5,000 pictures" in tell_tuned(own, scratch, 5000)
    assert "+1.0 points, one seed each" in tell_tuned(own, scratch, 500_000)
    assert "−1.0 points" in tell_tuned(scratch, own, 500_000)


def test_the_saving_is_told_by_count_and_by_the_clock():
    config = MAEConfig()
    ratio = count_operations(config, 64) / count_operations(config, 16)
    assert f"**{ratio:.1f} times** as many" in tell_counted()
    assert "With 16 of 64 patches" in tell_counted()
    assert "takes 2.5 times as long in a forward pass, and 3.0 times in a step" in tell_saving("here", SAVING)
    assert rows_of("here", SAVING)[0] == ("forward pass, here, ms a picture", 20.0, 8.0, pytest.approx(2.5))
