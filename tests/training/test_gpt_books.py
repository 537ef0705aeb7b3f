"""The second part of the training of `gpt-books`: windows that repeat something, and what of them is learned."""

import numpy as np
import pytest
import torch

from core.models.gpt import GPT, GPTConfig
from training.gpt_books.data import LONGEST, SHORTEST, RepeatedPieces, Windows
from training.gpt_books.report import PERIOD, copying

CONTEXT, SIZE, VOCABULARY = 256, 8, 5000
BOOKS = np.arange(4000, dtype=np.uint16)  # no token stands twice: what repeats was repeated on purpose


@pytest.mark.parametrize("step", [0, 3, 11])
def test_a_quarter_is_random_tokens_again_and_again_and_only_what_is_foretold_counts(step):
    tokens, counted = RepeatedPieces(BOOKS, CONTEXT, SIZE, VOCABULARY, seed=0).batch(step)
    assert tokens.shape == (SIZE, CONTEXT + 1)
    assert counted.shape == (SIZE, CONTEXT)
    for row, of_row in zip(tokens[: SIZE // 4], counted, strict=False):
        length = int(of_row.long().argmax()) + 1  # the first target that counts repeats the first token
        assert SHORTEST <= length <= LONGEST
        assert torch.equal(row[length:], row[:-length])
        assert len(row[:length].unique()) > length / 2
        assert of_row[length - 1 :].all()
    assert counted[SIZE // 4 :].all()


@pytest.mark.parametrize("step", [0, 3, 11])
def test_another_quarter_says_a_piece_of_a_book_twice_and_the_rest_are_the_books(step):
    pieces = RepeatedPieces(BOOKS, CONTEXT, SIZE, VOCABULARY, seed=0)
    tokens, _ = pieces.batch(step)
    books = Windows(BOOKS, CONTEXT, SIZE, seed=0).batch(step)
    assert torch.equal(tokens[SIZE // 2 :], books[SIZE // 2 :])
    for row, of_book in zip(tokens[SIZE // 4 : SIZE // 2], books[SIZE // 4 : SIZE // 2], strict=True):
        twice = (row[:, None] == row).sum(dim=1) == 2
        assert SHORTEST <= int(twice.sum()) / 2 <= LONGEST
        changed = row != of_book
        places = changed.nonzero()[:, 0]
        assert len(places) == int(places[-1] - places[0]) + 1 == int(twice.sum()) / 2  # one piece, in one place
        first = int((row == row[places[0]]).nonzero()[0])
        assert torch.equal(row[first : first + len(places)], row[places])
        assert first + len(places) <= int(places[0])


def test_a_model_that_says_each_token_again_after_a_period_copies_what_it_has_read():
    class Copies(torch.nn.Module):
        config = GPTConfig(vocabulary=50)

        def forward(self, tokens):
            logits = torch.zeros(*tokens.shape, 50)
            place = torch.arange(tokens.shape[1] - PERIOD + 1)
            logits[:, PERIOD - 1 + place] = 20.0 * torch.nn.functional.one_hot(tokens[:, place], 50)
            return logits

    losses = copying(Copies())
    assert losses["first"] == pytest.approx(np.log(50), abs=1e-3)
    assert losses["second"] == pytest.approx(0, abs=1e-3)
    untrained = copying(GPT(GPTConfig(vocabulary=50, width=24, layers=1)).eval())
    assert untrained["second"] > 0.9 * untrained["first"]
