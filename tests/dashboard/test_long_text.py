"""Readings in threads, and what a browser gets of them."""

import io
import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.errors import ModelError
from core.long_context import read
from dashboard.cache import memo, turns
from dashboard.long_text import readings, route
from tests.core.tiny_long_models import family
from tests.polling import WITHIN, wait_until

TEXT = "I\n\n" + "The sea sees me and I see the sea. " * 60


@pytest.fixture(autouse=True)
def tiny_model(monkeypatch) -> Iterator[None]:
    """A random model with rotary positions in place of each that comes along."""
    model = family("rotary")
    monkeypatch.setattr(readings, "book_model", lambda name: replace(model, name=name))
    memo.clear()
    yield
    memo.clear()


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=[route.route()]))


def test_a_browser_gets_the_maps_that_the_core_computes(client):
    reading = readings.open_reading("tiny", TEXT, 300)
    base = f"/readings/{readings.token_of(reading)}"
    reading.wait()
    state = client.get(f"{base}/state").json()
    assert (state["tokens"], state["layers"], state["read"], state["finished"]) == (300, [4, 4], 2, True)
    assert state["done"] == state["total"] == 600
    text = client.get(f"{base}/text").json()
    assert "".join(text["labels"]) == TEXT[: len("".join(text["labels"]))]
    assert text["marks"][0] == [0, 0, "I"]
    head = reading.head(1, 2)
    weights = head.weights(slice(None), slice(None))

    content = client.get(f"{base}/tile/1/2/0/1/0").content  # rows 256 to 299
    assert np.frombuffer(content[:4], "<u2").tolist() == [44, 256]
    tile = np.frombuffer(content[4:], "<f2").reshape(44, 256)
    np.testing.assert_allclose(tile, weights[256:, :256], atol=1e-3)

    wait_until(lambda: client.get(f"{base}/pyramid/1/2").json()["ready"])
    content = client.get(f"{base}/tile/1/2/3/0/0").content
    rows, columns = np.frombuffer(content[:4], "<u2").tolist()
    assert (rows, columns) == (38, 38)
    shares, maxima = np.frombuffer(content[4:], "<f2").reshape(2, 38, 38)
    assert float(shares[5, 2]) == pytest.approx(float(weights[40:48, 16:24].sum()) / 8, abs=1e-3)
    assert float(shares[37, 2]) == pytest.approx(float(weights[296:, 16:24].sum()) / 4, abs=1e-3)  # four queries
    assert float(maxima[5, 2]) == pytest.approx(float(weights[40:48, 16:24].max()), abs=1e-3)

    row_and_column = np.frombuffer(client.get(f"{base}/word/1/2/77").content, "<f2").reshape(2, 300)
    np.testing.assert_allclose(row_and_column[0], weights[77], atol=1e-3)
    np.testing.assert_allclose(row_and_column[1], weights[:, 77], atol=1e-3)

    answer = client.get(f"{base}/links/1/2?farther=50&from=1&count=30").json()
    far = weights.tril(-51)
    far[:, 0] = 0
    for query, key, weight in answer["links"]:
        assert weight == pytest.approx(float(far.max()), rel=1e-4)
        assert float(far[query, key]) == pytest.approx(weight, rel=1e-4)
        near = answer["nearby"]
        far[max(0, query - near) : query + near + 1, max(0, key - near) : key + near + 1] = 0
    assert len(answer["links"]) == 30

    with np.load(io.BytesIO(client.get(f"{base}/cells/1/2/3/5/38/0/4").content)) as file:
        assert file["share"].shape == file["maximum"].shape == (33, 4)
        assert float(file["share"][0, 2]) == pytest.approx(float(weights[40:48, 16:24].sum()) / 8, rel=1e-4)
        assert float(file["share"][-1, 2]) == pytest.approx(float(weights[296:, 16:24].sum()) / 4, rel=1e-4)
        assert (file["first_query"][1], file["first_key"][3]) == (48, 24)
        assert list(file["token"]) == text["labels"]

    content = client.get(f"{base}/thumbnails/0").content
    heads, side = np.frombuffer(content[:4], "<u2").tolist()
    assert (heads, len(content)) == (4, 4 + 2 * heads * side * side)


@pytest.mark.parametrize(
    "address",
    [
        "tile/0/0/0/0",
        "tile/9/0/0/0/0",
        "tile/0/4/0/0/0",
        "tile/0/0/99/0/0",
        "word/0/0/300",
        "thumbnails/2",
        "word/0/0/-1",
        "cells/0/0/0/9/9/0/1",
    ],
)
def test_what_does_not_exist_is_refused(client, address):
    reading = readings.open_reading("tiny", TEXT, 300)
    reading.wait()
    answer = client.get(f"/readings/{readings.token_of(reading)}/{address}")
    assert answer.status_code == 400
    assert answer.json() == {"error": route.OUTSIDE}


def test_only_a_secret_opens_a_reading(client):
    readings.open_reading("tiny", TEXT, 300).wait()
    for token in ("", "x", "tiny"):
        assert client.get(f"/readings/{token}/state").status_code == 404


def test_two_visitors_readings_do_not_mix(client):
    one, two = (readings.open_reading("tiny", text, 200) for text in (TEXT, TEXT.upper()))
    tokens = [readings.token_of(reading) for reading in (one, two, one)]
    assert len(set(tokens)) == 3  # a secret of one's own, also of the same text
    assert readings.token_of(one, tokens[0]) == tokens[0]
    assert readings.token_of(two, tokens[0]) not in tokens
    one.wait()
    two.wait()
    labels = ["".join(client.get(f"/readings/{token}/text").json()["labels"]) for token in tokens]
    assert labels[0] == labels[2]
    assert labels[0] != labels[1]
    assert readings.open_reading("tiny", TEXT, 200) is one  # kept for whoever comes with the same text


def test_a_reading_that_nobody_looks_at_stops_and_leaves_nothing(client, monkeypatch):
    monkeypatch.setattr(readings, "ALONE", -1.0)
    reading = readings.open_reading("tiny", TEXT, 300)
    token = readings.token_of(reading)
    wait_until(lambda: reading.finished)
    assert reading.is_stopped
    assert reading.reading.layers == []
    assert memo.cached_bytes() == 0
    assert client.get(f"/readings/{token}/state").status_code == 404
    monkeypatch.setattr(readings, "ALONE", 30.0)
    again = readings.open_reading("tiny", TEXT, 300)
    again.wait()
    assert again is not reading
    assert again.layers_read == 2


def test_what_the_model_cannot_read_is_refused_with_its_numbers(monkeypatch):
    mistral = family("mistral")
    monkeypatch.setattr(readings, "book_model", lambda _name: mistral)
    with pytest.raises(ModelError, match="4,096"):
        readings.open_reading("mistral", TEXT, 300)


def test_an_error_of_the_reading_reaches_the_visitor_as_a_sentence(client, monkeypatch):
    def fail(*_args: object) -> None:
        raise RuntimeError("a secret path")

    monkeypatch.setattr(readings, "read", fail)
    reading = readings.open_reading("tiny", TEXT, 300)
    with pytest.raises(Exception, match="error of the server"):
        reading.wait()
    state = client.get(f"/readings/{readings.token_of(reading)}/state").json()
    assert state["error"] == readings.FAILED


def test_the_tables_of_at_most_three_heads_are_kept():
    reading = readings.open_reading("tiny", TEXT, 300)
    reading.wait()
    for head in range(4):
        work = reading.pyramid(0, head)
        work.done.wait(WITHIN)
    assert list(reading.pyramids) == [(0, 1), (0, 2), (0, 3)]
    expected = reading.head(0, 3).pyramid()
    torch.testing.assert_close(reading.pyramid(0, 3).value.tables[0].sums, expected.tables[0].sums)


@pytest.fixture
def slow(monkeypatch) -> threading.Event:
    """Readings stop after their first layer, and go on when the event is set."""
    go_on = threading.Event()

    def read_slowly(model, reading, progress) -> None:
        def report(done: int, total: int) -> None:
            progress(done, total)
            if done > total // 2:
                assert go_on.wait(WITHIN)
                progress(done, total)

        read(model, reading, report)

    monkeypatch.setattr(readings, "read", read_slowly)
    return go_on


def test_layers_that_are_read_can_be_looked_at_before_the_end_and_after_a_cancel(client, slow):
    reading = readings.open_reading("tiny", TEXT, 300)
    base = f"/readings/{readings.token_of(reading)}"
    wait_until(lambda: reading.layers_read == 1)
    assert client.get(f"{base}/tile/0/0/0/0/0").status_code == 200
    assert client.get(f"{base}/tile/1/0/0/0/0").status_code == 400
    state = client.get(f"{base}/state").json()
    assert (state["finished"], state["read"], state["error"]) == (False, 1, None)
    readings.cancel(reading)
    slow.set()
    wait_until(lambda: reading.finished)
    state = client.get(f"{base}/state").json()
    assert "1 of 2 layers" in state["error"]
    assert client.get(f"{base}/tile/0/0/0/0/0").status_code == 200
    assert readings.open_reading("tiny", TEXT, 300) is reading  # it is not begun again before somebody asks for that
    readings.read_again(reading)
    again = readings.open_reading("tiny", TEXT, 300)
    again.wait()
    assert again.layers_read == 2


def test_a_session_that_opens_another_text_stops_its_reading_but_not_that_of_others(slow, monkeypatch):
    session = "one"
    monkeypatch.setattr(turns, "current_visitor", lambda: turns.Visitor(session, session))
    alone = readings.open_reading("tiny", TEXT, 300)
    session = "two"
    shared = readings.open_reading("tiny", TEXT, 250)
    session = "one"
    assert readings.open_reading("tiny", TEXT, 250) is shared
    assert alone.is_stopped
    readings.open_reading("tiny", TEXT, 200)
    assert not shared.is_stopped  # the other session still looks at it
    slow.set()
    wait_until(lambda: alone.finished and shared.finished)
    assert shared.layers_read == 2


def test_what_would_take_an_hour_or_more_than_all_that_is_kept_is_refused(monkeypatch):
    monkeypatch.setattr("core.long_context.reading._speed", lambda: (1e-3, 1e-3))
    with pytest.raises(ModelError, match="minutes"):
        readings.open_reading("tiny", TEXT, 300)
    monkeypatch.undo()
    model = family("rotary")
    monkeypatch.setattr(readings, "book_model", lambda _name: model)
    monkeypatch.setattr(memo, "budget", lambda: 1000)
    with pytest.raises(ModelError, match="GB"):
        readings.open_reading("tiny", TEXT, 300)
