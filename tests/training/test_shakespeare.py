"""What the character models are trained and measured on."""

import gzip
import math

import pytest
import torch
from torch import nn

from training.common import shakespeare

TEXT = "To be, or not to be: that is the question. " * 40


@pytest.fixture
def folder(tmp_path):
    (tmp_path / shakespeare.FILE).write_bytes(gzip.compress(TEXT.encode()))
    return tmp_path


def test_the_held_out_tenth_is_never_learned_from(folder):
    alphabet, learnt, held_out = shakespeare.read(folder)
    assert learnt + held_out == TEXT
    assert len(held_out) == pytest.approx(len(TEXT) / 10, abs=1)
    assert set(alphabet.characters) == set(TEXT)


def test_an_epoch_reads_each_window_once_and_what_follows_is_the_next_character():
    characters = torch.arange(1, 1001)
    windows = shakespeare.Windows(characters, length=10, batch=7, seed=3)
    starts = []
    for step in range(windows.per_epoch):
        read, following = windows.batch(step)
        known = read > 0
        assert torch.equal(read[known] + 1, following[known])
        starts += (following[:, 0] - 1).tolist()
    assert len(set(starts)) == len(starts) == 7 * windows.per_epoch
    assert {start % 10 for start in starts} == {starts[0] % 10}


def test_the_same_step_gives_the_same_batch_and_another_epoch_another_order():
    windows = shakespeare.Windows(torch.arange(1, 1001), length=10, batch=7, seed=3)
    for first, second in zip(windows.batch(2), windows.batch(2), strict=True):
        assert torch.equal(first, second)
    assert not torch.equal(windows.batch(2)[1], windows.batch(2 + windows.per_epoch)[1])


def test_a_model_that_knows_nothing_needs_log2_of_the_alphabet_at_every_position():
    class Even(nn.Module):
        def forward(self, characters):
            return torch.zeros(*characters.shape, 66)

    bits = shakespeare.bits_by_position(Even(), torch.randint(0, 66, (500,)), length=20)
    assert bits.shape == (20,)
    assert bits == pytest.approx(math.log2(66), abs=1e-5)


def test_each_character_is_hidden_in_one_group_and_the_groups_are_alike():
    groups = shakespeare.hidden_groups(50, 40, torch.Generator().manual_seed(0))
    for number in range(shakespeare.GROUPS):
        assert ((groups == number).sum(dim=1) == 10).all()
        assert (groups == number).any(dim=0).all()  # no place of a window is always or never hidden


def test_hidden_characters_are_measured_once_each_and_never_shown():
    class CopyingModel(nn.Module):
        """Certain of what it is shown; of what it is not, it thinks all of 64 alike, or knows from elsewhere."""

        def __init__(self):
            super().__init__()
            self.hidden = 0

        def forward(self, characters):
            self.hidden += int((characters == 0).sum())
            logits = torch.zeros(*characters.shape, 64)
            return logits.scatter(-1, characters[..., None], 50.0 * (characters > 0)[..., None])

    model = CopyingModel()
    assert shakespeare.bits_of_hidden(model, torch.randint(1, 64, (500,)), 20, seed=0) == pytest.approx(6, abs=1e-5)
    assert model.hidden == 500
