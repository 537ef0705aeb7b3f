"""By year: every known figure is drawn, and the line is that of scipy through what is left in the picture."""

from datetime import date

import numpy as np
import pytest
from scipy import stats

from pages.scale.scaling_comparison import words as page
from pages.scale.scaling_comparison import words_years as said
from pages.scale.scaling_comparison.years_notices import time
from tests.pages.scaling import PAGE, drawn, line, original, prose, same, told

TABLE = original("notable_models.csv")


@pytest.fixture
def years(visit):
    return lambda **query: visit(PAGE, show=page.YEARS, **query)


def year(of):
    day = date.fromisoformat(of["date"])
    return day.year + (day.timetuple().tm_yday - 1) / 365.25


def fitted(rows, column):
    known = [of for of in rows if of[column]]
    return stats.linregress([year(of) for of in known], np.log10([float(of[column]) for of in known]))


def test_every_known_training_compute_is_drawn_at_its_day(years):
    app = years()
    known = {row: (year(of), float(of["training_flops"])) for row, of in enumerate(TABLE) if of["training_flops"]}
    points = drawn(app)
    assert points.keys() == known.keys()
    assert same(points.values(), known.values())
    assert f"**{len(known)} of {len(TABLE)}** models are shown" in prose(app)
    sure = sum(TABLE[row]["confidence"] == "Confident" for row in known)
    assert f"**{sure} of {len(known)}** of these entries “Confident”" in prose(app)
    assert f"doubled every **{time(np.log10(2) / fitted(TABLE, 'training_flops').slope)}**" in prose(app)


def test_the_line_follows_the_filters(years):
    app = years(years_y="Parameters", years_years=["2012", "2020"], years_confidence="Confident")
    rows = [of for of in TABLE if 2012 <= int(of["date"][:4]) <= 2020 and of["confidence"] == "Confident"]
    other = fitted(rows, "parameters")
    x, y = line(app, "least squares")
    assert np.log10(y) == pytest.approx(other.intercept + other.slope * np.array(x))
    assert len(drawn(app)) == sum(bool(of["parameters"]) for of in rows)
    assert f"**{time(np.log10(2) / other.slope)}**" in prose(app)


def test_without_enough_models_there_is_no_line_and_a_sentence_says_why(years):
    app = years(years_search="grok-3")
    assert len(drawn(app)) == 1
    assert line(app, "least squares") is None
    assert said.NO_FIT in prose(app)
    app = years(years_search="no such model")
    assert f"Nothing of {len(TABLE)} models passes these filters" in told(app)


def test_a_card_has_the_link_of_its_source(years):
    app = years(years_chosen="Pangu Ultra")
    assert "| Training FLOPs | 1.1\u00a0×\u00a010²⁵ |" in prose(app)
    assert "| Published | 2025-04-10 |" in prose(app)
    links = [element.proto.url for element in app.get("link_button")]
    assert links == ["https://arxiv.org/abs/2504.07866"]


def test_two_sizes_against_one_another_have_no_line(years):
    app = years(years_x="Parameters", years_y="Data points")
    assert line(app, "least squares") is None
    assert said.NO_FIT in prose(app)
