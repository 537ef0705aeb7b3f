"""Beam search against loops that anybody can read: argmax, exhaustive enumeration, one teacher-forced pass."""

import inspect
import itertools

import pytest
import torch

from core.translation.decoding import BEGIN, END, PAD, PENALTY, Decoded, Hypothesis, beam_search, padded
from core.zoo.translators import KINDS as TRANSLATORS
from tests.core.tiny_translators import KINDS, reads, sentence, tiny

LONGEST = 8
SEEDS = (0, 2, 4, 5)


def search(kind: str, source, *, seed: int = 0, **options) -> Decoded:
    return beam_search(tiny(kind, seed=seed), source, **options)[0]


def log_probabilities(model, source, tokens) -> list[float]:
    """Of each token of a target, from one pass over all of it."""
    target = torch.tensor([tokens])
    logits = model(source, reads(target))[0]
    return logits.log_softmax(dim=-1)[torch.arange(len(tokens)), target[0]].tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_beam_of_one_is_the_most_probable_token_again_and_again(kind, seed):
    model, source = tiny(kind, seed=seed), sentence(seed=seed)
    written: list[int] = []
    while len(written) < LONGEST and END not in written:
        logits = model(source, torch.tensor([[BEGIN, *written]]))[0, -1]
        logits[[PAD, BEGIN]] = -torch.inf
        written.append(int(logits.argmax()))
    (decoded,) = beam_search(model, source, beam=1, max_tokens=LONGEST)
    assert list(decoded.best.tokens) == written
    assert decoded.best.ended == (END in written)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("penalty", [0.0, 0.6])
def test_a_batch_is_translated_as_its_sentences_are_one_by_one(kind, beam, penalty):
    model = tiny(kind)
    sentences = [sentence(length=length, seed=length) for length in (3, 9, 5, 2)]
    together = beam_search(
        model, *padded([tokens[0].tolist() for tokens in sentences]), beam=beam, penalty=penalty, keep_steps=True
    )
    for source, batched in zip(sentences, together, strict=True):
        (alone,) = beam_search(model, source, beam=beam, penalty=penalty, keep_steps=True)
        assert [hypothesis.tokens for hypothesis in batched.hypotheses] == [
            hypothesis.tokens for hypothesis in alone.hypotheses
        ]
        assert batched.best.log_probabilities == pytest.approx(alone.best.log_probabilities, abs=1e-4)
        assert len(batched.steps) == len(alone.steps)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize("penalty", [0.0, 0.6])
def test_a_beam_that_holds_everything_finds_the_best_of_all_translations(kind, seed, penalty):
    longest, model, source = 4, tiny(kind, vocabulary=6, seed=seed), sentence(vocabulary=6, seed=seed)
    words = [token for token in range(6) if token not in (PAD, BEGIN, END)]
    every = [
        (*before, END) for length in range(longest) for before in itertools.product(words, repeat=length)
    ]  # 1 + 3 + 9 + 27
    scores = {tokens: sum(log_probabilities(model, source, tokens)) for tokens in every}
    best = max(every, key=lambda tokens: scores[tokens] / ((5 + len(tokens)) / 6) ** penalty)
    (decoded,) = beam_search(model, source, beam=3**longest, penalty=penalty, max_tokens=longest)
    assert decoded.best.tokens == best
    assert decoded.best.log_probability == pytest.approx(scores[best], abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_log_probabilities_are_those_of_one_teacher_forced_pass_and_add_up(kind, seed):
    model, source = tiny(kind, seed=seed), sentence(seed=seed)
    (decoded,) = beam_search(model, source, beam=4, max_tokens=LONGEST)
    for hypothesis in decoded.hypotheses:
        expected = log_probabilities(model, source, hypothesis.tokens)
        assert list(hypothesis.log_probabilities) == pytest.approx(expected, abs=1e-4)
        assert hypothesis.log_probability == pytest.approx(sum(expected), abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("beam", [1, 3, 5])
def test_every_result_is_a_path_of_kept_candidates_in_the_tree(kind, seed, beam):
    decoded = search(kind, sentence(seed=seed), seed=seed, beam=beam, max_tokens=LONGEST, keep_steps=True)
    for hypothesis in decoded.hypotheses:
        last = len(hypothesis.tokens) - 1
        places = [place for place, candidate in enumerate(decoded.steps[last]) if candidate.hypothesis == hypothesis]
        assert len(places) == 1
        walked, place = [], places[0]
        for step in reversed(decoded.steps[: last + 1]):
            candidate = step[place]
            assert candidate.is_kept
            walked.append(candidate.token)
            place = candidate.parent
        assert place is None
        assert tuple(reversed(walked)) == hypothesis.tokens


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beam", [1, 3, 5])
def test_the_tree_holds_what_a_beam_holds(kind, beam):
    decoded = search(kind, sentence(), beam=beam, max_tokens=LONGEST, keep_steps=True)
    for number, step in enumerate(decoded.steps):
        totals = [candidate.hypothesis.log_probability for candidate in step]
        assert totals == sorted(totals, reverse=True)
        going = [candidate for candidate in step if candidate.is_kept and not candidate.hypothesis.ended]
        assert len(going) <= beam
        assert all(
            candidate.is_kept == (candidate.hypothesis in decoded.hypotheses)
            for candidate in step[:beam]
            if candidate.hypothesis.ended
        )
        for candidate in step:
            assert len(candidate.hypothesis.tokens) == number + 1
            assert (candidate.parent is None) == (number == 0)
            if candidate.parent is not None:
                before = decoded.steps[number - 1][candidate.parent]
                assert before.is_kept
                assert not before.hypothesis.ended
                assert candidate.hypothesis.tokens[:-1] == before.hypothesis.tokens


def test_results_are_ordered_by_score_and_the_penalty_is_that_of_the_paper():
    decoded = search("bahdanau", sentence(), beam=5, max_tokens=LONGEST, penalty=1.0)
    scores = [hypothesis.score(1.0) for hypothesis in decoded.hypotheses]
    assert scores == sorted(scores, reverse=True)
    assert Hypothesis((5, 6, END), (-1.0, -2.0, -0.5), True).score(0.6) == pytest.approx(-3.5 / (8 / 6) ** 0.6)


@pytest.mark.parametrize("kind", KINDS)
def test_padding_and_the_beginning_are_never_written(kind):
    decoded = search(kind, sentence(), beam=5, max_tokens=LONGEST, keep_steps=True)
    written = {candidate.token for step in decoded.steps for candidate in step}
    assert not written & {PAD, BEGIN}


def test_progress_tells_each_step_and_ends_with_the_result():
    reports: list[tuple[int, Hypothesis]] = []
    decoded = search(
        "transformer",
        sentence(),
        beam=3,
        max_tokens=LONGEST,
        progress=lambda step, best: reports.append((step, best[0])),
    )
    assert [step for step, _ in reports] == list(range(1, len(reports) + 1))
    assert reports[-1][1] == decoded.best


def test_a_search_can_be_stopped_by_an_exception_in_its_progress():
    class StopError(Exception):
        pass

    def stop(step, best):
        del best
        if step == 2:
            raise StopError

    with pytest.raises(StopError):
        search("seq2seq", sentence(), beam=2, max_tokens=LONGEST, progress=stop)


def test_an_unlimited_search_ends_at_ten_more_than_half_as_many_again():
    model = tiny("seq2seq")
    model.readout.head.weight.data[END] = 0  # the end is never better than something else
    decoded = beam_search(model, sentence(length=6), beam=1)[0]
    assert len(decoded.best.tokens) <= 6 + 3 + 10


def test_a_beam_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least 1 hypothesis, not 0"):
        search("seq2seq", sentence(), beam=0)


def test_all_translators_use_the_penalty_that_is_named():
    for wrapper, _, _ in TRANSLATORS.values():
        assert inspect.signature(wrapper.write).parameters["penalty"].default == PENALTY


@pytest.mark.parametrize("beam", [1, 4])
def test_excluded_tokens_are_never_written_and_nothing_ends_before_its_shortest(beam):
    model = tiny("transformer", seed=3)
    usual = beam_search(model, sentence(), beam=beam, max_tokens=8)[0].best
    barred = set(usual.tokens) - {END}
    assert barred
    decoded = beam_search(model, sentence(), beam=beam, max_tokens=8, excluded=tuple(barred), shortest=3)[0]
    for hypothesis in decoded.hypotheses:
        assert not barred & set(hypothesis.tokens)
        assert END not in hypothesis.tokens[:3]
        state, last = model.read(sentence(), None), torch.tensor([BEGIN])
        for token, log_probability in zip(hypothesis.tokens, hypothesis.log_probabilities, strict=True):
            logits, state = model.step(last, state)
            assert log_probability == pytest.approx(float(logits[0].log_softmax(-1)[token]), abs=1e-4)
            last = torch.tensor([token])
