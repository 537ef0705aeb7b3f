"""Language: GLUE against people, sentiment and sizes say what their tables say."""

import json

import pytest

from pages.scale.scaling_comparison import words as page
from pages.scale.scaling_comparison import words_language as said
from tests.pages.scaling import PAGE, drawn, line, numbers, original, prose, same

GLUE = {of["model"]: of for of in original("glue_leaderboard.csv")}
PEOPLE = GLUE["GLUE Human Baselines"]


@pytest.fixture
def language(visit):
    return lambda part, **query: visit(PAGE, show=page.LANGUAGE, language_part=part, **query)


def test_the_chosen_entry_stands_as_far_from_people_as_the_table_says(language):
    app = language(said.GLUE, glue_entry="T5")
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    tasks = spec["layout"]["yaxis"]["ticktext"]
    found = dict(zip(tasks, numbers(spec["data"][1]["x"]), strict=True))
    single = ("CoLA", "SST-2", "QNLI", "RTE", "WNLI")
    assert {task: found[task] for task in single} == pytest.approx(
        {task: float(GLUE["T5"][task]) - float(PEOPLE[task]) for task in single}
    )
    mean = [(float(of["MRPC_f1"]) + float(of["MRPC_acc"])) / 2 for of in (GLUE["T5"], PEOPLE)]
    assert found["MRPC"] == pytest.approx(mean[0] - mean[1])
    ahead = sum(value > 0 for value in found.values())
    assert f"**T5** is ahead of people on **{ahead} of 9** tasks" in prose(app)
    assert len(numbers(spec["data"][0]["x"])) == 9 * 14


def test_all_entries_with_people_among_them(language):
    app = language(said.ENTRIES, glue_y="RTE")
    assert same(drawn(app).values(), [(float(of["score"]), float(of["RTE"])) for of in GLUE.values()])
    ahead = sum(float(of["RTE"]) > float(PEOPLE["RTE"]) for of in GLUE.values())
    assert f"{ahead} of 14 models are ahead of people in *RTE* (93.6)" in prose(app)


def test_sentiment_by_the_seconds_of_training(language):
    app = language(said.SENTIMENT, sentiment_language="English")
    rows = [of for of in original("sentiment.csv") if of["language"] == "English"]
    expected = [(int(of["epochs"]) * float(of["seconds_per_epoch"]), 100 * float(of["val_accuracy"])) for of in rows]
    assert same(drawn(app).values(), expected)
    assert line(app, "Pareto front") is not None
    both = language(said.SENTIMENT)
    assert line(both, "Pareto front") is None
    assert "**2 data sets** in one picture" in prose(both)
    assert "On IMDB, **1x bidirectional RNN** is best of those shown (89.1 %)" in prose(app)


def test_sizes_by_year_and_their_ratio(language):
    app = language(said.SIZES)
    rows = [of for of in original("language_model_sizes.csv") if of["params"]]
    assert sorted(drawn(app).values()) == sorted((float(of["year"]), float(of["params"])) for of in rows)
    assert f"**{1.75e11 / 6.5e7:,.0f} times** as many parameters" in prose(app)
    app = language(said.SIZES, language_years=["2018", "2019"])
    assert len(drawn(app)) == sum(of["year"] in ("2018", "2019") for of in rows)
