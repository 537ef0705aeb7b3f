"""CLIPs and SigLIPs of the library, by folder: the vectors are the library's own, and each head is recorded."""

import json

import pytest
import torch
import transformers
from PIL import Image
from torch.testing import assert_close

from core.attribution.word_maps import clip_maps, text_relevance
from core.capture import record_attention
from core.errors import ModelError
from core.hub.permissions import Permission
from core.zoo import inspect, load_pair
from tests.core.saved_models import save_pair, save_text_model

PICTURE = Image.linear_gradient("L").convert("RGB")


@pytest.fixture(scope="module", params=["clip", "siglip"])
def folder(request, tmp_path_factory):
    return save_pair(request.param, tmp_path_factory.mktemp(request.param))


def test_vectors_are_those_of_the_library(folder):
    model = load_pair(str(folder))
    network = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    pixels = model.prepare(PICTURE).pixels
    is_siglip = network.config.model_type == "siglip"
    tokenizer.pad_token = "</s>"
    more = {"padding": "max_length", "max_length": 12} if is_siglip else {}
    ids = tokenizer("a red star", return_tensors="pt", **more)["input_ids"]
    with torch.no_grad():
        output = network(pixel_values=pixels, input_ids=ids)
    assert_close(model.pictures(pixels), output.image_embeds, atol=1e-5, rtol=1e-4)
    assert_close(model.texts(["a red star"]), output.text_embeds, atol=1e-5, rtol=1e-4)
    score = model.temperature * model.pictures(pixels) @ model.texts(["a red star"]).T
    bias = network.logit_bias if is_siglip else 0.0
    assert_close(score + bias, output.logits_per_image.detach(), atol=1e-4, rtol=1e-4)


def test_each_head_of_the_eyes_is_recorded_and_maps_cover_the_patches(folder):
    model = load_pair(str(folder))
    pixels = model.prepare(PICTURE).pixels
    with record_attention(model.vision_encoder) as record:
        model.pictures(pixels)
    for call in record.calls:
        assert_close(call.weights(0).sum(dim=-1), torch.ones(call.query_length))
    maps = clip_maps(model, pixels, "a red star", [["a star"], ["a red cat", "a red"]])
    patches = model.grid[0] * model.grid[1]
    assert {tuple(rows.shape) for rows in maps.values()} == {(2, patches)}
    assert_close(maps["attention"][0], maps["attention"][1])
    assert not torch.allclose(maps["relevance"][0], maps["relevance"][1])
    tokens = model.encode("a red star")
    worth = text_relevance(model, model.pictures(pixels)[0], "a red star")
    assert worth.shape == (len(tokens),)
    assert (worth >= 0).all()
    last = record.calls[-1]
    mean = torch.stack([last.weights(head)[0] for head in range(last.heads)]).mean(dim=0)
    assert_close(maps["attention"][0], mean[-patches:], atol=1e-5, rtol=1e-4)


def test_any_word_may_be_asked_for_and_a_long_text_is_cut(folder):
    model = load_pair(str(folder))
    assert model.unknown("a red unicorn") == ()
    tokens = model.encode("a red star " * 20)
    assert len(tokens) == 12
    assert tokens.cut is not None
    assert model.texts(["a red star " * 20]).shape == model.texts(["a"]).shape


def test_what_compares_nothing_is_refused_in_a_sentence(tmp_path, folder):
    gpt = save_text_model("gpt2", tmp_path / "gpt2")
    with pytest.raises(ModelError, match="does not read pictures and texts together"):
        load_pair(str(gpt))
    with pytest.raises(ModelError, match="does not read pictures and texts together"):
        inspect("gpt-books", "both")
    with pytest.raises(ModelError, match="does not compare pictures with texts"):
        load_pair("gpt-books")
    with pytest.raises(ModelError, match="Take one of those that come along"):
        inspect("openai/clip-vit-base-patch32", "both", permission=Permission())
    assert inspect(str(folder), "both").task == "agreement"


def test_a_config_that_promises_more_than_its_weights_is_refused(tmp_path):
    folder = save_pair("clip", tmp_path)
    config = json.loads((folder / "config.json").read_text())
    config["text_config"]["num_hidden_layers"] = 5000
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError):
        load_pair(str(folder))
