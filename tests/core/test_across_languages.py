"""Two languages in one input: each gap is guessed as the model itself says, and maps are sums over their pieces."""

from math import log2

import pytest
import torch

from core.capture import record_attention
from core.probing.masked_words.across_languages import (
    GuessPair,
    attention_across_languages,
    guess_with_and_without,
    sides_of,
)
from core.probing.masked_words.masked_places import MaskedToken
from core.translation.both_languages import bert_alignment_maps, pair_input
from core.translation.given_words import maps_between_words, tokenize_words
from core.translation.spelling import normalise_english, normalise_french
from core.zoo.embedded import MASKED
from core.zoo.masked_language_models import MaskedLanguageModel
from tests.core.tiny_bert import tiny_pairs

ENGLISH, FRENCH = "The small car is red.", "La petite voiture est rouge."


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> MaskedLanguageModel:
    return tiny_pairs(tmp_path_factory.mktemp("weights"))


def test_it_is_not_asked_whether_a_sentence_follows_and_not_offered_for_any_text(model):
    assert model.next_sentence is None
    assert "bert-pairs" not in MASKED


def test_a_pair_is_encoded_as_in_its_training(model):
    words = [[*text[:-1].split(), "."] for text in (ENGLISH, FRENCH)]
    source = tokenize_words(model.tokenizer, words[0], normalise_english, french=False)
    target = tokenize_words(model.tokenizer, words[1], normalise_french, french=True)
    tokens = model.encode_pair(ENGLISH, FRENCH)
    row, segments = pair_input(model.tokenizer, source, target)
    assert (list(tokens.ids), list(tokens.segments)) == (row, segments)
    assert [[word.label.strip() for word in side] for side in sides_of(tokens)] == words


def test_each_gap_is_what_the_model_says_with_the_other_language_behind_it_and_alone(model):
    (gap,) = guess_with_and_without(model, ENGLISH, FRENCH, {4})
    ids = list(model.encode_pair(ENGLISH, FRENCH).ids)
    place, end = gap.with_other.place, ids.index(model.tokenizer.token_to_id("[SEP]"))
    assert model.label(ids[place]).strip() == "red"
    assert gap.alone.place == place
    assert gap.with_other.true == gap.alone.true == ids[place]
    ids[place] = model.mask
    segments = [0] * (end + 1) + [1] * (len(ids) - end - 1)
    with torch.inference_mode():
        beside = model.network(torch.tensor([ids]), torch.tensor([segments]))[0, place].softmax(-1)
        alone = model.network(torch.tensor([ids[: end + 1]]))[0, place].softmax(-1)
    torch.testing.assert_close(gap.with_other.probabilities, beside)
    torch.testing.assert_close(gap.alone.probabilities, alone)


def test_what_is_hidden_in_the_other_language_changes_only_the_guess_beside_it(model):
    (visible,), (hidden,) = (
        guess_with_and_without(model, ENGLISH, FRENCH, {4}),
        guess_with_and_without(model, ENGLISH, FRENCH, {4}, {4}),
    )
    assert not torch.allclose(visible.with_other.probabilities, hidden.with_other.probabilities)
    torch.testing.assert_close(visible.alone.probabilities, hidden.alone.probabilities)


def test_the_french_sentence_stands_first_when_its_words_are_guessed(model):
    gaps = guess_with_and_without(model, FRENCH, ENGLISH, {1, 2})
    assert [model.label(gap.with_other.true).strip() for gap in gaps] == ["petite", "voiture"]


def test_a_mask_of_the_visitors_own_is_guessed_in_its_own_sentence_only(model):
    (gap,) = guess_with_and_without(model, "The small car is [MASK].", FRENCH, ())
    assert gap.with_other.true is None
    assert guess_with_and_without(model, FRENCH, "The small car is [MASK].", ()) == ()


def test_bits_are_how_often_the_truth_became_twice_as_probable():
    gaps = [MaskedToken(1, 0, torch.tensor([share, 1 - share])) for share in (0.8, 0.1)]
    assert GuessPair(*gaps).bits == pytest.approx(3.0)
    assert GuessPair(*gaps[::-1]).bits == pytest.approx(-3.0)
    never = MaskedToken(1, 0, torch.tensor([0.0, 1.0]))
    assert GuessPair(gaps[0], never).bits == pytest.approx(log2(0.8) - log2(1e-30))


def test_maps_are_sums_over_the_pieces_looked_at_and_means_over_those_that_look(model):
    tokens = model.encode_pair("An extraordinarily small car", "Une voiture extraordinairement petite")
    maps = attention_across_languages(model, tokens)
    english, french = sides_of(tokens)
    assert max(len(word.places) for word in (*english, *french)) > 1
    assert maps.shape == (2, 3, len(french), len(english))
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(tokens)
    for layer, call in enumerate(record.calls):
        for head in range(3):
            weights = call.weights(head)
            for row, target in enumerate(french):
                for column, source in enumerate(english):
                    total = sum(float(weights[i, j]) for i in target.places for j in source.places)
                    assert float(maps[layer, head, row, column]) == pytest.approx(total / len(target.places), abs=1e-5)


def test_maps_of_whole_pairs_are_those_that_were_compared_with_the_links_of_people(model):
    source = tokenize_words(model.tokenizer, [*ENGLISH[:-1].split(), "."], normalise_english, french=False)
    target = tokenize_words(model.tokenizer, [*FRENCH[:-1].split(), "."], normalise_french, french=True)
    measured = maps_between_words(
        bert_alignment_maps(model.network, model.tokenizer, [(source, target)])[0], source, target
    )
    torch.testing.assert_close(attention_across_languages(model, model.encode_pair(ENGLISH, FRENCH)), measured)
