"""What a model reads while it writes, in tokens."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

from core import zoo
from core.capture import record_attention
from core.errors import InputError
from core.generation.newest_token import find_farthest_head, last_token_weights
from core.generation.writing import append_written, encode_without_limit, first_visible, next_logits, pieces, read_ids

TEXT = "The old man looked at the sea. It was grey, and the boats had not come back."


@pytest.fixture(scope="module")
def model():
    return zoo.load_text("gpt-books")


def small(model, context):
    return replace(model, context=context)


@settings(deadline=None)
@given(some.integers(0, 3000), some.integers(1, 300))
def test_what_is_read_fits_is_at_least_half_of_the_room_and_moves_seldom(total, room):
    first = first_visible(total, room)
    read = total - first
    assert read <= room
    assert first == 0 or read >= room - max(1, room // 2)
    assert (first == 0) == (total <= room)
    moves = sum(first_visible(total + more, room) != first for more in range(1, 1 + max(1, room // 2)))
    assert first_visible(total + 1, room) in (first, first + max(1, room // 2))
    assert moves <= max(1, room // 2)


def test_a_long_text_is_read_up_to_its_end(model):
    given_tokens = encode_without_limit(model, TEXT * 40)
    assert len(given_tokens) > model.context
    tokens, dropped = append_written(model, given_tokens, ())
    assert len(tokens) + dropped == len(given_tokens)
    assert tokens.ids == given_tokens.ids[dropped:]
    assert "".join(tokens.labels).endswith("had not come back.")


@pytest.mark.parametrize("context", [256, 24, 9])
def test_what_is_written_comes_after_the_text_whatever_the_room(model, context):
    written = model.encode(" and so on, for many days").ids
    narrow, given_tokens = small(model, context), encode_without_limit(model, TEXT)
    ids, dropped = read_ids(narrow, given_tokens, written)
    tokens, also = append_written(narrow, given_tokens, written)
    assert tokens.ids == ids == (*given_tokens.ids, *written)[dropped:]
    assert dropped == also
    assert len(ids) <= context


def test_an_empty_text_is_an_error_in_a_sentence(model):
    with pytest.raises(InputError, match="sees nothing"):
        encode_without_limit(model, "")


def test_reading_on_gives_what_reading_anew_gives_also_when_the_window_moves_or_a_step_is_taken_back(model):
    narrow, given_tokens = small(model, 24), encode_without_limit(model, TEXT)
    expect, written = next_logits(narrow), list(model.encode(" and the sea was as it had always been").ids)
    for count in [*range(len(written)), 2, 3, 3, 0]:
        ids, _ = read_ids(narrow, given_tokens, written[:count])
        whole_pass = model.network(torch.tensor([ids]))[0, -1]
        torch.testing.assert_close(expect(ids), whole_pass, atol=1e-4, rtol=1e-4)


def test_bytes_of_one_character_are_one_piece_and_halves_stay_bytes(model):
    text = "a 😀 b 👩‍👩‍👧 مرحبا 漢"
    ids = model.tokenizer.encode(text, add_special_tokens=False).ids
    labelled_pieces = pieces(model.tokenizer, ids)
    assert "".join(label for label, _ in labelled_pieces).strip() == text
    assert [place for _, place in labelled_pieces] == sorted({place for _, place in labelled_pieces})
    assert len(labelled_pieces) < len(ids)
    emoji = model.tokenizer.encode("😀", add_special_tokens=False).ids
    assert all("‹" in label or not label.strip() for label, _ in pieces(model.tokenizer, emoji[:-1])[-1:])


@pytest.mark.parametrize("words", [1, 2, 12])
def test_the_head_that_looks_farthest_is_the_one_with_the_largest_sum_over_its_row(model, words):
    tokens = model.encode(" ".join(TEXT.split()[:words]))
    with record_attention(model.network) as record:
        model.run(tokens)
    calls = dict(enumerate(record.calls))
    sums = {}
    for layer, call in calls.items():
        for head in range(call.heads):
            row = call.weights(head)[-1]
            torch.testing.assert_close(last_token_weights(call)[head], row)
            last = len(row) - 1
            sums[layer, head] = sum(float(row[key]) * (last - key) for key in range(1, len(row)))
    farthest = find_farthest_head(calls)
    if max(sums.values()) == 0:
        assert farthest is None
        return
    best = max(sums, key=sums.__getitem__)
    assert (farthest.layer, farthest.head) == best
    assert farthest.distance == pytest.approx(sums[best], rel=1e-4)
    row = calls[best[0]].weights(best[1])[-1]
    assert farthest.weight == pytest.approx(float(row[1:].max()))
    assert float(row[farthest.key]) == pytest.approx(farthest.weight)
