"""What is said to be worth noticing is true of the patterns that are shown."""

import pytest
import torch

from core.images import Patches
from dashboard.notices import notice_picture, notice_text
from tests.dashboard.watched import record_of, tokens_of

TEXT = tokens_of("zero one two three four five six seven")
COUNT = len(TEXT)
UNIFORM = torch.full((COUNT, COUNT), 1 / COUNT)
PREVIOUS = torch.eye(COUNT).roll(-1, dims=1)
FIRST = torch.eye(COUNT)[[0] * COUNT]


def one_far_link(query: int, key: int, strength: float) -> torch.Tensor:
    pattern = UNIFORM.clone()
    pattern[query] = (1 - strength) / (COUNT - 1)
    pattern[query, key] = strength
    return pattern


def test_the_previous_token_head_is_found_and_named():
    notice = notice_text(record_of(torch.stack([UNIFORM, UNIFORM]), torch.stack([UNIFORM, PREVIOUS])), TEXT)
    assert "layer 1, head 1" in notice.sentences[0]
    assert "100%" in notice.sentences[0]
    assert "a previous-token head" in notice.sentences[0]


def test_a_weak_habit_is_not_called_a_head():
    notice = notice_text(record_of(UNIFORM[None]), TEXT)
    assert "12%" in notice.sentences[0]
    assert "previous-token head" not in notice.sentences[0]


def test_sinks_are_counted_or_denied():
    with_sinks = notice_text(record_of(torch.stack([FIRST, UNIFORM, FIRST])), TEXT)
    assert "2 of 3 heads" in with_sinks.sentences[1]
    assert "“zero”" in with_sinks.sentences[1]
    without = notice_text(record_of(torch.stack([UNIFORM, PREVIOUS])), TEXT)
    assert without.sentences[1].startswith("No head rests mainly on the first token")


def test_the_view_starts_with_the_strongest_link_across_a_distance():
    notice = notice_text(record_of(torch.stack([UNIFORM, one_far_link(7, 2, 0.75)])), TEXT)
    assert (notice.start.place, notice.start.query, notice.start.key) == ((0, 1), 7, 2)
    assert "“seven” gives 75% to “two”, 5 tokens away" in notice.sentences[2]


def test_links_between_neighbours_or_to_separators_are_not_far():
    text = tokens_of("zero one two three four five six seven")
    special = type(text)(text.ids, text.labels, (True, False, True, *(False,) * 5), text.words)
    notice = notice_text(record_of(torch.stack([PREVIOUS, one_far_link(7, 2, 0.9), one_far_link(6, 1, 0.4)])), special)
    assert (notice.start.query, notice.start.key) == (6, 1)


@pytest.mark.parametrize("text", ["one", "one two"])
def test_a_text_without_patterns_is_said_to_be_too_short(text):
    count = len(text.split())
    notice = notice_text(record_of(torch.full((1, count, count), 1 / count)), tokens_of(text))
    assert "too short" in notice.sentences[0]


def test_markup_in_a_token_is_not_markup_in_the_sentence():
    text = tokens_of("*zero* one two three four five six <b>seven</b>")
    notice = notice_text(record_of(one_far_link(7, 2, 0.75)[None]), text)
    assert r"\<b\>seven\<\/b\>" in notice.sentences[2].replace("/", r"\/")
    assert r"\*zero\*" in notice.sentences[1]


def test_near_and_far_heads_of_a_picture_are_told_by_their_distance():
    patches = Patches(3, 3)
    identity, uniform = torch.eye(9), torch.full((9, 9), 1 / 9)
    notice = notice_picture(record_of(torch.stack([uniform, identity])), patches)
    assert "**Layer 0, head 1** looks nearby, 0.0 patches away" in notice.sentences[0]
    places = torch.cartesian_prod(torch.arange(3.0), torch.arange(3.0))
    assert f"would reach {torch.cdist(places, places).mean():.1f}" in notice.sentences[0]


def test_the_class_token_s_strongest_look_is_given_by_row_and_column():
    patches = Patches(2, 3, ("class",))
    pattern = torch.full((7, 7), 1 / 7)
    pattern[0] = torch.tensor([0.1, 0.05, 0.05, 0.05, 0.05, 0.6, 0.1])
    notice = notice_picture(record_of(pattern[None]), patches)
    assert "keeps 10% of its attention for itself" in notice.sentences[1]
    assert "60%, in head 0: row 1, column 1" in notice.sentences[1]
    assert notice.start.query == 0


@pytest.mark.parametrize(
    ("prefix", "text"),
    [
        (("class",), "for itself; its"),
        (("class", "distilled"), "for itself and the other tokens without a place (distilled); its"),
        (("class", "register 1", "register 2"), "for itself and the other tokens without a place (2 registers); its"),
        (
            ("class", "distilled", "register 1"),
            "for itself and the other tokens without a place (distilled, 1 register); its",
        ),
    ],
)
def test_the_class_token_keeps_attention_for_the_prefix_tokens_that_there_are(prefix, text):
    count = 4 + len(prefix)
    notice = notice_picture(record_of(torch.full((1, count, count), 1 / count)), Patches(2, 2, prefix))
    assert f"keeps {len(prefix) / count:.0%} of its attention {text}" in notice.sentences[1]


def test_a_model_without_whole_attention_says_so():
    assert "No layer" in notice_picture(record_of(torch.full((1, 4, 4), 0.25)), Patches(3, 3)).sentences[0]
