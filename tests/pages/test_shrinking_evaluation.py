"""What all sections of Shrinking share: the networks, what is said beside the whole one, and bad input."""

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.results.shrinking import Variant
from pages.scale.shrinking.evaluation import (
    about_answer,
    about_doubt,
    about_moved,
    about_size,
    about_small_losses,
    lost_in_words,
    quality_of,
)
from pages.scale.shrinking.inputs import OTHER_TEXT, SENTIMENTS
from pages.scale.shrinking.prose import PAGE as PROSE
from tests.core.saved_models import save_text_model
from tests.pages.conftest import check, message_text, prose

PAGE = "scale/shrinking"
SECTIONS = ("Heads", "Weights", "Bits")

CHANCES = st.lists(st.integers(1, 100), min_size=3, max_size=3, unique=True).map(
    lambda counts: torch.tensor(counts) / sum(counts)
)


@given(CHANCES, CHANCES)
def test_the_first_answer_stays_where_it_is_the_same_and_moved_mass_is_what_was_gained(before, after):
    comparison = SimpleNamespace(answers=("a", "b", "c"), before=before, after=after, written=None)
    old, new = (max(range(3), key=lambda place: probabilities[place]) for probabilities in (before, after))
    sentence = about_answer(comparison)
    assert ("stays" in sentence) == (old == new)
    assert f"**“{'abc'[new]}”**" in sentence
    gained = sum(max(0.0, float(new - old)) for old, new in zip(before, after, strict=True))
    assert float(about_moved(comparison).split("In all, **")[1].split("%")[0]) == pytest.approx(100 * gained, abs=0.051)


def test_what_a_translator_writes_is_compared_as_a_whole():
    comparison = SimpleNamespace(written=("un", "un"), before=torch.ones(1), after=torch.ones(1))
    assert "**the same**" in about_answer(comparison)
    assert "of the first word " in about_moved(comparison)
    comparison.written = ("un", "une")
    assert "**another one**" in about_answer(comparison)


def test_sizes_are_shares_and_times_as_they_were_taken():
    comparison = SimpleNamespace(parameters=(200, 150), milliseconds=(4.0, 3.0))
    assert about_size(comparison, "Much is gone") == (
        "Much is gone: **75%** of the parameters are left, and one pass takes 3.0 instead of 4.0 ms."
    )


def row(quality: float, measure: str, questions: int = 872) -> Variant:
    return Variant("bert-tasks", "whole", 10, 40, 1.0, 2.0, quality, measure, questions)


@given(st.floats(0.01, 0.99), st.integers(10, 10_000))
def test_only_a_share_has_a_standard_error_and_it_is_the_binomial_one(quality, questions):
    expected = 100 * (quality * (1 - quality) / questions) ** 0.5
    assert f"is {expected:.1f} points ({questions:,} questions)" in about_doubt(row(quality, "accuracy", questions))
    sentence = about_small_losses(row(quality, "accuracy", questions))
    margin = 2 * 2**0.5 * expected / 100
    for loss in (0.01, 0.05):
        if abs(loss * quality - margin) > 1e-9:
            assert (f"{loss:.0%}" in sentence) == (loss * quality < margin)
    assert about_small_losses(row(quality, "bits")) == ""
    assert about_doubt(row(quality, "bits")) == about_doubt(row(quality, "BLEU")) == ""


@pytest.mark.parametrize(
    ("quality", "measure", "says"),
    [
        (0.45, "accuracy", "cost **10.0%** of the quality"),
        (0.55, "accuracy", "cost nothing: the quality is 10.0% better"),
        (0.5, "accuracy", "cost nothing"),
        (0.55, "bits", "cost **10.0%** more bits a token"),
    ],
)
def test_a_loss_has_a_sign_and_none_has_none(quality, measure, says):
    assert lost_in_words(row(quality, measure), row(0.5, measure)) == says


def test_qualities_are_written_with_their_measure():
    assert [quality_of(row(0.5, measure)) for measure in ("accuracy", "bits", "BLEU")] == [
        "50.0% right",
        "0.500 bits a token",
        "0.5 BLEU",
    ]


@pytest.mark.parametrize("section", SECTIONS)
def test_an_empty_sentence_gets_a_sentence_and_another_one_works_after_it(visit, section):
    app = visit(PAGE, show=section, shrunk=SENTIMENTS)
    app.text_input(key="sentence").set_value(" ").run()
    assert not app.exception
    assert [*app.error, *app.warning]
    check(app.text_input(key="sentence").set_value("The dog slept by the door.").run())
    assert "of the probability has moved" in prose(app)


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("kind", ["gpt2", "bert-classifier", "roberta"])
@pytest.mark.usefixtures("at_home")
def test_any_model_by_folder_is_asked_and_has_no_curves(visit, tmp_path, section, kind):
    folder = save_text_model(kind, tmp_path / kind)
    sentence = "Who <mask> to whom?" if kind == "roberta" else "Who listens to whom?"
    app = visit(PAGE, show=section, shrunk=OTHER_TEXT, model=str(folder), sentence=sentence)
    assert "of the probability has moved" in prose(check(app))
    assert PROSE.text("Networks without measurements") in message_text(app)


@pytest.mark.usefixtures("at_home")
def test_a_masked_model_wants_a_gap_and_one_that_writes_or_says_nothing_is_refused(visit, tmp_path):
    for kind, expected in (
        ("bert", "Write [MASK] in place of"),
        ("t5", "writes another"),
        ("bert-headless", "without an output head"),
    ):
        app = visit(PAGE, show="Bits", shrunk=OTHER_TEXT, model=str(save_text_model(kind, tmp_path / kind)))
        messages = " ".join(message.value for message in [*app.error, *app.warning]).replace("\\", "")
        assert expected in messages, (kind, messages)


@pytest.mark.usefixtures("at_home")
def test_heads_that_share_keys_get_a_sentence(visit, tmp_path):
    app = visit(PAGE, show="Heads", shrunk=OTHER_TEXT, model=str(save_text_model("llama", tmp_path / "llama")))
    messages = " ".join(message.value for message in [*app.error, *app.warning])
    assert "keeps its heads in a way that is not known here" in messages
