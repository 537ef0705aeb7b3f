"""What Efficient attention keeps: made once for all who ask, not kept where it was stopped, and files not for long."""

import threading

import pytest
import torch

from core.efficient import LowRank, SlidingWindow, model_loss
from dashboard.cache import memo
from dashboard.cache.upload import Upload
from pages.scale.efficient_attention import compute

MODEL = "gpt-books"


@pytest.fixture
def text(request):
    """One that no test before has asked about."""
    return f"{request.node.name}: " + "The old man looked at the sea. " * 4


def test_a_reading_that_was_stopped_is_not_kept_and_can_be_done_again(text):
    heard = []

    def stop(done, total):
        heard.append((done, total))
        raise InterruptedError

    with pytest.raises(InterruptedError):
        compute.read(MODEL, text, 64, stop)
    assert compute.read.peek(MODEL, text, 64) is None
    reading = compute.read(MODEL, text, 64)
    assert heard == [(1, len(reading.calls))]
    assert compute.read(MODEL, text, 64, stop) is reading


def test_two_who_ask_for_the_same_loss_at_once_have_it_computed_once(monkeypatch, text):
    reading, calls, losses = compute.read(MODEL, text, 64), [], []
    both = threading.Barrier(2)
    really = model_loss.surprises

    def counted(*args, **kwargs):
        calls.append(1)
        return really(*args, **kwargs)

    def ask():
        both.wait(10)
        losses.append(compute.surprises(reading, SlidingWindow(window=4), (0, 1)))

    monkeypatch.setattr(model_loss, "surprises", counted)
    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(calls) == 1
    assert losses[0] is losses[1] is compute.surprises.peek(reading, SlidingWindow(window=4), (0, 1))
    assert compute.surprises.peek(reading, SlidingWindow(window=4), (0,)) is None
    assert compute.surprises.peek(reading, SlidingWindow(window=8), (0, 1)) is None


def test_a_swap_that_was_stopped_is_not_kept(text):
    reading = compute.read(MODEL, text, 64)

    def stop(*_):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        compute.surprises(reading, SlidingWindow(window=4), (0, 1), stop)
    assert compute.surprises.peek(reading, SlidingWindow(window=4), (0, 1)) is None


def test_all_that_is_made_of_a_file_ages_and_what_was_typed_does_not(text):
    file = memo.store_upload(text.encode())
    for source in (file, text):
        reading = compute.read(MODEL, source, 64)
        compute.farthest(reading)
        compute.compared(reading, 0, 0, LowRank(rank=2))
        compute.surprises(reading, None, ())
    holding = [memo._store.find(key) for key in memo._store if file.identity in repr(key)]
    assert len(holding) == 6  # the file itself, too
    assert len({entry.until for entry in holding}) == 1
    typed = [memo._store.find(key) for key in memo._store if text in repr(key)]
    assert [entry.until for entry in typed] == [float("inf")] * 5


def test_a_file_and_a_typed_text_that_looks_like_its_digest_are_two(text):
    digest = Upload(text.encode()).identity
    file = compute.read(MODEL, Upload(text.encode()), 64)
    typed = compute.read(MODEL, str(digest), 64)
    assert file.identity != typed.identity
    assert file.tokens != typed.tokens


def test_the_example_that_is_there_at_once_is_written_by_warming_up(monkeypatch):
    monkeypatch.setattr(compute, "FIRST", 5)
    compute.warm_up()
    name = compute.first_model()
    assert compute.written.peek(name, 5)


def test_the_head_to_begin_with_is_the_one_that_looks_most_at_single_far_tokens(text):
    reading = compute.read(MODEL, text, 40)
    far, far_weights = min(compute.FAR, reading.length // 4), {}
    for layer, call in enumerate(reading.calls):
        for head in range(call.heads):
            weights = call.weights(head)
            best = [max([0.0, *row[1 : max(1, query - far + 1)].tolist()]) for query, row in enumerate(weights)]
            far_weights[layer, head] = sum(best) / len(best)
    assert compute.farthest(reading) == max(far_weights, key=far_weights.get)


def test_a_text_of_two_tokens_can_be_read_and_compared():
    reading = compute.read(MODEL, "The sea", 64)
    assert reading.length == 2
    assert compute.compared(reading, 0, 0, LowRank(rank=2)).output_error == pytest.approx(0, abs=1e-5)
    assert torch.isfinite(compute.surprises(reading, None, ())).all()
