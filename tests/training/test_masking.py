"""What a BERT is asked about while it learns: whole words, as many as it was planned, never a special token."""

import pytest
import torch
from tokenizers import Tokenizer

from core.zoo.embedded import WEIGHTS
from training.bert_books.data import LENGTHS, Batches, Sentences, read_sentences
from training.common.masking import SHARE, Masking, add_special_tokens

TEXT = (
    "The gardener, who had seen nothing unusual, went home.\n\nHis wife's brother asked: “Où est l'été?” "
    "She didn't answer! It was 1895; extraordinary circumstances prevailed. "
) * 40


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return add_special_tokens(Tokenizer.from_file(str(WEIGHTS / "gpt-books" / "tokenizer.json")))


@pytest.fixture(scope="module")
def books(tokenizer) -> Sentences:
    return read_sentences([TEXT, TEXT.upper(), TEXT.lower()], tokenizer)


def test_a_word_ends_where_a_space_or_a_sign_stands_and_keeps_its_pieces(tokenizer):
    encoding = tokenizer.encode(" The gardener's extraordinary été, 1895!")
    words = Masking(tokenizer).words(torch.tensor([encoding.ids]))[0].tolist()
    pieces: dict[int, list[int]] = {}
    for word, number in zip(words, encoding.ids, strict=True):
        pieces.setdefault(word, []).append(number)
    read = [tokenizer.decode(numbers, skip_special_tokens=False) for numbers in pieces.values()]
    assert read[:2] == ["[CLS]", " The"]
    assert " gardener" in read
    assert " extraordinary" in read
    assert " été" in read
    assert read[-1] == "[SEP]"


def test_a_hidden_word_is_typed_with_the_space_before_it(tokenizer):
    typed, unmasked = tokenizer.encode("by the [MASK] and").ids, tokenizer.encode("by the sea and").ids
    mask = tokenizer.token_to_id("[MASK]")
    assert typed == [mask if number == tokenizer.token_to_id("Ġsea") else number for number in unmasked]


@pytest.mark.parametrize("always_masked", [True, False])
def test_whole_words_are_asked_for_in_the_planned_share_and_nothing_else_is_changed(tokenizer, books, always_masked):
    masking = Masking(tokenizer)
    tokens = torch.from_numpy(books.tokens[: len(books.tokens) // 50 * 50].astype("int64").reshape(-1, 50))
    tokens[:, 0] = tokenizer.token_to_id("[CLS]")
    hidden = masking.mask_words(tokens, torch.Generator().manual_seed(3), always_masked=always_masked)
    assert hidden.is_target.float().mean().item() == pytest.approx(SHARE, abs=0.03)
    assert not hidden.is_target[:, 0].any()
    assert (hidden.tokens == tokens)[~hidden.is_target].all()
    words = masking.words(tokens)
    for row in range(len(tokens)):
        for word in words[row].unique():
            assert hidden.is_target[row][words[row] == word].float().mean().item() in (0, 1)
    masked = (hidden.tokens == masking.mask)[hidden.is_target].float().mean().item()
    assert masked == 1 if always_masked else masked == pytest.approx(0.8, abs=0.06)


def test_a_second_text_follows_the_first_unless_it_is_said_to_be_another(tokenizer, books):
    batches = Batches(books, tokenizer, tokens=600, seed=1)
    stream = books.tokens.astype("int64").tolist()
    following = 0
    for step in range(12):
        batch = batches.batch(step, pairs=True)
        assert batch.read.shape[1] in LENGTHS
        unmasked = torch.where(batch.targets >= 0, batch.targets, batch.read)
        for row, segments, is_random in zip(unmasked, batch.segments, batch.next_sentence_labels, strict=True):
            first = row[(segments == 0) & ~batches.masking.special[row]].tolist()
            second = row[(segments == 1) & ~batches.masking.special[row]].tolist()
            assert row[-1] == row[(segments == 0).sum() - 1] == batches.separator
            together = first + second
            stands = any(stream[at : at + len(together)] == together for at in range(len(stream)))
            following += stands
            assert stands or is_random
    assert following


def test_a_batch_depends_on_its_step_alone(tokenizer, books):
    one, other = (Batches(books, tokenizer, tokens=300, seed=5) for _ in range(2))
    other.batch(1)
    torch.testing.assert_close(one.batch(7).read, other.batch(7).read)
    torch.testing.assert_close(one.batch(7).targets, other.batch(7).targets)
