"""Forgetting as a section: its numbers are those of core, its sentences say what the runs say."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.long_context.cache_rules import RULES, HeavyHitters, Window
from core.long_context.forgetting import ForgetfulRun, FullCache, StoredLayer, forget, keep_everything, kept_map
from core.long_context.reading import Place
from core.progress import no_progress
from core.text import encode
from core.zoo import TextModel
from dashboard.cache import memo
from dashboard.theme import LIGHT, Look
from pages.explore.long_text import compute_forgetting, forgetting, sentences_forgetting
from pages.explore.long_text.cached_text import cached_text
from pages.explore.long_text.compute_forgetting import Comparison, Setting
from pages.explore.long_text.figures_forgetting import along_the_text, map_of_kept
from tests.core.tiny_long_models import cut, family
from tests.pages.conftest import check, message_text, prose

PAGE = "explore/long_text"
TEXT = "The old man looked at the sea and said nothing. " * 40


@pytest.fixture
def tiny(monkeypatch) -> TextModel:
    """A tiny random model with rotary positions in place of all models."""
    model = replace(family("rotary"), context=512)
    for module in (compute_forgetting, forgetting):
        monkeypatch.setattr(module, "long_text_model", lambda _name: model)
    memo.clear()
    yield model
    memo.clear()


def open_section(visit, **query: str):
    return visit(PAGE, show="Forgetting", forget_text="Your own", text=TEXT, **query)


def test_the_table_holds_the_losses_of_core(visit, tiny):
    app = open_section(visit, forget_budget="32", forget_tokens="256")
    tokens = encode(tiny.tokenizer, TEXT, context=256)
    full = keep_everything(tiny, tokens)
    table = app.dataframe[0].value.set_index("cache")
    assert table.loc["Full cache", "bits per token"] == pytest.approx(float(full.losses.mean()), rel=1e-5)
    for name in ("Window", "Window and sinks", "Heavy hitters", "Small norms", "Random"):
        run = forget(tiny, tokens, RULES[name], 32, full=full)
        assert table.loc[name, "bits per token"] == pytest.approx(float(run.losses.mean()), rel=1e-5)
        rise = float((run.losses - full.losses)[32:].mean())
        assert table.loc[name, "rise after the budget"] == pytest.approx(rise, abs=1e-5)
        assert table.loc[name, "attention lost"] == pytest.approx(100 * run.mean_lost, rel=1e-4)
        assert table.loc[name, "size"] == "16.4 kB" == f"{run.bytes / 1e3:.3g} kB"
    assert "cannot be used" not in message_text(app)


def test_the_address_chooses_rule_head_step_and_share_of_the_newest(visit, tiny):
    app = open_section(
        visit,
        forget_budget="64",
        forget_tokens="256",
        forget_rule="Window",
        forget_layer="1",
        forget_head="2",
        forget_step="100",
        forget_newest="none",
    )
    assert "the 64 keys that the query at position 100 attends to" in prose(app)
    assert "the 37 dropped ones" in prose(app)
    run = forget(tiny, encode(tiny.tokenizer, TEXT, context=256), Window(), 64, full=_full(tiny, 256))
    assert f"This head loses **{float(run.lost_by_head[1][2]):.1%}**" in prose(app)
    app = check(app.slider(key="forget_step").set_value(40).run())
    assert "the 41 keys" in prose(app)
    heavy = forget(tiny, encode(tiny.tokenizer, TEXT, context=256), HeavyHitters(0.0), 64, full=_full(tiny, 256))
    table = app.dataframe[0].value.set_index("cache")
    assert table.loc["Heavy hitters", "bits per token"] == pytest.approx(float(heavy.losses.mean()), rel=1e-5)


def _full(model: TextModel, count: int) -> FullCache:
    return keep_everything(model, encode(model.tokenizer, TEXT, context=count))


@pytest.mark.usefixtures("tiny")
def test_a_budget_above_the_length_and_a_short_text_get_a_sentence(visit):
    app = open_section(visit, forget_budget="256", forget_tokens="256")
    assert "Nothing is dropped: the text has 256 tokens and the budget holds 256" in prose(app)
    app = check(app.text_area(key="text").set_value("One, two, three.").run())
    assert re.search(r"this text has \d+\. Write", message_text(app))
    app = check(app.text_area(key="text").set_value("<b>bold</b> [link](http://a.b) " * 30).run())
    assert not [element for element in app.markdown if "<b>" in element.value.replace("\\<", "")]


@pytest.mark.usefixtures("tiny")
def test_a_book_is_read_from_its_beginning(visit):
    app = visit(PAGE, show="Forgetting", forget_text="The Time Machine", forget_tokens="256", forget_budget="32")
    table = app.dataframe[0].value
    assert len(table) == 6
    assert table["bits per token"].notna().all()


LONG, BUDGET = 200, 50


def comparison(rises: dict[str, float], *, lost: float = 0.1, noise: float = 0.02) -> Comparison:
    """Runs with these mean rises after the budget; the full cache needs 5 bits for each token."""
    generator = torch.Generator().manual_seed(0)
    full_losses = torch.full((LONG - 1,), 5.0)
    query = torch.zeros(2, LONG, 4)
    normaliser = torch.arange(1, LONG + 1).log().repeat(2, 1)
    layer = StoredLayer(Place("attention", 2, 2, 4, True), query, query, normaliser)
    dropped = Window().dropped(query[:, None], query, BUDGET)
    runs = {}
    for number, name in enumerate(RULES):
        losses = full_losses.clone()
        losses[BUDGET:] += rises.get(name, 0.0) + noise * torch.randn(LONG - 1 - BUDGET, generator=generator)
        runs[name] = ForgetfulRun(
            losses, (dropped,), (torch.full((2, LONG), lost + 0.05 * number),), 2 * 2 * BUDGET * 16
        )
    model = family("rotary")
    return Comparison(cut(model, LONG), FullCache(full_losses, (layer,)), runs)


SETTING = Setting("gpt-books-long", "text", LONG, BUDGET, 0.5)


def test_the_first_sentence_names_the_best_and_the_worst_rule_or_neither():
    sentence = sentences_forgetting.about_rules(
        comparison({"Window": 0.9, "Random": 0.3, "Window and sinks": 0.5, "Small norms": 0.5, "Heavy hitters": 0.2}),
        BUDGET,
    )
    assert 0 < sentence.index("heavy hitters") < sentence.index(" window")  # the cheapest, then the dearest
    assert "random" not in sentence
    values = [float(number) for number in re.findall(r"\+(\d\.\d+)", sentence)]
    assert values == pytest.approx([0.2, 0.9], abs=0.02)
    assert sentences_forgetting.spread(comparison({}), "Window", "Random", BUDGET) == "as much"
    assert sentences_forgetting.spread(comparison({"Random": 0.5}), "Window", "Random", BUDGET) == "more"
    assert "not a number" in sentences_forgetting.about_rules(comparison({"Random": math.nan}), BUDGET)


@pytest.mark.parametrize(
    ("window", "words"),
    [(1.0, "hold the window up"), (0.2, "Nothing collapses"), (0.0, "more room"), (math.nan, "unknown")],
)
def test_the_sentence_about_the_first_tokens_follows_the_losses(window, words):
    sentence = sentences_forgetting.about_first_tokens(comparison({"Window": window, "Window and sinks": 0.2}), BUDGET)
    assert words in sentence
    if window == window:
        shares = [4 / (row + 1) for row in range(BUDGET, LONG)]  # all scores are equal
        assert f"{sum(shares) / len(shares):.1%} of its attention" in sentence


@pytest.mark.parametrize(
    ("heavy", "words"), [(0.1, "better than chance:"), (0.9, "Chance chooses"), (0.5, "no better")]
)
def test_the_sentence_about_heavy_hitters_compares_them_with_chance(heavy, words):
    sentence = sentences_forgetting.about_score(comparison({"Heavy hitters": heavy, "Random": 0.5}), BUDGET)
    assert words in sentence


def test_lost_attention_and_bytes_are_those_of_the_runs():
    runs = comparison({"Random": 0.9, "Window": 0.1})
    assert "the most under random, 30.0%" in sentences_forgetting.about_lost(runs, BUDGET)
    assert "also costs" in sentences_forgetting.about_lost(runs, BUDGET)
    assert "does not say" in sentences_forgetting.about_lost(comparison({"Window": 0.9}), BUDGET)
    assert "4 times less" in sentences_forgetting.about_bytes(runs, BUDGET)


def test_the_largest_rise_is_at_the_token_that_was_dropped():
    runs = comparison({})
    assert "no token" in sentences_forgetting.about_largest(runs, BUDGET)
    place = 120
    runs.runs["Window"].losses[place] = 12.0
    earlier = [position for position in range(place + 1) if runs.tokens.ids[position] == runs.tokens.ids[place + 1]]
    sentence = sentences_forgetting.about_largest(runs, BUDGET)
    assert "(position 121): from 5.0 to 12.0 bits" in sentence
    assert f"last {place + 1 - earlier[-1]} tokens earlier, within the window" in sentence


def test_too_few_tokens_after_the_budget_are_not_compared():
    (sentence,) = sentences_forgetting.notices(comparison({}), replace(SETTING, budget=LONG - 10))
    assert "9 tokens are predicted" in sentence
    assert len(sentences_forgetting.notices(comparison({}), SETTING)) == 6


@pytest.mark.usefixtures("tiny")
def test_runs_are_computed_once_for_all_visitors_and_report_tokens():
    setting = Setting("gpt-books-long", TEXT, 64, 16, 0.5)
    seen = []
    first = compute_forgetting.compared(setting, lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (5 * 2 * 64, 5 * 2 * 64)
    again = compute_forgetting.compared(setting, no_progress)
    assert all(again.runs[name] is first.runs[name] for name in RULES)


def test_the_figure_draws_the_difference_or_the_losses_and_a_gap_nowhere():
    full, losses = np.full(300, 4.0), {"Window": np.full(300, 4.5)}
    look = Look(LIGHT)
    rises = along_the_text(full, losses, budget=64, rises=True, look=look)
    assert {line.name: round(float(np.mean(line.y)), 6) for line in rises.data} == {"Full cache": 0.0, "Window": 0.5}
    plain = along_the_text(full, losses, budget=64, rises=False, look=look)
    assert {line.name: round(float(np.mean(line.y)), 6) for line in plain.data} == {"Full cache": 4.0, "Window": 4.5}


def test_the_map_draws_cells_and_stands_a_head_that_loses_nothing():
    model = family("gpt")
    full = keep_everything(model, cut(model, 60))
    steps = Window().dropped(torch.zeros(1, 1, 60, 4), torch.zeros(1, 60, 4), 16)[0]
    for dropped in (steps, torch.full((60,), 60)):
        cells = kept_map(full.layers[0], 0, dropped, 20)
        figure = map_of_kept(cells, step=30, look=Look(LIGHT))
        entries, lost = (np.array(trace.z, dtype=float) for trace in figure.data)
        assert np.nanmax(entries) == 1
        np.testing.assert_allclose(np.nansum(lost), float(cells.lost_attention.nansum()), atol=1e-2)
        assert figure.data[1].zmax > 0


def test_the_text_of_a_cache_marks_every_token_and_shows_markup_as_text():
    labels = ["The", " old", "\n", " man", "]*b*"]
    marked = cached_text(labels, np.array([True, True, False, False, True]))
    assert marked.count(":blue-background[") == 2
    assert marked.count(":gray[") == 1
    assert "\n" not in marked
    assert "\\]\\*b\\*" in marked
