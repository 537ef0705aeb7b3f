"""Three kinds: masks and predictions are those of the models, and sentences and results those of runs and files."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.capture import record_attention
from core.errors import InputError
from core.probing.masked_words.words import words_of
from core.results import language_model_results, translator_results
from core.zoo import load_text, load_translator
from dashboard import contents
from dashboard.inputs import controls, example_texts
from pages.foundations.inside_the_transformer import compute_kinds as compute
from pages.foundations.inside_the_transformer import kinds
from pages.foundations.inside_the_transformer.kinds_sentences import (
    BOTH,
    DECODER,
    ENCODER,
    about_later_tokens,
    about_links,
    about_predictions,
    later_share,
    measured,
)
from tests.dashboard.watched import calls_of, causal
from tests.pages.conftest import check, message_text, prose
from tests.pages.session import controls_of

PAGE = contents.INSIDE.folder
TEXT = example_texts.opening("three-kinds")
KINDS = "Three kinds"


@pytest.fixture(scope="module")
def runs():
    """The opening in the three models, with the word that is masked at first."""
    shared = compute.shared(TEXT)
    chosen = compute.usual_word(shared.words)
    return compute.fill(shared.text, chosen), compute.go_on(shared.text), compute.translate(shared.text)


@pytest.fixture
def opened(visit):
    return lambda **query: visit(PAGE, show=KINDS, **query)


def test_the_masks_are_full_causal_and_full_across(runs):
    filled, continued, translated = runs
    assert filled.links.allowed.all()
    for links in (continued.links, translated.decoder):
        np.testing.assert_array_equal(links.allowed, np.tri(len(links.allowed), dtype=bool))
    assert translated.encoder.allowed.all()
    assert translated.cross.allowed.all()
    assert translated.cross.allowed.shape == (len(translated.read), len(translated.source))
    assert [links.mask for links in translated.links] == ["none", "causal", "none"]


def test_mean_attention_is_the_mean_of_the_maps_head_by_head(runs):
    model = load_text("gpt-books")
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(model.encode(TEXT))
    maps = [call.weights(head=head) for call in record.calls for head in range(call.heads)]
    links = runs[1].links
    expected = torch.stack(maps).mean(dim=0).numpy()
    np.testing.assert_allclose(np.nan_to_num(links.mean), expected, atol=1e-6)
    assert (links.heads, links.layers) == (len(maps), len(record.calls))
    assert np.isnan(links.mean[np.triu_indices(len(expected), 1)]).all()


def test_the_maps_of_the_encoder_decoder_are_those_of_its_alignment(runs):
    translated, model = runs[2], load_translator("transformer")
    target = model.tokens(model.write(model.encode(TEXT)).best.tokens)
    aligned = model.align(model.encode(TEXT), target)
    for links in translated.links:
        expected = torch.cat(aligned.maps[links.side]).mean(dim=0).numpy()
        np.testing.assert_allclose(np.nan_to_num(links.mean), expected, atol=1e-5)
    assert translated.log_probability == pytest.approx(sum(aligned.log_probabilities), abs=1e-3)
    assert translated.text == model.text(target.ids)
    assert (translated.tokens, translated.ended, translated.unknown) == (len(target), True, 0)
    assert compute.translate("The 猫 sleeps.").unknown == 1


def test_predictions_are_those_of_the_models_alone(runs):
    filled, continued, _ = runs
    bert, gpt = load_text("bert-books"), load_text("gpt-books")
    tokens = bert.encode(TEXT)
    word = words_of(tokens)[filled.chosen]
    ids = torch.tensor([tokens.ids])
    ids[0, list(word.places)] = bert.mask
    probabilities = bert.network(ids)[0, word.places[0]].softmax(-1)
    values, numbers = probabilities.topk(5)
    assert [prediction.number for prediction in filled.predictions] == numbers.tolist()
    np.testing.assert_allclose([prediction.probability for prediction in filled.predictions], values, rtol=1e-4)
    assert filled.probability == pytest.approx(float(probabilities[tokens.ids[word.places[0]]]), rel=1e-4)
    following = gpt.network(torch.tensor([gpt.encode(TEXT).ids]))[0, -1].softmax(-1)
    assert [prediction.number for prediction in continued.predictions] == following.topk(5).indices.tolist()


def test_the_map_of_the_encoder_decoder_has_its_parts_in_their_places(runs):
    translated = runs[2]
    n, m = len(translated.source), len(translated.read)
    categories = kinds.categories(translated.links, kinds.SIDES)
    places = {"encoder": (slice(n), slice(n)), "decoder": (slice(n, None), slice(n, None))}
    places["cross"] = (slice(n, None), slice(n))
    for number, side in enumerate(kinds.SIDES, start=1):
        assert set(np.unique(categories[places[side]])) <= {0, number}
    assert (categories[:n, n:] == 0).all()
    assert (categories > 0).sum() == n * n + m * (m + 1) // 2 + m * n
    np.testing.assert_array_equal(np.isnan(kinds.weights(translated.links)), categories == 0)


def test_the_numbers_of_the_first_sentence_follow_from_the_lengths(runs):
    filled, continued, translated = runs
    b, g, n, m = len(filled.tokens), len(continued.tokens), len(translated.source), len(translated.read)
    sentence = about_links(*runs)
    assert f"**{b * b} of {b * b}** links open (n² for n = {b})" in sentence
    assert f"**{g * (g + 1) // 2} of {g * g}** (n(n + 1)/2 for n = {g})" in sentence
    assert f"{n * n} of {n * n} within the source, {m * (m + 1) // 2} of {m * m} within" in sentence
    assert f"{m * n} of {m * n} from translation to source" in sentence


def test_a_mask_of_neither_kind_and_a_single_token_have_no_formula(runs):
    window = torch.where((torch.arange(6)[:, None] - torch.arange(6)).abs() < 3, 1 / 3, -1.0)[None]
    lone = torch.ones(1, 1, 1)
    links = [compute.links_of("encoder", tuple(calls_of(pattern).values())) for pattern in (window, lone)]
    sentence = about_links(replace(runs[0], links=links[0]), replace(runs[1], links=links[1]), runs[2])
    assert f"**{int((window >= 0).sum())} of 36** links open, the decoder's **1 of 1**. The encoder-decoder" in sentence


def test_a_wrong_prediction_is_not_called_right(runs):
    filled, continued, translated = runs
    assert "which is right" in about_predictions(*runs)
    wrong = replace(filled, true=filled.predictions[1].number, probability=0.0001)
    sentence = about_predictions(wrong, continued, translated)
    assert "right" not in sentence
    assert "the true token has less than 0.1%" in sentence
    typed = compute.fill("The old [MASK] opened his eyes", 2)
    assert typed.true is None
    assert "true token" not in about_predictions(typed, continued, translated)


def test_attention_to_later_tokens_is_the_upper_half(runs):
    even = torch.full((2, 5, 5), 1 / 5)
    both, backwards = (
        compute.links_of("encoder", tuple(calls_of(pattern).values())) for pattern in (even, causal(even))
    )
    assert later_share(both) == pytest.approx(2 / 5)
    assert later_share(backwards) == 0
    spread = about_later_tokens(replace(runs[0], links=both), replace(runs[1], links=backwards))
    assert "**40%**" in spread
    assert "would be 40%); the decoder's mask leaves none of it." in spread
    assert "the decoder gives them 40%" in about_later_tokens(
        replace(runs[0], links=both), replace(runs[1], links=both)
    )


def test_results_are_those_of_the_files():
    def read(folder):
        return json.loads((folder / "results.json").read_text())

    bert, gpt = read(language_model_results.BERT), read(language_model_results.GPT)
    scores = read(translator_results.FOLDER)["models"]["transformer"]
    results = measured()
    assert f"**{bert['baselines']['the model']['accuracy']:.1%}**" in results[ENCODER][0]
    assert f"**{bert['hidden_words']['words_accuracy']:.1%}**" in results[ENCODER][1]
    for line, text in zip(results[DECODER], gpt["held_out"].values(), strict=True):
        assert f"**{text['perplexity_per_token']:.1f}**" in line
        assert f"(trigram: {text['trigram_bits_per_byte']:.2f})" in line
    assert f"**{scores['bleu']:.1f}**" in results[BOTH][0]


def test_a_long_text_is_cut_once_for_all_three():
    shared = compute.shared("The old man opened the door. " * 30)
    assert shared.cut
    runs = compute.fill(shared.text, 3), compute.go_on(shared.text), compute.translate(shared.text)
    assert max(len(runs[0].tokens), len(runs[1].tokens), len(runs[2].source), len(runs[2].read)) <= compute.LONGEST


@pytest.mark.parametrize("text", ["a", "!!!", "<b>x</b> 👩‍👩‍👧 שלום <img src=x>", "[MASK]", "[CLS] [SEP]"])
def test_odd_texts_are_read_as_they_are(opened, text):
    page = opened(text=text)
    assert not page.warning
    assert "<b>" not in " ".join(element.value for element in page.markdown)


def test_a_text_without_a_word_is_refused(monkeypatch):
    monkeypatch.setattr(compute, "words_of", lambda _: ())
    with pytest.raises(InputError, match="no word"):
        compute.shared("A text that no other test reads")


def test_the_section_opens_with_text_examples_and_settings_only(opened):
    page = opened()
    assert set(controls_of(page)) == {"text", "cells", "show", "text_example"}
    assert "which is right" in prose(page)
    assert not page.info
    assert not page.warning


def test_an_empty_text_is_a_sentence(opened):
    assert "There is no text here yet" in opened(text=" ").warning[0].value


def test_a_cut_text_says_how_much_is_read(opened):
    assert "All three models read the first 38 of" in message_text(opened(text="the cat sat " * 60), "caption")


@pytest.mark.parametrize("masked", ["99", "-1", "x"])
def test_a_word_that_is_not_there_is_the_usual_one(opened, masked):
    assert "In place of “looked”" in prose(opened(masked=masked))


def test_a_link_masks_another_word(opened):
    assert "In place of “man”" in prose(opened(masked="2", cells="Mean attention"))


def test_another_section_and_back_keep_the_text_of_the_visitor(opened):
    page = opened(text="He opened the letter and began to read")
    check(page.button_group(key="show").set_value("Stream").run())
    assert page.text_area(key="text").value == "He opened the letter and began to read"
    check(page.button_group(key="show").set_value(KINDS).run())
    assert page.text_area(key="text").value == "He opened the letter and began to read"
    assert "the encoder predicts" in prose(page)


def test_the_example_of_another_section_is_replaced_by_the_opening(visit):
    page = visit(PAGE)
    check(page.button_group(key="show").set_value(KINDS).run())
    assert page.text_area(key="text").value == TEXT
    check(page.button_group(key="show").set_value("Stream").run())
    assert page.text_area(key="text").value == controls.FIRST_TEXT
