"""What lessons say of a book is what its maps and its losses say, computed densely with a tiny model."""

import math
from dataclasses import replace

import pytest
import torch

from core.errors import InputError
from core.long_context import LongReading, read
from core.long_context.distances import sampled_rows
from core.long_context.removal import RemovedFar, RemovedLink, losses_without
from core.text import encode
from dashboard.cache import memo
from dashboard.lessons.readings import READINGS, answers, long_texts
from dashboard.long_text.books import BOOKS, book_text
from tests.core.tiny_long_models import family

BOOK, TOKENS = next(iter(BOOKS)), 200
FARTHER = TOKENS // long_texts.FAR


@pytest.fixture(autouse=True)
def model(monkeypatch):
    """A random model with rotary positions in place of the one that comes along."""
    tiny = family("rotary")
    monkeypatch.setattr(long_texts, "book_model", lambda name: replace(tiny, name=name))
    memo.clear()
    yield tiny
    memo.clear()


@pytest.fixture
def reading(model) -> LongReading:
    text = LongReading(encode(model.tokenizer, book_text(BOOK), context=TOKENS))
    read(model, text)
    return text


def maps(reading):
    """Layer, head and the dense map of each head."""
    return {
        (number, head): layer.head(head).weights(slice(None), slice(None)).double()
        for number, layer in enumerate(reading.layers)
        for head in range(layer.place.heads)
    }


def test_all_maps_would_take_more_than_what_is_kept_by_the_ratio_of_their_bytes(reading):
    answer = READINGS["smaller_than_maps"](BOOK, TOKENS)
    dense = sum(4 * weights.numel() for weights in maps(reading).values())
    assert answer.value == pytest.approx(dense / reading.bytes)
    assert answer.words["links"].replace(",", "") == str(int(torch.ones(TOKENS, TOKENS).tril().sum()))


def test_the_farthest_head_and_the_first_token_are_measured_on_the_sampled_rows(reading):
    rows = sampled_rows(TOKENS)
    apart = (torch.arange(TOKENS)[:, None] - torch.arange(TOKENS)).double()[rows, 1:]
    means, first = {}, {}
    for place, weights in maps(reading).items():
        rest = weights[rows, 1:]
        means[place] = float(((rest * apart).sum(1) / rest.sum(1).clamp(min=1e-12)).mean())
        first[place] = float(weights[rows, 0].mean())
    answer = READINGS["farthest_head"](BOOK, TOKENS)
    assert answer.value == pytest.approx(max(means.values()), rel=1e-3)
    assert means[int(answer.words["layer"]), int(answer.words["head"])] == max(means.values())
    assert READINGS["rests_on_first"](BOOK, TOKENS).value == pytest.approx(100 * max(first.values()), rel=1e-3)


@pytest.mark.parametrize(
    ("difference", "error", "phrase"),
    [(1.0, 0.4, "more"), (-1.0, 0.4, "less"), (1.0, 0.6, "equal"), (0.0, 0.0, "equal"), (1.0, math.nan, "equal")],
)
def test_a_comparison_has_a_margin(difference, error, phrase):
    assert long_texts._compared(difference, error, ("more", "less", "equal")) == phrase


def test_far_links_are_counted_by_where_they_lead(reading):
    answer = READINGS["far_links_lead_to"](BOOK, TOKENS, layer=1, head=2)
    weights = maps(reading)[1, 2].tril(-FARTHER - 1)
    weights[:, 0] = 0
    order = weights.flatten().topk(long_texts.LINKS).indices.tolist()
    ids = reading.tokens.ids
    same = sum(ids[place // TOKENS] == ids[place % TOKENS] for place in order)
    after = sum(
        ids[place // TOKENS] == ids[place % TOKENS - 1] and ids[place // TOKENS] != ids[place % TOKENS]
        for place in order
    )
    expected = [same, after, len(order) - same - after]
    assert list(answer.values.values()) == pytest.approx([count / len(order) for count in expected])


def test_what_a_link_is_worth_is_the_difference_of_two_runs_at_the_next_token(model, reading):
    answer = READINGS["missed_link"](BOOK, TOKENS, layer=1, head=2)
    weights = maps(reading)[1, 2].tril(-FARTHER - 1)
    weights[:, 0] = 0
    weights[: FARTHER + 3] = weights[-1] = 0
    query, key = divmod(int(weights.argmax()), TOKENS)
    plain, without = (
        losses_without(model, reading.tokens, removal)[query] for removal in (None, RemovedLink(1, 2, query, key))
    )
    assert answer.values[long_texts.FAR_LINK] == pytest.approx(float(without - plain), abs=long_texts.LEAST)
    assert answer.words["weight"] == answers.percent(float(weights[query, key]))


def test_the_loss_beyond_a_length_is_that_of_the_later_tokens(model, reading):
    answer = READINGS["loss_beyond"](BOOK, TOKENS, length=120)
    losses = losses_without(model, reading.tokens, None)  # entry 0 is the loss of token 1
    assert answer.value == pytest.approx(float(losses[119:].mean()), rel=1e-5)
    more = losses_without(model, reading.tokens, RemovedFar(long_texts.NARROW))[119:] - losses[119:]
    is_clear = abs(float(more.mean())) > 2 * float(more.std()) / math.sqrt(len(more))
    assert ("bits" in answer.words["narrow cost"]) == is_clear
    assert answer.words["wide cost"] == "no measurable difference"  # no token is so far from another one


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(InputError, match="There is no book"):
        READINGS["farthest_head"]("../secret", TOKENS)
    with pytest.raises(InputError, match="no head 9"):
        READINGS["missed_link"](BOOK, TOKENS, layer=0, head=9)
    with pytest.raises(InputError, match="shorter than the text"):
        READINGS["loss_beyond"](BOOK, TOKENS, length=TOKENS)
