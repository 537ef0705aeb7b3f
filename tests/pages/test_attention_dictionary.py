"""Attention step by step, Dictionary: every number and sentence beside softmax by hand."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard import contents
from pages.foundations.attention_step_by_step import dictionary
from pages.foundations.attention_step_by_step.dictionary import ENTRIES, Query, notices
from tests.pages.conftest import prose


def by_hand(query):
    """Scores and shares of the three entries, by cosines of angles and softmax."""
    scores = [query.length * math.cos(math.radians(query.degrees - entry.degrees)) for entry in ENTRIES]
    if query.temperature == 0:
        ties = [score > max(scores) - 1e-6 for score in scores]
        return scores, [tie / sum(ties) for tie in ties]
    powers = [math.exp((score - max(scores)) / query.temperature) for score in scores]
    return scores, [power / sum(powers) for power in powers]


ANY = st.builds(
    Query,
    st.integers(0, 71).map(lambda step: 5.0 * step),
    st.integers(0, 8).map(lambda step: step / 2),
    st.integers(0, 40).map(lambda step: step / 20),
)


@settings(max_examples=60)
@given(ANY)
def test_every_sentence_is_what_softmax_by_hand_says(query):
    scores, shares = by_hand(query)
    lookup, hard = query.answer(), query.answer(0.0)
    assert lookup.scores.tolist() == pytest.approx(scores, abs=1e-9)
    assert lookup.shares.tolist() == pytest.approx(shares, abs=1e-9)
    rain, sun = (sum(a * getattr(e, name) for a, e in zip(shares, ENTRIES, strict=True)) for name in ("rain", "sun"))
    assert lookup.answer.tolist() == pytest.approx([rain, sun], abs=1e-9)
    first, second, third = notices(query, lookup, hard)
    assert f"{round(rain, 2) + 0.0:.2f} mm of rain and {round(sun, 2) + 0.0:.2f} hours of sun" in first
    ties = [entry.name for entry, score in zip(ENTRIES, scores, strict=True) if score > max(scores) - 1e-6]
    assert ("evenly" in first) == (len(ties) == 3)
    assert ("tie:" in first) == (len(ties) == 2)
    assert ("hard look-up" in first) == (query.temperature == 0 and len(ties) == 1)
    if "closest" in first:
        assert f"**{ties[0].capitalize()}**" in first
        assert f"**{max(shares):.0%}**" in first
    assert all(name in second for name in ties)
    _, fixed = by_hand(Query(query.degrees, query.length, math.sqrt(2)))
    assert ", ".join(f"{share:.0%}" for share in fixed) in third
    changes = [float(number.replace("−", "-")) for number in re.findall(r"by ([+−][\d.]+) mm", second)]
    if changes:
        _, at_0 = by_hand(Query(query.degrees, query.length, 0.0))
        hard_rain = sum(share * entry.rain for share, entry in zip(at_0, ENTRIES, strict=True))
        assert changes == [pytest.approx(rain - hard_rain, abs=6e-3)]


def test_halfway_between_two_keys_both_share_the_answer_at_temperature_0():
    lookup = Query(45.0, 1.0, 0.0).answer()
    assert lookup.shares.tolist() == [0.5, 0.5, 0]
    assert lookup.answer.tolist() == [0.5, 8.5]


def test_a_query_twice_as_long_does_what_half_the_temperature_does():
    longer, sharper = Query(30.0, 2.0, 1.0).answer(), Query(30.0, 1.0, 0.5).answer()
    assert longer.shares.tolist() == pytest.approx(sharper.shares.tolist())


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ({}, "North, whose key is closest to the query"),
        ({"lookup_temperature": "0"}, "at temperature 0 this is a hard look-up"),
        ({"lookup_temperature": "0", "lookup_angle": "45"}, "North and east tie"),
        ({"lookup_length": "0"}, "The query has length 0"),
        ({"lookup_length": "-3", "lookup_angle": "x", "lookup_temperature": "nan"}, "North, whose key is closest"),
    ],
)
def test_the_page_opens_with_the_dictionary_before_any_matrix(visit, address, sentence):
    app = visit(contents.STEPS.folder, **address)
    assert app.session_state.show == dictionary.SECTION.name
    assert sentence in prose(app).replace("*", "")
    assert len(app.get("plotly_chart")) == 3
    assert not app.warning


def test_the_curves_begin_with_the_hard_look_up():
    assert dictionary.TEMPERATURES[0] == 0
    assert Query(30.0, 1.0, 0.0).answer().shares.tolist() == [1, 0, 0]
