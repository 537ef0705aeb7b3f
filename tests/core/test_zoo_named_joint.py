"""ViLT by folder: what it says is what the library says, every map is one of its own weights, patch by patch."""

import pytest
import torch
import transformers
from PIL import Image
from torch.testing import assert_close

from core.capture import record_attention
from core.errors import InputError, ModelError
from core.zoo import load_named_joint, load_pair
from tests.core.saved_models import save_pair, save_vilt

PICTURE = Image.radial_gradient("L").convert("RGB")
TEXT = "The quick [MASK] fox"
KINDS = ("Model", "ForMaskedLM", "ForQuestionAnswering", "ForImageAndTextRetrieval")


@pytest.fixture(scope="module", params=KINDS)
def joint_model(request, tmp_path_factory):
    folder = save_vilt(request.param, tmp_path_factory.mktemp(request.param))
    network = getattr(transformers, f"Vilt{request.param}").from_pretrained(folder).eval()
    return request.param, load_named_joint(str(folder)), network


def test_what_it_says_is_what_the_library_says(joint_model):
    kind, model, network = joint_model
    pixels, tokens = model.prepare(PICTURE).pixels, model.encode(TEXT)
    run = model.run(pixels, tokens)
    with torch.no_grad():
        output = network(input_ids=torch.tensor([tokens.ids]), pixel_values=pixels)
    if kind == "ForMaskedLM":
        assert_close(run.words, output.logits[0, : len(tokens)], atol=1e-5, rtol=1e-4)
        (place,) = model.masked(tokens)
        chances = output.logits[0, place].softmax(dim=-1)
        guesses = model.guesses(run, place, 3)
        assert [guess.probability for guess in guesses] == pytest.approx(chances.topk(3).values.tolist(), abs=1e-5)
        assert guesses[0].label == model.tokenizer.id_to_token(int(chances.argmax()))
    elif kind == "ForQuestionAnswering":
        chances = output.logits[0].sigmoid()
        answers = {guess.label: guess.probability for guess in model.best_answers(run)}
        assert answers == pytest.approx(dict(zip(("no", "yes", "two"), chances.tolist(), strict=True)), abs=1e-5)
    elif kind == "ForImageAndTextRetrieval":
        assert run.match == pytest.approx(float(output.logits), abs=1e-5)
    else:
        assert (run.words, run.answers, run.match) == (None, None, None)


def test_maps_are_the_librarys_own_weights_with_its_random_order_undone(joint_model):
    _, model, network = joint_model
    pixels, tokens = model.prepare(PICTURE).pixels, model.encode(TEXT)
    with record_attention(model.network) as record:
        model.run(pixels, tokens)
    looks = model.attention(record, len(tokens))
    assert len(looks) == model.layers == 2
    torch.manual_seed(0)
    with torch.no_grad():
        output = network(input_ids=torch.tensor([tokens.ids]), pixel_values=pixels, output_attentions=True)
        # The same draw as in the library: patches in the order in which they were seen.
        torch.manual_seed(0)
        order = torch.multinomial(torch.ones(16), 16)
    count = len(tokens)
    for layer, own in zip(looks, output.attentions, strict=True):
        words, patches = own[0, :, :count, count + 1 :], own[0, :, count + 1 :, :count].mT
        assert_close(layer.words[:, :, order], words, atol=1e-5, rtol=1e-4)
        assert_close(layer.patches[:, :, order], patches, atol=1e-5, rtol=1e-4)


def test_apart_no_word_looks_at_the_picture_and_the_other_layers_go_on(joint_model):
    _, model, _ = joint_model
    pixels, tokens = model.prepare(PICTURE).pixels, model.encode(TEXT)
    with record_attention(model.network) as record, model.cut_attention(1, len(tokens)):
        model.run(pixels, tokens)
    first, second = model.attention(record, len(tokens))
    assert float(first.words.sum()) > 0
    assert float(second.words.sum()) == float(second.patches.sum()) == 0


def test_what_is_too_long_or_of_another_kind_gets_a_sentence(joint_model, tmp_path):
    _, model, _ = joint_model
    with pytest.raises(InputError, match="has 42 tokens; this model reads at most 32"):
        model.encode("fox " * 40)
    with pytest.raises(ModelError, match="does not compare pictures with texts"):
        load_pair(model.name)
    with pytest.raises(ModelError, match="does not read words and patches in one sequence"):
        load_named_joint(str(save_pair("clip", tmp_path)))
    with pytest.raises(ModelError, match="does not read words and patches in one sequence"):
        load_named_joint("gpt-books")


def test_a_network_whose_positions_do_not_fit_its_pictures_is_refused(tmp_path):
    folder = save_vilt("ForMaskedLM", tmp_path)
    middle = [0.5, 0.5, 0.5]
    transformers.ViltImageProcessor(size={"shortest_edge": 64}, image_mean=middle, image_std=middle).save_pretrained(
        folder
    )
    with pytest.raises(ModelError, match="positions for 16 patches, and its pictures have 64"):
        load_named_joint(str(folder))
