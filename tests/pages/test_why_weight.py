"""Why this weight: the explanation below the map, its numbers against the model's own, and when there is none."""

import math

import pytest
import torch

from core.heads.weight_explanation import explain_weight
from dashboard.cache import memo
from dashboard.inputs import controls
from dashboard.output import why_weight
from dashboard.output import why_weight_sentences as sentences
from dashboard.recordings import layer_outputs
from dashboard.recordings.watched import watch_text
from tests.core.saved_models import save_text_model
from tests.pages.conftest import message_text, prose
from tests.pages.explained_weights import check_cell, figures, is_open

TEXT, IMAGE = "explore/text", "explore/image"
NAME, SHORT = "gpt-books", "The door was locked, so the old man took a key"
CELL = {"text": SHORT, "layer": "2", "head": "1", "token": "6", "key": "3"}


def test_nothing_is_computed_until_a_cell_is_chosen(visit, monkeypatch):
    monkeypatch.setattr(why_weight, "show", None)  # to call it would fail
    assert not is_open(visit(TEXT, text=SHORT, token="6"))


def test_each_number_of_a_cell_of_a_text_is_the_models_own(visit):
    app = visit(TEXT, **CELL)
    check_cell(app, watch_text(NAME, SHORT).record.calls[2], head=1, query=6, key=3)
    assert sum(range(1, 7)) == sum(int(f"**{step}." in prose(app)) * step for step in range(1, 7))


def test_the_button_leads_back_to_the_map_and_the_cell_stays_closed(visit):
    app = visit(TEXT, **CELL)
    app.button(key="why_back").click().run()
    assert not app.exception
    assert not is_open(app)
    assert not is_open(app.run())


@pytest.mark.parametrize("cell", [{"key": "99"}, {"token": "99"}, {"token": ""}, {"key": "x"}, {"layer": "77"}])
def test_an_address_without_a_cell_of_the_map_shows_the_map_alone(visit, cell):
    app = visit(TEXT, **CELL | cell)
    assert is_open(app) == ("layer" in cell)  # a layer that is not there is that of the start
    assert app.title[0].value == "Text"


def test_a_later_token_is_forbidden_and_says_so(visit):
    app = visit(TEXT, **CELL | {"token": "3", "key": "6"})
    assert "the mask forbids this key" in prose(app)
    assert any(r"-\infty" in formula.value for formula in app.latex)


def test_with_ablated_heads_the_changed_head_is_refused_and_no_output_is_added_up(visit):
    app = visit(TEXT, **CELL | {"silenced": "2.1", "maps": "heads ablated"})
    captions = message_text(app, "caption")
    assert "something else changed them" in captions
    assert sentences.ABLATED.replace("\\", "") in captions
    assert sentences.CHECKED not in captions
    assert "query" not in figures(app)


def test_a_cell_of_a_picture_is_explained_up_to_the_output(visit):
    app = visit(IMAGE, token="0", key="30")
    assert list(figures(app)) == ["query", "score", "weight"]
    assert "**5. Output.**" in prose(app)
    assert "**6." not in prose(app)


def test_a_model_that_fills_masks_has_no_next_word(visit):
    app = visit(TEXT, **CELL | {"model": "bert-books"})
    assert "**5. Output.**" in prose(app)
    assert "**6." not in prose(app)


def test_a_text_that_is_too_long_for_the_last_steps_keeps_the_first_ones_and_says_the_rule(visit, monkeypatch):
    monkeypatch.setattr(layer_outputs, "LONGEST", 4)
    monkeypatch.setattr(layer_outputs, "LONGEST_LOGITS", 4)
    app = visit(TEXT, **CELL | {"text": "The door was locked and nobody had a key"})
    assert list(figures(app)) == ["query", "score", "weight"]
    assert message_text(app, "caption").count("at most 4 tokens") == 2
    assert "**5." not in prose(app)
    assert "**6." not in prose(app)


def test_rotary_attention_with_shared_keys_is_followed_to_the_next_word(tmp_path):
    watched = watch_text(str(save_text_model("llama", tmp_path)), "The quick brown fox")
    explanation = explain_weight(watched.record.calls[1], 3, 4, 2)
    assert explanation.scores
    heads = layer_outputs.next_word(watched, 4).heads[explanation.call.path]
    assert heads.shape == (explanation.call.heads, explanation.call.key_length)
    assert not heads[:, 5:].any()  # later tokens
    memo.clear()


def test_what_a_head_adds_to_the_next_word_is_its_vector_through_norm_and_unembedding():
    watched = watch_text(NAME, controls.FIRST_TEXT)
    token, layer, head = 9, 4, 2
    word = layer_outputs.next_word(watched, token)
    logits = watched.run.logits[token]
    assert (word.best, word.second) == tuple(logits.topk(2).indices.tolist())
    assert word.difference == pytest.approx(float(logits[word.best] - logits[word.second]), abs=1e-3)
    network, call, stream = watched.model.network, watched.record.calls[layer], []
    hook = network.norm.register_forward_hook(lambda _module, args, _output: stream.append(args[0][0, token]))
    with torch.inference_mode():
        network(torch.tensor([watched.inputs.ids]))
        hook.remove()
        out, norm = network.blocks[layer].attention.out.weight, network.norm
        size = out.shape[1] // call.heads
        parts = call.weights(head)[token][:, None] * call.value[0, head] @ out[:, head * size : (head + 1) * size].T
        centred = parts - parts.mean(-1, keepdim=True)
        direction = network.token_embedding.weight[word.best] - network.token_embedding.weight[word.second]
        expected = centred * norm.weight / stream[0].std(correction=0) @ direction
    torch.testing.assert_close(word.heads[call.path][head], expected, atol=2e-3, rtol=1e-2)


def test_sentences_name_no_side_below_the_margin_and_no_minus_zero():
    names = ["“a”", "“b”"]
    assert "toward" not in sentences._toward(0.004, names)
    assert sentences._toward(0.5, names).endswith("toward “a”")
    assert sentences._toward(-0.5, names).endswith("toward “b”")
    assert sentences._percent(-1e-9) == "Less than 0.1%"
    assert sentences._percent(0.0) == "0.0%"
    assert sentences._percent(-0.25) == "−25.0%"
    assert sentences._latex(sentences._weight(1.34e-4)) == r"1.3 \times 10^{-4}"
    assert sentences._weight(math.nan) == "not a number"
