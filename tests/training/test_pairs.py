import gzip
import re
from pathlib import Path

import pytest

from core.translation.decoding import BEGIN, END, PAD, UNKNOWN
from training.common import pairs

WORDS = ("cat", "dog", "bird", "fish", "horse", "mouse", "cow", "hen", "fox", "wolf", "bear", "lion")
VERBS = ("sleeps", "runs", "eats", "sings", "waits", "falls")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("tatoeba")
    rows = []
    for noun in WORDS:
        for verb in VERBS:
            for number in range(2):
                rows.append(f"The {noun} {verb}.\tLe {noun} {verb} {number}\u202f!")
                rows.append(f"the {noun} {verb}\tUn {noun} {verb} {number}?")
    with gzip.open(place / "fra.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")
    return place


@pytest.fixture(scope="module")
def split(folder: Path) -> pairs.Split:
    held_out, pairs.HELD_OUT = pairs.HELD_OUT, 10
    try:
        return pairs.read(folder, seed=0)
    finally:
        pairs.HELD_OUT = held_out


def spelled(english: str) -> str:
    return re.sub(r"\W", "", english.casefold())


def test_no_english_sentence_is_on_two_sides_of_the_split(split: pairs.Split):
    sides = [
        {spelled(english) for english, _ in split.learnt},
        {spelled(english) for english, _ in split.validation},
        {spelled(english) for english, _ in split.test},
    ]
    assert [len(side) for side in sides] == [len(WORDS) * len(VERBS) - 20, 10, 10]
    assert not sides[0] & sides[1]
    assert not sides[0] & sides[2]
    assert not sides[1] & sides[2]


def test_held_out_sentences_come_with_all_their_translations_in_normal_spelling(split: pairs.Split):
    for english, french in split.test:
        noun, verb = english.rstrip(".").split()[1:]
        assert french == [f"Le {noun} {verb} 0 !", f"Un {noun} {verb} 0 ?", f"Le {noun} {verb} 1 !",
                          f"Un {noun} {verb} 1 ?"]  # fmt: skip


def test_another_seed_holds_out_other_sentences(folder: Path, split: pairs.Split, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pairs, "HELD_OUT", 10)
    assert pairs.read(folder, seed=1).test != split.test


@pytest.fixture(scope="module")
def tokenizer(split: pairs.Split):
    return pairs.train_tokenizer(split.learnt, 120)


def test_what_is_cut_into_pieces_can_be_put_together_again(tokenizer, split: pairs.Split):
    for english, french in split.learnt[:20]:
        for text in (english, french):
            assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_special_tokens_have_the_numbers_that_decoding_relies_on(tokenizer):
    assert [tokenizer.id_to_token(number) for number in (PAD, BEGIN, END, UNKNOWN)] == list(pairs.SPECIAL)
    assert tokenizer.encode("the cat").ids[-1] == END
    assert UNKNOWN in tokenizer.encode("the 猫").ids


@pytest.mark.parametrize("joined", [0.0, 0.5])
def test_an_epoch_holds_each_pair_once_joined_or_alone(tokenizer, split: pairs.Split, joined: float):
    batches = pairs.Batches(tokenizer, split.learnt, tokens=200, seed=0, joined=joined)
    numbers = tokenizer.get_vocab()
    stop = {numbers[sign] for sign in ("▁!", "▁?") if sign in numbers}
    sentences = 0
    for step in range(batches.per_epoch):
        source, target, following = batches.batch(step)
        assert source.shape[1] * len(source) <= 200
        assert (target[:, 0] == BEGIN).all()
        for row, after in zip(target.tolist(), following.tolist(), strict=True):
            real = [token for token in after if token != PAD]
            assert real[-1] == END
            assert row[1 : len(real)] == real[:-1]
            sentences += sum(token in stop for token in real)
    assert sentences == len(split.learnt)


def test_a_step_always_has_the_same_batch(tokenizer, split: pairs.Split):
    one, other = (pairs.Batches(tokenizer, split.learnt, tokens=200, seed=4) for _ in range(2))
    later = one.per_epoch + 1
    assert one.batch(later)[0].tolist() == other.batch(later)[0].tolist() != one.batch(1)[0].tolist()
