"""Hidden words: scores against a plain loop, sides against what is really in the input, attention across a pair."""

import math

import pytest
import torch

from core import zoo
from core.capture import record_attention
from core.errors import InputError
from core.probing.masked_words import one_sided_context
from core.probing.masked_words.masked_places import hiding_curve, masked_tokens, pseudo_likelihood
from core.probing.masked_words.one_sided_context import guess_by_context, influence
from core.probing.masked_words.queries import Answers, ask_next
from core.probing.masked_words.sentence_pairs import crossing, links_across, segment_vectors
from core.probing.masked_words.words import places_of, words_of
from core.zoo.masked_language_models import MaskedLanguageModel
from tests.core import saved_models
from tests.core.tiny_bert import tiny_bert

TEXT = "The fisherman's uncomfortable chair stood by the fire."


@pytest.fixture(scope="module")
def ours(tmp_path_factory) -> MaskedLanguageModel:
    return tiny_bert(tmp_path_factory.mktemp("weights"))


@pytest.fixture(scope="module")
def gpt():
    return zoo.load_text("gpt-books")


@pytest.fixture(scope="module", params=["ours", "bert", "roberta"])
def any_bert(request, ours, tmp_path_factory) -> MaskedLanguageModel:
    if request.param == "ours":
        return ours
    folder = saved_models.save_text_model(request.param, tmp_path_factory.mktemp("named") / request.param)
    model = zoo.load_text(str(folder))
    assert isinstance(model, MaskedLanguageModel)
    return model


def probability(model: MaskedLanguageModel, tokens, hidden: list[int], place: int) -> float:
    """Of what stands at `place` when `hidden` places are hidden, by one plain run."""
    return float(model.run(model.mask_places(tokens, hidden)).logits[place].softmax(-1)[tokens.ids[place]])


def test_the_words_of_a_text_are_the_text(ours):
    for text in (TEXT, "One.\n\nTwo lines, “quoted”", "猫と犬", "a"):
        words = words_of(ours.encode(text))
        assert "".join(word.label for word in words) == text
        places = [place for word in words for place in word.places]
        assert places == sorted(set(places))
    assert not words_of(ours.encode("... !"))[0].has_letters
    words = words_of(ours.encode(TEXT))
    assert places_of(words, {words[1].number}) == words[1].places
    assert len(words[2].places) > 1  # uncomfortable


def test_words_have_the_same_numbers_for_models_with_other_pieces(ours, tmp_path):
    other = zoo.load_text(str(saved_models.save_text_model("bert", tmp_path / "bert")))
    text = "The quick brown fox jumps."
    first, second = (words_of(model.encode(text)) for model in (ours, other))
    assert [word.number for word in first] == [word.number for word in second]


def test_pseudo_likelihood_is_a_plain_loop_over_hidden_tokens(any_bert):
    tokens = any_bert.encode("The quick brown fox jumps over the lazy dog.")
    scores = pseudo_likelihood(any_bert, tokens)
    for place, special in enumerate(tokens.special):
        if special:
            assert math.isnan(scores.nats[place])
        else:
            assert float(scores.nats[place]) == pytest.approx(
                -math.log(probability(any_bert, tokens, [place], place)), abs=1e-4
            )
    count = sum(not special for special in tokens.special)
    assert scores.tokens == count
    assert scores.perplexity == pytest.approx(math.exp(scores.total / count))
    assert float(scores.by_word.sum()) == pytest.approx(scores.total, rel=1e-5)


def test_with_whole_words_the_later_pieces_are_hidden_too(ours):
    tokens = ours.encode(TEXT)
    places = words_of(tokens)[2].places
    scores = pseudo_likelihood(ours, tokens, whole_words=True)
    for number, place in enumerate(places):
        expected = probability(ours, tokens, list(places[number:]), place)
        assert float(scores.nats[place]) == pytest.approx(-math.log(expected), abs=1e-4)


def test_a_gap_knows_the_rank_of_what_was_hidden_and_not_of_a_mask_that_was_typed(ours):
    tokens = ours.encode("The [MASK] sat by the fire.")
    typed = tokens.ids.index(ours.mask)
    place = len(tokens) - 3
    run = ours.run(ours.mask_places(tokens, [place]))
    gaps = masked_tokens(ours, tokens, [place], run.logits)
    assert [gap.place for gap in gaps] == sorted([typed, place])
    own, hidden = sorted(gaps, key=lambda gap: gap.true is not None)
    assert own.rank is None
    assert math.isnan(own.probability)
    order = run.logits[place].argsort(descending=True).tolist()
    assert hidden.rank == 1 + order.index(tokens.ids[place])
    assert hidden.probability == pytest.approx(float(run.logits[place].softmax(-1)[tokens.ids[place]]))


def test_hiding_more_asks_for_the_same_words_and_ends_with_nothing_to_read(ours):
    tokens = ours.encode(TEXT)
    curve = hiding_curve(ours, tokens, seed=3)
    words = words_of(tokens)
    assert curve.words == len(words)
    assert curve.hidden[0] == 1
    assert curve.hidden[-1] == len(words)
    assert list(curve.hidden) == sorted(set(curve.hidden))
    for word, value in zip(words, curve.answers[0].log_probability.tolist(), strict=True):
        expected = probability(ours, tokens, list(word.places), word.places[0])
        assert value == pytest.approx(math.log(expected), abs=1e-4)
    everything = [place for word in words for place in word.places]
    for word, value in zip(words, curve.answers[-1].log_probability.tolist(), strict=True):
        expected = probability(ours, tokens, everything, word.places[0])
        assert value == pytest.approx(math.log(expected), abs=1e-4)
    again = hiding_curve(ours, tokens, seed=3)
    for first, second in zip(curve.answers, again.answers, strict=True):
        torch.testing.assert_close(first.log_probability, second.log_probability)


def test_one_word_cannot_be_hidden_more(ours):
    with pytest.raises(InputError, match="at least 2"):
        hiding_curve(ours, ours.encode("fire"), seed=0)


def test_progress_is_told_and_may_stop_the_work(ours):
    heard = []
    pseudo_likelihood(ours, ours.encode(TEXT * 6), progress=lambda done, total: heard.append((done, total)))
    assert heard
    assert all(done < total for done, total in heard)

    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pseudo_likelihood(ours, ours.encode(TEXT), progress=stop)


def test_accuracy_and_perplexity_are_those_of_the_answers():
    answers = Answers(torch.tensor([0.5, 0.25, 0.125]).log(), torch.tensor([1, 2, 1]), torch.tensor([4, 5, 6]))
    assert answers.accuracy == pytest.approx(2 / 3)
    assert answers.perplexity == pytest.approx(4)
    assert answers.probability == pytest.approx((0.5 + 0.25 + 0.125) / 3)


def test_asking_what_comes_next_equals_the_run_of_the_text(gpt):
    tokens = gpt.encode("The old man sat by the fire and told")
    ids = torch.tensor([tokens.ids[:4], tokens.ids[2:6]])
    answers = ask_next(gpt, ids, torch.tensor([tokens.ids[4], tokens.ids[6]]))
    for row, truth in ((0, tokens.ids[4]), (1, tokens.ids[6])):
        with torch.inference_mode():
            expected = gpt.network(ids[row : row + 1])[0, -1].log_softmax(-1)
        assert float(answers.log_probability[row]) == pytest.approx(float(expected[truth]), abs=1e-4)
        assert int(answers.best[row]) == int(expected.argmax())


def test_each_side_is_all_that_the_model_gets_to_read(ours, gpt):
    text, side = one_sided_context.page()[:600], 6
    guesses = guess_by_context(gpt, ours, text, side=side)
    ids = gpt.encode(text).ids
    cls, sep = (ours.tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]"))
    words = [word for word in words_of(gpt.encode(text)) if len(word.places) == 1 and word.has_letters]
    targets = [word for word in words if side <= word.places[0] < len(ids) - side]
    assert guesses.words == tuple(word.label.strip() for word in targets)
    for row, word in list(enumerate(targets))[:5]:
        (place,) = word.places
        before, after = ids[place - side : place], ids[place + 1 : place + 1 + side]
        inputs = {
            "left": (cls, *before, ours.mask, sep),
            "right": (cls, ours.mask, *after, sep),
            "both": (cls, *before, ours.mask, *after, sep),
        }
        for name, numbers in inputs.items():
            with torch.inference_mode():
                expected = ours.network(torch.tensor([numbers]))[0, numbers.index(ours.mask)].log_softmax(-1)
            log_probability = getattr(guesses, name).log_probability[row]
            assert float(log_probability) == pytest.approx(float(expected[ids[place]]), abs=1e-4)
        with torch.inference_mode():
            expected = gpt.network(torch.tensor([before]))[0, -1].log_softmax(-1)
        assert float(guesses.next_left.log_probability[row]) == pytest.approx(float(expected[ids[place]]), abs=1e-4)
    most = max(set(guesses.words), key=guesses.words.count)
    assert guesses.commonest == pytest.approx(guesses.words.count(most) / len(guesses.words))


def test_the_held_out_page_has_enough_words_and_a_short_one_is_refused(ours, gpt):
    assert one_sided_context.page().startswith('"I told some of you last Thursday')
    with pytest.raises(InputError, match="no word with 32 tokens on both sides"):
        guess_by_context(gpt, ours, "Too short a page.")


@pytest.mark.parametrize("position", [1, 3, 6])
def test_a_gpt_is_informed_by_nothing_that_comes_later_and_a_bert_by_everything(ours, gpt, position):
    moved, guess = influence(gpt, gpt.encode(TEXT), position)
    words = words_of(gpt.encode(TEXT))
    assert float(guess.sum()) == pytest.approx(1, abs=1e-4)
    assert math.isnan(moved[position])
    assert (moved[position + 1 :] == 0).all()
    assert (moved[:position] > 0).all()
    moved, _ = influence(ours, ours.encode(TEXT), position)
    others = [place for place in range(len(words)) if place != position]
    assert (moved[others] > 0).all()
    assert (moved[others] <= 1).all()


def test_nothing_stands_before_the_first_word(gpt):
    with pytest.raises(InputError, match="Nothing stands before the first word"):
        influence(gpt, gpt.encode(TEXT), 0)


def test_attention_across_is_the_mean_over_words_of_what_goes_to_the_other_sentence(ours):
    tokens = ours.encode_pair("The old man sat.", "Then he lit his pipe by the fire.")
    with torch.inference_mode(), record_attention(ours.network) as record:
        ours.run(tokens)
    shares = crossing(record, tokens)
    own = [place for place, special in enumerate(tokens.special) if not special]
    weights = record.calls[1].weights(head=2)
    expected = 0.0
    for row in own:
        other = [key for key in own if tokens.segments[key] != tokens.segments[row]]
        expected += float(weights[row, other].sum()) / len(own)
    assert float(shares.other[1, 2]) == pytest.approx(expected, abs=1e-5)
    assert float(shares.first[1, 2]) == pytest.approx(float(weights[own, 0].mean()), abs=1e-5)
    marks = [place for place, special in enumerate(tokens.special) if special and place]
    assert float(shares.separators[1, 2]) == pytest.approx(float(weights[own][:, marks].sum(-1).mean()), abs=1e-5)
    first = sum(tokens.segments[place] == 0 for place in own)
    second = len(own) - first
    assert shares.even == pytest.approx(2 * first * second / len(own) / len(tokens))
    assert int(links_across(tokens).sum()) == 2 * first * second


def test_one_text_has_nothing_to_cross_to(ours):
    tokens = ours.encode(TEXT)
    with record_attention(ours.network) as record:
        ours.run(tokens)
    with pytest.raises(ValueError, match="only where there are two"):
        crossing(record, tokens)


def test_segment_vectors_are_found_in_ours_and_in_transformers(ours, tmp_path):
    assert torch.equal(segment_vectors(ours.network), ours.network.bert.segment_embedding.weight)
    named = zoo.load_text(str(saved_models.save_text_model("bert", tmp_path / "bert")))
    assert torch.equal(segment_vectors(named.network), named.network.bert.embeddings.token_type_embeddings.weight)
    assert segment_vectors(zoo.load_text("gpt-books").network) is None
