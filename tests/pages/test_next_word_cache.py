"""Next word, Cache: the section opens, and what it says is true of what was read, measured and counted."""

import random
import re

import pytest
import torch

from core.costs.one_pass import Cost
from core.generation.shared_heads import CacheShape, cache_bytes
from core.generation.step_costs import WITH_CACHE, WITHOUT_CACHE, StepCosts
from core.generation.stepping import Step, SteppedReading, read_in_steps
from core.models.gpt import GPT, GPTConfig
from dashboard.theme import DARK, LIGHT, Look
from pages.language.next_word import cache, cache_heads, compute_cache
from tests.core.saved_models import save_text_model
from tests.pages.conftest import message_text, prose

ROOM = "language/next_word"


def numbers(sentence: str) -> list[int]:
    """The whole numbers of a sentence, in order."""
    return [int(digits.replace(",", "")) for digits in re.findall(r"\d[\d,]*", sentence)]


def test_the_section_opens_and_says_what_a_step_computes(visit):
    app = visit(ROOM, show="Cache")
    assert "rows** of q, k and v are computed" in prose(app)
    assert "How it is computed" in [heading.value for heading in app.subheader]
    assert cache.SECTION.text("Not measured") in prose(app)


def test_the_address_holds_prompt_token_window_and_famous_length(visit):
    app = visit(
        ROOM,
        show="Cache",
        text="The sea was calm and the boat was small.",
        cache_prompt="3",
        cache_token="5",
        cache_window="32",
        cache_tokens="1024",
        cache_precision="fp32",
    )
    assert "5" in prose(app)
    assert "18 rows" in prose(app)  # one token, 3 rows in each of 6 layers
    assert "the boat" not in message_text(app)
    assert app.slider(key="cache_prompt").value == 3
    assert app.select_slider(key="cache_window").value == 32


def test_a_shorter_text_than_the_address_meant_starts_anew(visit):
    app = visit(ROOM, show="Cache", text="The sea was calm and the boat was small.", cache_token="9")
    app.text_area(key="text").set_value("The sea").run()
    assert not app.exception
    assert "rows**" in prose(app)


@pytest.mark.parametrize(
    ("text", "sentence"), [("a", "A step needs a token before it"), (" ", "There is no text here yet")]
)
def test_a_text_without_a_step_gets_one_sentence(visit, text, sentence):
    app = visit(ROOM, show="Cache", text=text)
    assert sentence in message_text(app)
    assert len(app.warning) == 1


@pytest.mark.usefixtures("at_home")
def test_a_named_model_has_a_cache_too(visit, tmp_path):
    app = visit(ROOM, show="Cache", model=str(save_text_model("llama", tmp_path)), text="The quick brown fox")
    assert "by count and by the formula alike" in prose(app)


@pytest.mark.usefixtures("at_home")
def test_a_bert_is_sent_to_the_other_page(visit, tmp_path):
    app = visit(ROOM, show="Cache", model=str(save_text_model("bert", tmp_path)))
    assert "does not say what comes next" in message_text(app)


def reading(prompt: int, length: int, layers: int) -> SteppedReading:
    torch.manual_seed(length)
    network = GPT(GPTConfig(vocabulary=50, context=32, width=16, layers=layers, heads=2)).eval()
    return read_in_steps(network, torch.randint(50, (length,)).tolist(), prompt=prompt)


@pytest.mark.parametrize(("prompt", "length", "layers"), [(1, 2, 1), (3, 9, 2), (5, 5, 4), (1, 20, 3)])
def test_sentences_about_steps_count_what_the_recorder_saw(prompt, length, layers):
    read, labels = reading(prompt, length, layers), [f"<b>{place}" for place in range(length)]
    for step in read.steps:
        new, before = step.last - step.first, step.first
        counted = numbers(cache.about_step(step, labels[step.last - 1]).replace("\\", "").split("**", 1)[1])
        expected = [3 * layers * new, *([2 * layers * before] if before else []), 3 * layers * step.last]
        assert counted == expected
    rows, anew = numbers(cache.about_whole(read).split("rows")[0])[-1], 3 * layers * sum(s.last for s in read.steps)
    assert rows == 3 * layers * length
    assert f"{anew:,}" in cache.about_whole(read)
    assert ("times as many" in cache.about_whole(read)) == (anew > rows)
    table = cache.table_of(read, labels)
    assert table["rows computed"].sum() == rows
    assert "".join(table["tokens read"]) == "".join(labels)


def test_a_visitors_token_is_text():
    step = reading(1, 2, 1).steps[1]
    assert r"\<b\>1" in cache.about_step(step, "<b>1")


def test_bytes_are_said_to_agree_only_where_they_do():
    step = Step(3, 4, (1, 1), (4, 4), 2 * 2 * 2 * 8 * 4 * 4)
    heads = CacheShape(2, 4, 2, 8)
    assert cache_bytes(heads, 4, 4) == step.bytes
    assert "by the formula alike" in cache.about_bytes(step, heads)
    assert "alike" not in (other := cache.about_bytes(step, CacheShape(2, 4, 4, 8)))
    assert "**1.02 kB** by count and 2.05 kB by the formula" in other
    assert "no formula" in cache.about_bytes(step, None)


@pytest.mark.parametrize("seed", range(5))
def test_sentences_about_costs_are_ratios_of_what_was_measured(seed):
    draw = random.Random(seed)
    lengths = (16, 64, 256)
    costs = [
        Cost(way, n, draw.uniform(0.001, 0.1), 5, draw.randint(1, 10**7))
        for way in (WITH_CACHE, WITHOUT_CACHE)
        for n in lengths
    ]
    step_costs = StepCosts(tuple(costs), {n: n * 1000 for n in lengths})
    seconds = {(cost.name, cost.tokens): cost.seconds for cost in costs}
    first, second = cache.about_costs(step_costs)
    ratio = seconds[WITHOUT_CACHE, 256] / seconds[WITH_CACHE, 256]
    if 1 / 1.1 < ratio < 1.1:
        assert "about as long" in first
    else:
        assert f"{ratio:.1f} times as long" in first if ratio >= 1 else f"slower, {1 / ratio:.1f} times" in first
    assert f"{seconds[WITH_CACHE, 256] / seconds[WITH_CACHE, 16]:.1f} times as long as one at 16 with" in second
    assert f"{seconds[WITHOUT_CACHE, 256] / seconds[WITHOUT_CACHE, 16]:.1f} times as long without" in second
    assert "from 16 kB to 256 kB" in second
    assert cache.about_costs(None) == (cache.SECTION.text("Not measured"),)


@pytest.mark.parametrize(
    ("cached", "anew", "says"),
    [(10.0, 10.5, "about as long"), (10.0, 9.5, "about as long"), (10.0, 30.0, "3.0 times as long")],
)
def test_times_within_the_noise_of_the_machine_are_alike(cached, anew, says):
    costs = (Cost(WITH_CACHE, 64, cached, 5, 10), Cost(WITHOUT_CACHE, 64, anew, 5, 10))
    (sentence,) = cache.about_costs(StepCosts(costs, {64: 1000}))  # of one length there is no growth
    assert says in sentence


def small_counts(window: int):
    models = compute_cache.small_models(window)
    return models, {name: compute_cache.counted(heads) for name, heads in models.items()}


@pytest.mark.parametrize("window", [16, 128])
def test_what_running_models_hold_is_said_with_the_formula(window):
    models, counts = small_counts(window)
    agree, saved = cache_heads.about_counts(models, counts)
    assert numbers(agree)[0] == len(models) * len(compute_cache.LENGTHS) == 28
    assert "agree to the byte" in agree
    last = {name: count[-1] for name, count in counts.items()}
    smallest = min(last, key=last.__getitem__)
    assert f"**{smallest.lower()}**" in saved
    assert smallest == (compute_cache.WINDOWED if window == 16 else "Multi-query")
    assert f"holds 1/{max(last.values()) // last[smallest]} of what" in saved
    table = cache_heads.counts_table(models, counts)
    assert (table["bytes by formula"] == table["bytes counted"]).all()
    assert "as much" in cache_heads.about_counts(models, dict.fromkeys(counts, (1,) * len(compute_cache.LENGTHS)))[1]


def test_a_difference_between_formula_and_count_is_said():
    models, counts = small_counts(16)
    wrong = {**counts, "Multi-query": (1, *counts["Multi-query"][1:])}
    assert "differ in 1 of 28" in cache_heads.about_counts(models, wrong)[0]


def test_famous_caches_follow_from_the_published_shapes():
    rows = cache_heads.famous_rows(1000, 2)
    for _, row in rows.iterrows():
        length = min(1000, row["window"] or 1000)
        assert row["bytes of the cache"] == row["bytes a token"] * length
        assert (
            row["bytes, if no head shared"] * row["heads of keys and values"]
            == row["bytes of the cache"] * row["heads"]
        )
    by_model = rows.set_index("model")
    assert by_model.loc["GPT-3 175B", "bytes a token"] == 2 * 96 * 96 * 128 * 2
    sentence = cache_heads.about_famous(rows)
    assert "GPT-3 175B" in sentence
    assert "Gemma 2B" in sentence
    assert rows["bytes a token"].idxmax() == rows.index[rows["model"] == "GPT-3 175B"][0]


@pytest.mark.parametrize("look", [Look(LIGHT), Look(DARK, letters=20, presented=True)])
def test_figures_hold_every_model(look):
    models, counts = small_counts(16)
    figure = cache_heads.bytes_against_length(models, counts, look=look)
    assert {trace.name for trace in figure.data} == set(models)
    bars = cache_heads.famous_bars(cache_heads.famous_rows(), look=look)
    assert all(len(trace.y) == len(cache_heads.famous_rows()) for trace in bars.data)
