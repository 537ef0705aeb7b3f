"""Both languages stand in one row, each with its own segment, and nothing that is padding is asked for."""

import torch
from tokenizers import Tokenizer

from core.zoo.embedded import WEIGHTS
from training.bert_pairs.train import Batches
from training.common.masking import add_special_tokens

PAIRS = [("The cat sleeps.", "Le chat dort."), ("I'm tired.", "Je suis fatigué."), ("Go!", "Va !")] * 8


def batches() -> Batches:
    tokenizer = add_special_tokens(Tokenizer.from_file(str(WEIGHTS / "translation" / "tokenizer.json")))
    return Batches(tokenizer, PAIRS, tokens=60, seed=0)


def test_each_row_is_a_sentence_and_its_translation_in_either_order():
    made = batches()
    sides = [(tuple(english), tuple(french)) for english, french in zip(made.sources, made.targets, strict=True)]
    orders = set()
    for step in range(2 * made.per_epoch):
        tokens, segments = made.both(step)
        for row, part in zip(tokens.tolist(), segments.tolist(), strict=True):
            ends = [place for place, number in enumerate(row) if number == made.separator]
            assert row[0] == made.begin
            assert len(ends) == 2
            assert part == [0] * (ends[0] + 1) + [1] * (len(row) - ends[0] - 1)
            assert set(row[ends[1] + 1 :]) <= {made.padding}
            first, second = tuple(row[1 : ends[0]]), tuple(row[ends[0] + 1 : ends[1]])
            joined = [pair for pair in sides if first[: len(pair[0])] == pair[0] or first[: len(pair[1])] == pair[1]]
            assert joined
            orders.add(any(first[: len(english)] == english for english, _ in joined))
            assert second
    assert orders == {True, False}


def test_padding_is_never_asked_for():
    made = batches()
    for step in range(made.per_epoch):
        tokens, _ = made.both(step)
        hidden = made.masking.mask_words(tokens, torch.Generator().manual_seed(step))
        assert not (hidden.is_target & made.is_padding(tokens)).any()
