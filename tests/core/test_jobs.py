"""What is said of a head holds against a control in which there is nothing to do."""

import pytest
import torch

from core import zoo
from core.capture import record_attention
from core.errors import InputError
from core.heads.head_table import induction_scores
from core.heads.jobs import AgainstControl, Jobs, previous_tokens, random_repeats, repeated_words, repetitions
from core.zoo.text_models import CausalLanguageModel
from tests.core.saved_models import byte_level_tokenizer

FOUND, NO_INDUCTION = (5, 2), (4, 5)  # of gpt-books: the second gives much to a word that stood there once, too


@pytest.fixture(scope="module")
def gpt():
    return zoo.load_text("gpt-books")


@pytest.fixture(scope="module")
def repeated(gpt):
    return repeated_words(gpt, 40)


def test_the_pairs_differ_in_nothing_but_the_repetition():
    for repeated, fresh, word in repetitions(60):
        (first, same), (other, again) = repeated.split(", and "), fresh.split(", and ")
        assert same == again
        assert first.lower().startswith(same.lower())
        assert first.split()[-1] == other.split()[-1] == word
        assert len(first.split()) == len(other.split())
        assert not set(first.lower().split()[:-1]) & (set(other.lower().split()) - {"at", "to", "of"})


def test_a_head_finds_what_followed_the_same_words_and_another_only_seems_to(repeated):
    assert repeated.best == FOUND
    assert repeated.of(FOUND).holds
    assert repeated.of(NO_INDUCTION).job > 0.15
    assert not repeated.of(NO_INDUCTION).holds


def test_the_weights_are_those_of_the_last_token_on_the_word(gpt, repeated):
    text, fresh, word = repetitions(1)[0]
    for of, sentence in ((repeated.job, text), (repeated.control, fresh)):
        tokens = gpt.encode(sentence)
        with record_attention(gpt.network) as record:
            gpt.run(tokens)
        place = [label.strip() for label in tokens.labels].index(word)
        for layer, head in (FOUND, NO_INDUCTION, (0, 0)):
            row = record.calls[layer].weights(head)[-1]
            assert float(of[0, layer, head]) == pytest.approx(float(row[place]), abs=1e-6)


def test_what_goes_to_the_token_before_is_set_against_the_one_before_that(gpt):
    text = "The dog that the boy saw was tired because it was old."
    tokens = gpt.encode(text)
    with record_attention(gpt.network) as record:
        gpt.run(tokens)
    weights = record.calls[3].weights(2)
    rows = range(2, len(tokens))
    score = previous_tokens(gpt, [text, "It"]).of((3, 2))
    assert score.job == pytest.approx(sum(float(weights[row, row - 1]) for row in rows) / len(rows), abs=1e-6)
    assert score.control == pytest.approx(sum(float(weights[row, row - 2]) for row in rows) / len(rows), abs=1e-6)
    assert score.cases == 1
    assert not score.holds, "One case has no standard error."
    with pytest.raises(InputError, match="3 tokens"):
        previous_tokens(gpt, ["It"])


@pytest.mark.parametrize(
    ("job", "control", "holds"),
    [
        ([0.6, 0.7, 0.8], [0.1, 0.2, 0.1], True),
        ([0.1, 0.2, 0.1], [0.6, 0.7, 0.8], False),  # reversed
        ([0.5, 0.5], [0.5, 0.5], False),  # equal
        ([0.9, 0.1, 0.9, 0.0], [0.3, 0.3, 0.4, 0.3], False),  # within the noise
        ([0.52, 0.53, 0.52], [0.5, 0.5, 0.5], False),  # certain, and too little for a name
        ([0.9], [0.1], False),  # no standard error
        ([float("nan")] * 3, [0.1] * 3, False),
    ],
)
def test_a_job_holds_by_a_margin_and_its_standard_error(job, control, holds):
    jobs = Jobs(*(torch.tensor(values)[:, None, None] for values in (job, control)))
    assert jobs.of((0, 0)).holds is holds


def test_a_model_without_heads_has_no_best_one_and_no_head_that_is_not_there():
    empty = Jobs(torch.zeros(3, 0, 0), torch.zeros(3, 0, 0))
    assert empty.best is None
    assert Jobs(torch.full((2, 1, 1), torch.nan), torch.zeros(2, 1, 1)).best is None
    with pytest.raises(InputError, match="no head 7 in layer 0"):
        Jobs(torch.zeros(2, 1, 1), torch.zeros(2, 1, 1)).of((0, 7))
    assert AgainstControl(0.5, 0.2, float("nan"), 1).difference == pytest.approx(0.3)


def test_on_random_tokens_the_score_is_set_against_tokens_that_are_not_repeated(gpt):
    repeats = random_repeats(gpt)
    scores = induction_scores(gpt)
    torch.testing.assert_close(repeats.job.mean(dim=0), scores, atol=1e-6, rtol=0)
    assert repeats.of(FOUND).job > 5 * repeats.of(FOUND).control
    assert repeats.of(NO_INDUCTION).job < 0.03, "Chance is about 0.01."
    assert repeats.job.shape[0] == repeats.control.shape[0] > 1


def test_a_head_that_always_looks_so_many_tokens_back_finds_no_repetition():
    class Back(torch.nn.Module):
        """One head that attends to the token half a text before each token's own, but one, whatever it is."""

        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(512, 4)

        def forward(self, ids):
            count = ids.shape[1]
            vectors = self.embedding(ids)[:, None]
            bias = torch.full((count, count), -1e4)
            for place in range(count):
                bias[place, max(0, place - count // 2 + 1)] = 0
            return torch.nn.functional.scaled_dot_product_attention(vectors, vectors, vectors, attn_mask=bias)[:, 0]

    tokenizer = byte_level_tokenizer()
    repeats = random_repeats(CausalLanguageModel("back", "back", Back(), tokenizer, 32))
    assert repeats.of((0, 0)).job == pytest.approx(1)
    assert repeats.of((0, 0)).control == pytest.approx(1)
    assert not repeats.of((0, 0)).holds


def test_the_sentence_of_home_is_not_among_those_that_choose_its_head():
    assert all("The old man looked at their house, and" not in repeated for repeated, _, _ in repetitions())
