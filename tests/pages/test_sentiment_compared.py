"""Compared on the page Sentiment: it opens, and each of its sentences follows from the numbers."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.published import sentiment_results as published_rows
from core.results.sentiment_results import LOGISTIC, MACHINE, Results, ReviewerQuality, results
from dashboard.theme import PALETTES, Look
from pages.language.sentiment import compared_sentences as sentences
from pages.language.sentiment.compared import published, rows_of, table_of
from pages.language.sentiment.compared_sentences import NAMES, SMALL
from pages.language.sentiment.figures_compared import beside
from tests.pages.conftest import message_text, prose

PAGE = "language/sentiment"


@pytest.mark.parametrize("language", ["English", "Spanish"])
def test_the_section_opens_by_its_address(visit, language):
    app = visit(PAGE, show="Compared", language=language)
    assert not app.warning
    text, own_results = prose(app), results()[language.lower()]
    assert f"is right on {own_results.models[LOGISTIC].accuracy:.1%} of {own_results.test:,} test texts" in text
    assert ("Why not as good?" in text) == (language == "Spanish")
    assert app.dataframe[0].value.shape[0] == len(rows_of(own_results, published(language.lower())))
    assert "Garza" in message_text(app, "caption")


def test_an_address_with_another_language_shows_the_first(visit):
    assert "Why not as good?" not in prose(visit(PAGE, show="Compared", language="Klingon"))


def worth(accuracy: float) -> ReviewerQuality:
    """A model that is right on so many."""
    return ReviewerQuality(accuracy, accuracy, 1000, epochs=3, seconds_per_epoch=1.0)


SHARES = st.fixed_dictionaries({name: st.integers(0, 400).map(lambda hits: hits / 400) for name in (*SMALL, LOGISTIC)})


@given(SHARES, st.sampled_from([400, 40_000]))
def test_each_small_network_is_better_worse_or_as_good(shares, test):
    text = sentences.about_baseline(Results({name: worth(share) for name, share in shares.items()}, 10, test))
    at = {NAMES[name]: text.index(f"{NAMES[name]} ({shares[name]:.1%})") for name in SMALL}
    heads = {
        match.group(0).lower(): match.start() for match in re.finditer(r"better:|worse:|as good, within", text, re.I)
    }
    for name in SMALL:
        head = max((place, word) for word, place in heads.items() if place < at[NAMES[name]])[1]
        if head == "better:":
            assert shares[name] > shares[LOGISTIC]
        elif head == "worse:":
            assert shares[name] < shares[LOGISTIC]
        else:  # no further apart than both intervals reach: each at most half of 1.96 / sqrt(n) + a little
            assert abs(shares[name] - shares[LOGISTIC]) <= 2 * (0.98 / test**0.5 + 4 / test)
    assert text.startswith("Logistic regression on TF-IDF is right on")


def test_equal_models_are_as_good_and_clearly_better_ones_are_counted():
    models = dict.fromkeys((*SMALL, LOGISTIC), worth(0.5))
    assert "**No** small network clearly beats it" in sentences.about_baseline(Results(models, 10, 1000))
    models |= {"rnn": worth(0.9), "bert": worth(0.2)}
    text = sentences.about_baseline(Results(models, 10, 1000))
    assert "**1 of 4** small networks clearly beats it" in text
    assert text.endswith("BERT (20.0%) is worse.")


def test_published_rows_stand_beside_ours():
    for language, own_results in results().items():
        theirs = published(language)
        shared = {name: row for name, row in theirs.items() if name in own_results.models}
        text = sentences.about_published(own_results, shared)
        for name, row in shared.items():
            gap = round(100 * (own_results.models[name].accuracy - row.accuracy), 1)
            assert f"{row.accuracy:.1%} published ({gap:+.1f} points)".replace("-", "−") in text
        assert len(theirs) == sum(row.language.lower() == language for row in published_rows())
        assert set(shared) >= {"rnn", "cnn", "encoder"}


def test_the_spanish_loss_is_told_beside_that_of_a_method_without_a_network():
    every = results()
    shared = {name: row for name, row in published("spanish").items() if name in every["spanish"].models}
    text = sentences.about_sizes(every, shared)
    ratio = every["english"].learnt / every["spanish"].learnt
    assert f"**{ratio:.1f} times**" in text
    lost = shared[MACHINE].accuracy - every["spanish"].models[MACHINE].accuracy
    assert f"**−{100 * lost:.1f} points**" in text
    encoder = shared["encoder"].accuracy - every["spanish"].models["encoder"].accuracy
    assert f"the encoder {100 * (lost - encoder):+.1f} points".replace("-", "−") in text
    alone = {name: row for name, row in shared.items() if name != MACHINE}
    assert sentences.about_sizes(every, alone).endswith("not two.")
    as_good = {name: replace(row, accuracy=every["spanish"].models[name].accuracy) for name, row in shared.items()}
    assert "Why not as good" in text
    assert "Why not as good" not in sentences.about_sizes(every, as_good)


@given(SHARES)
def test_the_best_and_the_last_small_network_are_named(shares):
    text = sentences.about_each_other(Results({name: worth(share) for name, share in shares.items()}, 10, 400))
    small = [shares[name] for name in SMALL]
    apart = round((max(small) - min(small)) * 400)
    assert (f"{apart:,} texts apart" in text) == (apart > 0)
    assert ("is best" in text) == (apart > 0)


def test_rows_go_from_the_best_to_the_worst_and_then_to_what_others_published():
    own_results, theirs = results()["spanish"], published("spanish")
    rows = rows_of(own_results, theirs)
    ours = [row.measured[0] for row in rows if row.measured]
    assert ours == sorted(ours, reverse=True)
    assert [row.name for row in rows if not row.measured] == ["VADER", "HuggingFace pipeline"]
    table = table_of(own_results, theirs)
    assert len(table) == len(rows)
    assert table["published accuracy"].notna().sum() == len(theirs)
    figure = beside(tuple(rows), look=Look(PALETTES["light"]))
    assert len(figure.data[0].x) == len(ours)
    assert len(figure.data[1].x) == len(theirs)
    assert figure.layout.xaxis.range[0] < min(min(figure.data[0].x), min(figure.data[1].x))


def test_without_published_rows_the_figure_stands_alone():
    own_results = replace(results()["english"])
    assert all(row.published is None for row in rows_of(own_results, {}))
    assert beside(tuple(rows_of(own_results, {})), look=Look(PALETTES["dark"])).data[1].x == ()
