"""The page Long text: how far heads look, and what is said of it, with a tiny model."""

import math
import re
from dataclasses import replace

import pytest
import torch

from core.errors import InputError
from core.long_context.distances import Distances
from core.long_context.removal import RemovedLink, losses_without
from dashboard.cache import memo
from dashboard.long_text import readings
from dashboard.long_text.books import BOOKS, book_text
from dashboard.long_text.open_reading import OpenReading
from pages.explore.long_text import compute, how_far, inputs, matters
from tests.core.tiny_long_models import family
from tests.pages.conftest import check, message_text, prose

PAGE = "explore/long_text"
TEXT = "I\n\n" + "The sea sees me and I see the sea. " * 40


@pytest.fixture(autouse=True)
def tiny_model(monkeypatch):
    """A random model with rotary positions in place of each that comes along."""
    model = family("rotary")
    for module in (readings, inputs, matters):
        monkeypatch.setattr(module, "book_model", lambda name: replace(model, name=name))
    memo.clear()
    yield
    memo.clear()


@pytest.fixture
def reading() -> OpenReading:
    opened = readings.open_reading("gpt-books-long", TEXT, inputs.FIRST_LENGTH)
    opened.wait()
    return opened


def test_the_table_of_heads_is_measured_on_the_maps(visit, reading):
    app = check(visit(PAGE, show="How far", book=inputs.OWN, text=TEXT))
    table = app.dataframe[0].value
    assert len(table) == 8
    assert table["mean distance"].is_monotonic_decreasing
    length = len(reading.tokens)
    apart = (torch.arange(length)[:, None] - torch.arange(length)).abs()
    layer, head = int(table["layer"].iloc[0]), int(table["head"].iloc[0])
    weights = reading.head(layer, head).weights(slice(None), slice(None))
    rows = weights[:, 1:]
    expected = float(((rows * apart[:, 1:]).sum(1) / rows.sum(1).clamp(min=1e-12)).mean())
    assert table["mean distance"].iloc[0] == pytest.approx(expected, abs=3 * table["standard error"].iloc[0])
    assert f"{table['mean distance'].iloc[0]:,.0f} tokens back" in prose(app)


def test_an_address_opens_its_head(visit, reading):
    app = check(visit(PAGE, show="How far", book=inputs.OWN, text=TEXT, layer="1", head="2"))
    measured = reading.distances[1][2]
    assert f"{measured.mean:,.1f} tokens on average" in prose(app)
    for outside in ({"layer": "7"}, {"layer": "x", "head": "1"}, {"head": "-1"}):
        check(visit(PAGE, show="How far", book=inputs.OWN, text=TEXT, **outside))


@pytest.mark.parametrize(("text", "sentence"), [("I", "2"), ("", "no text"), (" \n ", "no text")])
def test_a_text_without_links_is_refused(visit, text, sentence):
    app = visit(PAGE, show="How far", book=inputs.OWN, text=text)
    assert sentence in message_text(app)


def test_the_map_opens_with_the_first_book(visit):
    app = check(visit(PAGE))
    assert not app.error
    assert next(iter(BOOKS)) == "The Time Machine"
    for name in BOOKS:
        assert len(book_text(name)) > 150_000


def far(mean: float, error: float, first_token: float = 0.0) -> Distances:
    return Distances((0, 1), torch.tensor([0.5, 0.5]), first_token, mean, error, 0.0)


@pytest.mark.parametrize(
    ("means", "error", "certain"),
    [((30.0, 10.0), 1.0, True), ((11.0, 10.0), 1.0, False), ((11.0, 10.0), math.nan, False)],
)
def test_one_head_is_called_the_farthest_only_with_a_margin(reading, means, error, certain):
    reading.distances[:] = [tuple(far(mean, error) for mean in means)]
    (_, _, first), (_, _, second) = compute.by_distance(reading)
    assert (compute.lead(first, second) == "more") == certain
    sentence = compute.farthest_notice(reading)
    assert f"{means[0]:,.0f}" in sentence
    assert f"{means[1]:,.0f}" in sentence
    assert compute.first_token_notice(reading) is None
    reading.distances[:] = [(far(1.0, 1.0), far(1.0, 1.0, first_token=0.7))]
    assert "70%" in compute.first_token_notice(reading)


def test_losses_are_means_over_ranges_of_positions(reading):
    bits = torch.rand(3000)
    reading.reading.losses = bits
    parts = compute.losses(reading)
    assert [(part.first, part.last) for part in parts] == [(1, 256), (257, 1024), (1025, 2048), (2049, 3000)]
    assert parts[1].bits == pytest.approx(float(bits[256:1024].mean()))
    assert parts[1].error == pytest.approx(float(bits[256:1024].std()) / math.sqrt(768), rel=1e-4)
    assert list(how_far.loss_table(parts)["bits a token"]) == [part.bits for part in parts]


def part(bits: float, first: int) -> compute.Loss:
    return compute.Loss(first, first + 9, bits, 0.01)


def test_what_is_said_of_the_loss_has_a_margin():
    assert compute.loss_notice((part(3.0, 1),)) is None
    for bits, verdict in ((3.5, "more"), (3.01, "as much"), (2.5, "less"), (2.99, "as much")):
        assert compute.trend(part(bits, 11), part(3.0, 1)) == verdict
        sentence = compute.loss_notice((part(3.2, 1), part(3.0, 1), part(bits, 11)))
        assert re.findall(r"\d\.\d+", sentence) == [f"{bits:.2f}", "3.00"]
    assert compute.trend(compute.Loss(11, 11, 9.0, math.nan), part(3.0, 1)) == "unknown"


def test_classes_of_distances_are_named_without_gaps():
    assert how_far.class_labels((0, 1, 2, 4), 7) == ["0", "1", "2–3", "4–6"]
    assert [how_far.far_edge(length) for length in (2, 4, 15, 4096)] == [1, 1, 2, 1024]


def test_a_text_that_is_too_large_is_refused():
    with pytest.raises(InputError, match="2 MB"):
        inputs.read_text("a" * 2_000_001, largest=inputs.MEGABYTES * 10**6)


def test_what_a_link_is_worth_is_the_difference_of_two_runs(visit, reading):
    query = {"show": "Does it matter", "book": inputs.OWN, "text": TEXT, "layer": "0", "head": "1"}
    app = check(visit(PAGE, **query))
    table = app.dataframe[0].value
    distance = how_far.far_edge(len(reading.tokens))
    assert (table["tokens back"] > distance).all()
    assert table["weight"].is_monotonic_decreasing
    links = matters.far_links(reading, 0, 1, distance)
    weights = reading.head(0, 1).weights(slice(None), slice(None)).tril(-distance - 1)
    weights[:, 0] = 0
    assert links[0].weight == pytest.approx(float(weights.max()), rel=1e-4)

    worth = matters.worth_of(reading, 0, 1, links[0], distance)
    model = family("rotary")
    span = slice(links[0].query, links[0].query + matters.FOLLOWING)
    plain, without = (
        losses_without(model, reading.tokens, removal)[span].double()
        for removal in (None, RemovedLink(0, 1, links[0].query, links[0].key))
    )
    assert worth.tokens == len(plain)
    assert worth.bits == pytest.approx(float(plain.mean()))
    assert worth.changes[0].bits == pytest.approx(float((without - plain).mean()), abs=1e-9)
    app = check(visit(PAGE, **query))  # now it is measured
    assert len(app.get("plotly_chart")) == 1


def test_random_things_are_of_the_same_size_and_not_the_thing_itself(reading):
    link = matters.Link(len(reading.tokens) - 5, 20, 0.5)
    removals = matters.things_to_remove(reading, 0, 1, link, 32)
    assert removals == matters.things_to_remove(reading, 0, 1, link, 32)
    (sentence,) = removals[matters.SENTENCE]
    assert sentence.first <= link.key < sentence.stop
    for passage in removals[matters.RANDOM_SENTENCE]:
        assert passage.stop - passage.first == sentence.stop - sentence.first
        assert passage.stop <= sentence.first or passage.first >= sentence.stop
        assert passage.stop <= link.query
    keys = [removal.key for removal in removals[matters.RANDOM_LINK]]
    assert len(set(keys)) == matters.DRAWS
    assert link.key not in keys
    assert max(keys) < link.query


def test_a_change_within_its_error_is_not_called_one():
    changes = [
        matters.Change(matters.LINK, 0.1, 0.01),
        matters.Change(matters.SENTENCE, -0.01, 0.02),
        matters.Change("all", -1.0, 0.1),
    ]
    assert [change.side for change in changes] == ["more", "as much", "less"]
    assert matters.Change("all", 1.0, math.nan).side == "unknown"
    assert re.findall(r"[+-]\d\.\d+", matters.worth_notice(matters.Worth(64, 3.0, tuple(changes)))) == [
        "+0.100",
        "-1.000",
    ]


def test_a_link_that_nothing_follows_is_left_out(reading):
    last = len(reading.tokens) - 1
    for layer, head in ((0, 1), (1, 2)):
        links = matters.far_links(reading, layer, head, 1)
        assert links
        assert all(last - link.query >= matters.FEWEST for link in links)


@pytest.mark.parametrize("causal", [True, False])
def test_evenly_spread_attention_is_the_mean_of_all_distances(reading, causal):
    reading.causal = causal
    count = len(reading.tokens)
    apart = (torch.arange(count)[:, None] - torch.arange(count)).abs().double()
    expected = [float(apart[row, : row + 1 if causal else count].mean()) for row in range(count)]
    assert compute.evenly_spread(reading) == pytest.approx(sum(expected) / count)


def test_the_address_says_how_many_tokens_are_read(visit):
    app = check(visit(PAGE, show="How far", tokens="1024"))
    assert readings.open_reading("gpt-books-long", book_text("The Time Machine"), 1024).finished
    assert app.session_state["tokens"] == 1024
