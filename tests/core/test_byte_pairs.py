"""Byte-pair encoding step by step ends where the tokenizers library ends."""

import random
from itertools import pairwise

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from core.tokens.byte_pairs import BytePairs
from core.zoo.embedded import WEIGHTS
from tests.core.saved_models import SENTENCES, unigram_tokenizer, wordpiece_tokenizer

BOOKS = Tokenizer.from_file(str(WEIGHTS / "gpt-books" / "tokenizer.json"))


def likely_words(count: int) -> list[str]:
    """One to three pieces of the books' vocabulary in a row: words of their language, and what resembles them."""
    draw, pieces = random.Random(0), range(1, BOOKS.get_vocab_size())
    return [BOOKS.decode(draw.choices(pieces, k=draw.randint(1, 3))).strip() for _ in range(count)]


def strange_words(count: int) -> list[str]:
    """Few letters in a row, so that pairs repeat and overlap, and letters of many scripts."""
    draw = random.Random(0)
    return [
        "".join(draw.choices(draw.choice(["ab", "the ", "lo", "éß猫🙂 ", "नमस्त"]), k=draw.randint(1, 12)))
        for _ in range(count)
    ]


def trained(**settings) -> Tokenizer:
    """A character-level tokenizer whose pieces are marked and whose unknown characters are treated in some way."""
    tokenizer = Tokenizer(models.BPE(**settings))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    marks = {name: settings[name] for name in ("continuing_subword_prefix", "end_of_word_suffix") if name in settings}
    special = [settings["unk_token"]] if "unk_token" in settings else []
    special += [f"<0x{byte:02X}>" for byte in range(256)] if settings.get("byte_fallback") else []
    trainer = trainers.BpeTrainer(vocab_size=700, special_tokens=special, show_progress=False, **marks)
    tokenizer.train_from_iterator([*SENTENCES, "the other lower lowest aab abab ababab lolo " * 5], trainer)
    return tokenizer


TOKENIZERS = {
    "gpt-books": lambda: BOOKS,
    "gpt-books-long": lambda: Tokenizer.from_file(str(WEIGHTS / "gpt-books-long" / "tokenizer.json")),
    "prefix": lambda: trained(unk_token="[UNK]", continuing_subword_prefix="##"),
    "suffix": lambda: trained(unk_token="[UNK]", end_of_word_suffix="</w>"),
    "fused unknown": lambda: trained(unk_token="[UNK]", fuse_unk=True),
    "bytes in place of unknown": lambda: trained(unk_token="[UNK]", byte_fallback=True),
    "whole words first": lambda: trained(unk_token="[UNK]", ignore_merges=True),
    "nothing for unknown": lambda: trained(),
}


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_thousands_of_words_end_as_in_the_tokenizers_library(kind):
    tokenizer = TOKENIZERS[kind]()
    pairs = BytePairs(tokenizer)
    for text in [*likely_words(2000), *strange_words(2000)]:
        ours = [piece for word in pairs.words(text) for piece in pairs.spell(word).pieces]
        assert ours == tokenizer.encode(text, add_special_tokens=False).tokens, text


def test_a_merge_says_its_rank_its_count_and_where():
    tokenizer = Tokenizer(models.BPE({"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}, [("l", "o"), ("lo", "w")]))
    (spelled,) = map(BytePairs(tokenizer).spell, BytePairs(tokenizer).words("lolow"))
    assert spelled.symbols == tuple("lolow")
    assert [(merge.piece, merge.rank, merge.count) for merge in spelled.merges] == [("lo", 1, 2), ("low", 2, 1)]
    assert spelled.merges[0].spans == ((0, 1, 2), (2, 3, 4))
    assert spelled.merges[1].spans == ((2, 4, 5),)
    assert spelled.stages == (tuple("lolow"), ("lo", "lo", "w"), ("lo", "low"))
    assert spelled.pieces == ("lo", "low")


def test_each_merge_takes_one_piece_away_and_the_text_stays():
    pairs = BytePairs(BOOKS)
    for spelled in (pairs.spell(part) for word in strange_words(200) for part in pairs.words(word)):
        sizes = [len(stage) for stage in spelled.stages]
        assert all("".join(stage) == "".join(spelled.symbols) for stage in spelled.stages)
        for before, after, merge in zip(sizes, sizes[1:], spelled.merges, strict=False):
            assert before - after == merge.count


def test_at_each_step_no_neighbours_that_could_be_merged_stand_earlier_in_the_list():
    pairs = BytePairs(BOOKS)
    for spelled in (pairs.spell(part) for word in likely_words(300) for part in pairs.words(word)):
        for stage, merge in zip(spelled.stages, spelled.merges, strict=False):
            ranks = [pairs._ranks.get(pair, len(pairs) + 1) for pair in pairwise(stage)]
            assert min(ranks) == merge.rank


@pytest.mark.parametrize(("make", "kind"), [(unigram_tokenizer, "Unigram"), (wordpiece_tokenizer, "WordPiece")])
def test_a_tokenizer_that_merges_nothing_is_refused_by_its_kind(make, kind):
    with pytest.raises(ValueError, match=f"is a {kind}, which merges no pairs"):
        BytePairs(make())
