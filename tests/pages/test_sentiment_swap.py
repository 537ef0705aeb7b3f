"""Swap it on the page Sentiment: it opens, and what it says is true of the weights that were tried."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.results.swapped_attention_results import SwappedAttention, results
from core.zoo.sentiment_classifiers import load_reviewer
from pages.language.sentiment.compute_swap import Exchanged
from pages.language.sentiment.swap_it import about_different, about_measured, about_needed, about_permuted

PAGE, SECTION = "language/sentiment", "Swap it"


@pytest.mark.parametrize(("name", "language"), [("english-rnn", "English"), ("spanish-rnn", "Spanish")])
def test_the_section_opens_by_its_address(visit, name, language):
    app = visit(PAGE, show=SECTION, model=name, language=language, swap_seed="3", swap_allowed="0.05")
    assert list(app.get("plotly_chart"))
    assert any("With very different weights" in markdown.value for markdown in app.markdown)


def test_a_model_that_gives_no_class_is_refused_in_a_sentence(visit):
    app = visit(PAGE, show=SECTION, model="gpt-books")
    assert any("gives a text no class" in message.value for message in [*app.error, *app.warning])


SHARES = st.floats(0.001, 1).map(lambda value: round(value, 3))


def exchanged(weights, probabilities, own):
    return Exchanged(torch.tensor(weights), torch.tensor(probabilities), 0.3, 0.1, sum(map(min, weights, own)))


@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=6), SHARES, SHARES)
def test_the_most_different_weights_are_told_with_what_they_share(pairs, before, after):
    own, other = ([pair[side] / sum(pair[side] for pair in pairs) for pair in pairs] for side in (0, 1))
    kinds = {
        "own": exchanged(own, [1 - before, before], own),
        "different": exchanged(other, [1 - after, after], own),
    }
    trial = SimpleNamespace(classes=("bad", "good"), target=1, exchanged=kinds)
    sentence = about_different(trial)
    if len(pairs) == 1:
        assert "nothing to exchange" in sentence
        return
    assert f"share **{sum(min(pair) for pair in zip(own, other, strict=True)):.0%}**" in sentence
    assert f"from {torch.tensor(before):.1%} to **{torch.tensor(after):.1%}**" in sentence


@given(st.integers(0, 100), SHARES, SHARES)
def test_flips_are_counted(flips, middle, moved):
    kinds = {"uniform": SimpleNamespace(change=moved), "own": SimpleNamespace(weights=[0.5, 0.5])}
    trial = SimpleNamespace(flips=flips, draws=100, median_change=middle, exchanged=kinds)
    assert about_permuted(trial).startswith(f"**{flips} of 100** permutations")
    assert about_permuted(trial).endswith(f"move it by {moved:.1%}.")
    kinds["own"] = SimpleNamespace(weights=[1.0])
    assert "single word" in about_permuted(trial)


ROW = st.builds(
    SwappedAttention, st.just("own"), st.just("all"), st.integers(50, 900), SHARES, SHARES, SHARES, SHARES, SHARES
)


@given(SHARES, SHARES, st.integers(50, 30_000))
def test_a_gain_is_told_only_where_the_difference_is_no_chance(own, without, texts):
    models = {"rnn": SimpleNamespace(accuracy=own), "rnn-uniform": SimpleNamespace(accuracy=without)}
    sentence = about_needed(SimpleNamespace(models=models, test=texts))
    # The same interval from the right and wrong answers themselves, as numbers 1 and 0.
    apart = np.hypot(*(np.sqrt(np.average([(1 - p) ** 2, p**2], weights=[p, 1 - p]) / texts) for p in (own, without)))
    if abs(abs(own - without) - 2 * apart) < 1e-9:
        return
    assert ("**no gain" in sentence) == (abs(own - without) < 2 * apart)
    assert ("attention costs" in sentence) == (without - own > 2 * apart)
    assert ("attention is worth" in sentence) == (own - without > 2 * apart)
    assert f"right on {own:.1%} of" in sentence
    assert f"on {without:.1%} when" in sentence


@given(st.fixed_dictionaries(dict.fromkeys(("different", "permuted"), ROW)))
def test_the_table_is_summed_up_by_its_own_numbers(by_kind):
    sentence = about_measured(by_kind)
    assert f"Over {by_kind['different'].texts:,} held-out texts" in sentence
    assert f"flips **{by_kind['permuted'].flips:.1%}**" in sentence


@pytest.mark.parametrize("language", ["english", "spanish"])
def test_the_table_holds_what_cannot_be_otherwise(language):
    rows = {(row.kind, row.part): row for row in results(language)}
    for part in ("all", "lowest", "middle", "highest"):
        own = rows["own", part]
        assert (own.flips, own.change, own.divergence) == (0, 0, 0)
        different = rows["different", part]
        assert different.flips == 0
        assert different.large_change <= 0.01 + 1e-6  # what the search was allowed
        assert different.divergence >= rows["uniform", part].divergence
        thirds = [rows["own", third].texts for third in ("lowest", "middle", "highest")]
    assert rows["own", "all"].texts == sum(thirds)
    assert load_reviewer(f"{language}-rnn").classes
