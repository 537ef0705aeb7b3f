"""Texts at the door, and the tokens that a person reads."""

import codecs
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.text import LARGEST_TEXT, encode, label_pieces, read_text, read_tokens
from tests.core import saved_models

BYTES = saved_models.byte_level_tokenizer()
PIECES = saved_models.unigram_tokenizer()
WORDS = saved_models.wordpiece_tokenizer()
ANYTHING = st.text(st.characters())  # hypothesis includes lone surrogates, controls, directions, marks


@pytest.mark.parametrize("raw", ["", " \n\t ", b"", b"\xef\xbb\xbf", "\0\0", codecs.BOM_UTF16_LE])
def test_nothing_to_read_is_a_sentence(raw):
    with pytest.raises(InputError, match="no text here yet"):
        read_text(raw)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_bytes_are_decoded_by_their_mark(encoding):
    assert read_text("naïve 猫\r\nend".encode(encoding)) == "naïve 猫\nend"


def test_an_undecodable_byte_is_named():
    with pytest.raises(InputError, match=r"UTF-8: byte 4 \(0xE9\)"):
        read_text("café".encode("latin-1") + b" noir")


def test_half_a_utf16_pair_is_a_sentence():
    with pytest.raises(InputError, match="UTF-16"):
        read_text(codecs.BOM_UTF16_LE + b"\x00\xd8a\x00")


def test_a_lone_surrogate_is_named():
    with pytest.raises(InputError, match=r"Character 3 .*U\+D83D"):
        read_text("ab\ud83d")


@pytest.mark.parametrize("raw", ["x" * (LARGEST_TEXT + 1), b"x" * 10_000_000, "猫" * (LARGEST_TEXT // 2)])
def test_a_text_too_long_is_a_sentence_with_both_sizes(raw):
    with pytest.raises(InputError, match=r"has \d+\.\d MB; a text may have at most 1 MB"):
        read_text(raw)


def test_controls_go_and_everything_that_writing_needs_stays():
    readable = "می‌خواهم 👩‍🚀 \u202eabc\u202c <b>&amp;</b>\n\ttab"
    assert read_text(f"\ufeff{readable}\0\x1b\x07\x85") == readable


@given(ANYTHING | st.binary())
def test_any_input_becomes_a_text_or_a_sentence(raw):
    with suppress(InputError):  # and nothing else
        text = read_text(raw)
        assert text.strip()
        assert text.encode()
        assert not set(text) & {chr(code) for code in range(32) if chr(code) not in "\n\t"}


@pytest.mark.parametrize("tokenizer", [BYTES, PIECES, WORDS], ids=["byte-level", "sentencepiece", "wordpiece"])
@given(raw=ANYTHING, context=st.integers(4, 40))
@settings(deadline=None)
def test_every_token_has_one_label_and_the_context_holds(tokenizer, raw, context):
    try:
        tokens = encode(tokenizer, read_text(raw), context=context)
    except InputError:
        return
    assert len(tokens.ids) == len(tokens.labels) == len(tokens.special) == len(tokens.words) == len(tokens)
    assert len(tokens) <= context
    assert (tokens.cut is not None) == (len(tokens) < _length(tokenizer, read_text(raw)))


def _length(tokenizer, text):
    return len(tokenizer.encode(text).ids)


@given(ANYTHING)
@settings(deadline=None)
def test_byte_level_labels_give_the_text_back(raw):
    try:
        text = read_text(raw)
    except InputError:
        return
    tokens = encode(BYTES, text, context=10_000)
    if "‹" not in text:
        assert b"".join(map(_bytes_of, tokens.labels)) == text.encode()


def _bytes_of(label: str) -> bytes:
    """The reading of labels in reverse: "a‹E2›‹80›" is b"a\xe2\x80"."""
    parts = re.split("‹([0-9A-F]{2})›", label)
    return b"".join(bytes.fromhex(part) if number % 2 else part.encode() for number, part in enumerate(parts))


def test_a_character_in_several_pieces_is_shown_as_its_bytes():
    assert BYTES.get_vocab_size() == 320
    tokens = encode(BYTES, "a 鱼", context=20)
    assert tokens.labels == ("a", " ", "‹E9›", "‹B1›", "‹BC›")
    assert tokens.words == (0, None, 1, 1, 1)


@pytest.mark.parametrize(
    ("tokenizer", "reads"),
    [
        (BYTES, "Who listens to whom?"),
        (WORDS, "[CLS]who listens to whom?[SEP]"),
        (PIECES, " Who listens to whom?</s>"),
    ],
    ids=["byte-level", "wordpiece", "sentencepiece"],
)
def test_labels_of_all_tokenizers_read_as_the_text(tokenizer, reads):
    assert "".join(encode(tokenizer, "Who listens to whom?", context=40).labels) == reads


def test_a_wordpiece_inside_a_word_has_no_space_before_it():
    labels = encode(WORDS, "the dogs", context=40).labels
    assert len(labels) > 4
    assert "".join(labels[1:-1]) == "the dogs"


def test_bytes_of_a_letter_that_a_model_wrote_belong_to_its_word():
    ids = encode(BYTES, "a鱼b 鱼", context=20).ids
    assert read_tokens(BYTES, ids).words == (0, 0, 0, 0, 0, None, 1, 1, 1)


def test_bytes_of_sentencepiece_are_shown_as_bytes():
    from tokenizers import Tokenizer, decoders, models

    tokenizer = Tokenizer(models.BPE({"<0xE2>": 0, "▁a": 1}, []))
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    assert label_pieces(tokenizer, [0, 1]) == ["‹E2›", " a"]


def test_special_tokens_are_those_that_the_tokenizer_added():
    tokens = encode(WORDS, "who [MASK] whom", context=20)
    assert tokens.labels == ("[CLS]", "who", "[MASK]", " whom", "[SEP]")
    assert tokens.special == (True, False, False, False, True)
    assert tokens.words[0] is tokens.words[-1] is None


def test_words_are_the_same_for_every_tokenizer():
    text = "Don't jump, naïve fox: 猫猫 हिन्दी 👩‍🚀 end"
    expected = ["Don't", "jump", ",", "naïve", "fox", ":", "猫", "猫", "हिन्दी", "👩‍🚀", "end"]
    tokens = encode(BYTES, text, context=200)
    assert {word for word in tokens.words if word is not None} == set(range(len(expected)))


@pytest.mark.parametrize("tokenizer", [BYTES, PIECES, WORDS], ids=["byte-level", "sentencepiece", "wordpiece"])
def test_a_cut_is_exact(tokenizer):
    text = "The quick brown fox jumps over the lazy dog. " * 20
    tokens, cut = encode(tokenizer, text, context=10_000), encode(tokenizer, text, context=24)
    added = tokenizer.num_special_tokens_to_add(is_pair=False)
    assert tokens.cut is None
    assert len(cut) == 24
    assert cut.cut.length == 24 - added
    assert cut.cut.total == len(tokens) - added
    start = 1 if tokenizer is WORDS else 0
    assert cut.labels[start : 24 - (added - start)] == tokens.labels[start : 24 - (added - start)]
    assert encode(tokenizer, text[: cut.cut.character], context=10_000).ids == cut.ids


def test_a_text_that_the_tokenizer_leaves_out_is_a_sentence():
    with pytest.raises(InputError, match="sees nothing"):
        encode(WORDS, read_text("\u200b\u200b"), context=10)


def test_tokens_that_a_model_wrote_can_be_read():
    tokens = read_tokens(BYTES, [0, *BYTES.encode("Who listens").ids, 2])
    assert "".join(tokens.labels) == "<s>Who listens</s>"
    assert tokens.special == (True, *[False] * (len(tokens) - 2), True)
    assert len(set(tokens.words)) == 3  # two words, and None


def test_eight_threads_encode_with_one_tokenizer_and_get_what_one_gets():
    texts = [f"{'The quick brown fox ' * number}jumps." for number in range(1, 41)]
    alone = [encode(WORDS, text, context=16 + number % 7) for number, text in enumerate(texts)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda n: encode(WORDS, texts[n % 40], context=16 + n % 40 % 7), range(400)))
    assert together == alone * 10
