"""Missing word / Tasks: the section, its address, bad input, and the claims of its sentences."""

import random
import re
from dataclasses import replace
from functools import partial

import pytest
import torch

from core.models.bert_tasks import TAGS
from core.probing.fine_tuning.attention_shift import Shares
from core.probing.fine_tuning.frequent_tags import TagCount
from core.probing.fine_tuning.task_predictions import TaskPredictions
from core.probing.masked_words.words import Word
from core.results.bert_tasks_results import Results, Variant
from core.text import Tokens
from dashboard.theme import HUES
from pages.language.missing_word import compute_tasks, tasks
from pages.language.missing_word.tasks_measured import compared, said_table, tag_by_tag
from pages.language.missing_word.tasks_sentences import (
    TAG_NAMES,
    about_all_heads,
    about_measured,
    about_moved,
    about_shares,
    about_tags,
    about_verdict,
    log_odds,
)
from tests.pages.conftest import check, message_text, prose

PAGE = "language/missing_word"

open_section = partial(dict, show="Tasks")


def test_the_section_is_alive_at_once_and_claims_what_the_model_says(visit):
    app = visit(PAGE, **open_section())
    assert not app.warning
    comparison = compute_tasks.look(tasks.SENTENCE)
    layer, head = divmod(int(comparison.moved.argmax()), comparison.moved.shape[1])
    assert (app.number_input(key="tasks_layer").value, app.number_input(key="tasks_head").value) == (layer, head)
    assert f"**Layer {layer}, head {head}** moved most" in prose(app)
    assert f"with a probability of {max(comparison.predictions.sentiment.tolist()):.1%}" in prose(app)
    assert f"{len(comparison.predictions.words)} words" in prose(app)


def test_a_link_holds_sentence_word_row_and_head(visit):
    query = {"tasks_text": "They can fish.", "tasks_word": "1", "tasks_layer": "1", "tasks_head": "2"}
    app = visit(PAGE, **open_section(**query))
    assert app.text_input(key="tasks_text").value == "They can fish."
    assert "Layer 1, head 2, the row of “can”" in prose(app)
    app = visit(PAGE, **open_section(**query, tasks_of=tasks.VERDICT))
    assert "Layer 1, head 2, the row of [CLS]" in prose(app)


def test_an_example_is_taken_by_a_click(visit):
    app = visit(PAGE, **open_section())
    check(app.button_group(key="tasks_text_example").set_value("Not good").run())
    assert app.text_input(key="tasks_text").value == tasks.EXAMPLES["Not good"]


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_sentence_is_one_sentence(visit, text):
    app = visit(PAGE, **open_section())
    check(app.text_input(key="tasks_text").set_value(text).run())
    assert "There is no text here yet" in message_text(app)


def test_a_long_text_is_cut_and_that_is_said(visit):
    app = visit(PAGE, **open_section(tasks_text="The old man the boats. " * 60, tasks_word="500"))
    assert "This text is longer than the model can read at once" in message_text(app)
    assert "The address names word 500" in message_text(app)


@pytest.mark.parametrize("text", ["😀", "مرحبا بالعالم", "<b>x</b> **y** $z$", "[SEP] [MASK]", "\u200b", "¶"])
def test_odd_sentences_are_read_like_any_other(visit, text):
    assert not visit(PAGE, **open_section(tasks_text=text, tasks_word="x")).warning


def test_without_the_weights_one_sentence_says_how_to_get_them(visit, tmp_path, monkeypatch):
    from core.zoo import embedded
    from dashboard.cache import memo

    for folder in embedded.WEIGHTS.iterdir():
        if folder.name != "bert-tasks":
            (tmp_path / folder.name).symlink_to(folder)
    monkeypatch.setattr(embedded, "WEIGHTS", tmp_path)
    memo.clear()
    try:
        app = visit(PAGE, **open_section())
    finally:
        memo.clear()
    assert "make train-bert-tasks" in message_text(app)


def test_every_tag_has_a_name_a_group_and_a_colour():
    grouped = [tag for tags in tasks.GROUPS.values() for tag in tags]
    assert sorted(grouped) == sorted(TAGS) == sorted(TAG_NAMES)
    assert len(tasks.GROUPS) <= len(HUES) + 1


# What the sentences claim.


def said_of(texts: list[str], seed: int = 0) -> TaskPredictions:
    generator = torch.Generator().manual_seed(seed)
    words = tuple(Word(number, f" {text}", (number + 1,)) for number, text in enumerate(texts))
    labels = ("[CLS]", *(word.label for word in words), "[SEP]")
    special = (True, *(False for _ in words), True)
    numbers = (None, *range(len(words)), None)
    tokens = Tokens(tuple(range(len(labels))), labels, special, numbers)
    tags = (3 * torch.randn(len(words), len(TAGS), generator=generator)).softmax(dim=-1)
    return TaskPredictions(tokens, words, tags, torch.randn(2, generator=generator).softmax(dim=-1))


@pytest.mark.parametrize("seed", range(5))
def test_words_whose_tag_differs_are_counted_and_named(seed):
    dice, texts = random.Random(seed), [f"w{number}" for number in range(9)]
    predictions = said_of(texts, seed)
    usual = [dice.choice([None, TagCount(dice.choice(TAGS), 3, 4)]) for _ in texts]
    sentence = about_tags(predictions, usual).replace("\\", "")
    best = [max(zip(row.tolist(), TAGS, strict=True))[1] for row in predictions.tags]
    other = [
        word for word, tag, tag_count in zip(texts, best, usual, strict=True) if tag_count and tag_count.tag != tag
    ]
    known = len(usual) - usual.count(None)
    assert f"**{len(other)} of 9 words** ha" in sentence
    assert f"which has {known} of them" in sentence
    assert re.findall(r"“(w\d)” is", sentence) == other[:3]
    assert (f"and {len(other) - 3} more" in sentence) == (len(other) > 3)
    least = min(range(9), key=lambda place: max(predictions.tags[place].tolist()))
    assert f"least sure of “w{least}”: {best[least]} with" in sentence


@pytest.mark.parametrize(("odds", "phrase"), [(0.9949, "least sure of “b”"), (0.9961, "no tag has less than 99.6%")])
def test_nobody_is_told_of_a_doubt_that_would_be_printed_as_none(odds, phrase):
    predictions = said_of(["a", "b"])
    sure = torch.full((2, len(TAGS)), 0.0)
    sure[0, 3], sure[1, 5], sure[1, 6] = 1.0, odds, 1 - odds
    assert phrase in about_tags(replace(predictions, tags=sure), [None, None])


def test_a_text_without_a_word_has_no_tags():
    assert "no word" in about_tags(said_of([]), [])


@pytest.mark.parametrize("positive", [0.02, 0.45, 0.5, 0.58, 0.97])
def test_the_verdict_is_the_more_probable_one(positive):
    predictions = TaskPredictions(
        said_of(["a"]).tokens, (), torch.zeros(0, len(TAGS)), torch.tensor([1 - positive, positive])
    )
    sentence = about_verdict(predictions)
    assert f"**{'positive' if positive >= 0.5 else 'negative'}**" in sentence
    assert f"{max(positive, 1 - positive):.1%}" in sentence
    assert ("close to undecided" in sentence) == (0.4 < positive < 0.6)
    assert 1 / (1 + 2.718281828459045 ** -log_odds(predictions)) == pytest.approx(positive, rel=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_the_head_that_moved_most_is_named_and_the_last_layers_are_compared(seed):
    moved = torch.rand(5, 3, generator=torch.Generator().manual_seed(seed))
    if seed == 3:
        moved = moved.flip(0).clone()
    sentence = about_moved(moved)
    cells = {(layer, head): float(moved[layer, head]) for layer in range(5) for head in range(3)}
    most, least = max(cells, key=cells.get), min(cells, key=cells.get)
    assert f"**Layer {most[0]}, head {most[1]}** moved most: {cells[most]:.0%}" in sentence
    assert f"layer {least[0]}, head {least[1]} ({cells[least]:.0%})" in sentence
    last = sum(value for (layer, _), value in cells.items() if layer >= 3) / 6
    others = sum(value for (layer, _), value in cells.items() if layer < 3) / 9
    assert f"moved {last:.0%}" in sentence
    assert ("**more than**" in sentence) == (last > others + 0.01)
    assert ("**less than**" in sentence) == (last < others - 0.01)


def test_heads_that_moved_alike_are_not_ranked():
    assert "moved most" not in about_moved(torch.full((4, 2), 0.3))
    assert "moved most" not in about_moved(torch.zeros(1, 1))
    even = torch.full((4, 2), 0.3)
    even[0, 0], even[3, 1] = 0.5, 0.5
    assert "**about as much as** the others" in about_moved(even)


def test_two_layers_are_not_compared_with_none():
    assert "last two layers" not in about_moved(torch.rand(2, 2, generator=torch.Generator().manual_seed(0)))


def test_the_shares_of_a_row_are_told_before_and_after():
    before, after = Shares(0.1, 0.2, 0.3, 0.4), Shares(0.05, 0.25, 0.1, 0.6)
    sentence = about_shares("“book”", (1, 2), before, after, 0.25).replace("\\", "")
    assert "Layer 1, head 2, the row of “book”" in sentence
    assert "itself 10% → 5%, [CLS] 20% → 25%, [SEP] 30% → 10%, the rest 40% → 60%" in sentence
    assert "**25%**" in sentence
    assert "[CLS] 0%" not in about_shares("[CLS]", (0, 0), before, after, 0.1).replace("\\", "")


def test_over_all_heads_the_mean_is_told():
    before = [Shares(0.1, 0.0, 0.2, 0.7), Shares(0.3, 0.0, 0.4, 0.3)]
    after = [Shares(0.2, 0.0, 0.1, 0.7), Shares(0.2, 0.0, 0.1, 0.7)]
    assert "falls from 30% to 10%" in about_all_heads("[CLS]", before, after)
    assert "itself stays at about 20%" in about_all_heads("[CLS]", before, after)
    assert "rises from 10% to 30%" in about_all_heads("[CLS]", after, before)
    assert "stays at about 30%" in about_all_heads("[CLS]", before, before)


def results_of(*names: str) -> Results:
    by_tag = {"NOUN": 0.9, "VERB": 0.8}
    variants = {name: Variant(0.9 - n / 10, 0.8 - n / 10, 0.7, by_tag) for n, name in enumerate(names)}
    return Results(variants, 0.84, {"NOUN": 0.7, "VERB": 0.6}, {"NOUN": 30, "VERB": 10}, 0.51, 0.79, 40, 8, 100, 50)


def test_what_was_measured_is_told_with_its_baselines():
    sentence = about_measured(results_of("tuned", "frozen", "scratch"))
    for part in ("**90.0%** of the tags", "**80.0%** of the sentiments", "84.0%", "79.0%", "encoder: 80.0% and 70.0%"):
        assert part in sentence
    assert "from scratch: 70.0% and 60.0%" in sentence
    assert "scratch" not in about_measured(results_of("tuned"))
    # Two standard errors of a difference of two shares: 90 % of 40 words, 80 % of 8 sentences.
    assert f"{200 * (2 * 0.9 * 0.1 / 40) ** 0.5:.1f} points of tags" in sentence
    assert f"{200 * (2 * 0.8 * 0.2 / 8) ** 0.5:.1f} points of sentiments" in sentence
    table = compared(results_of("tuned", "frozen"))
    assert table["tags right"].dropna().tolist() == [0.9, 0.8, 0.84]
    assert table["verdicts right"].dropna().tolist() == pytest.approx([0.8, 0.7, 0.79, 0.51])
    assert tag_by_tag(results_of("tuned")).to_dict("list")["words"] == [30, 10]


def test_the_table_of_a_sentence_has_a_row_a_word():
    predictions = said_of(["book", "it"])
    table = said_table(predictions, [TagCount("NOUN", 90, 95), None])
    assert table["word"].tolist() == ["book", "it"]
    assert table["probability"].tolist() == pytest.approx(predictions.tags.max(dim=-1).values.tolist())
    assert table["times"].tolist()[0] == 90
