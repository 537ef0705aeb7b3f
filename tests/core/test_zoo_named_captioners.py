"""BLIP, GIT and a ViT with a GPT-2, by folder: captions are the library's own, every map is one of its own weights."""

import pytest
import torch
import transformers
from PIL import Image
from torch.testing import assert_close

from core.errors import InputError, ModelError
from core.zoo import load_named_captioner, load_pair
from core.zoo.transformers_captioners import LONGEST
from tests.core.saved_models import save_captioner, save_pair

PICTURE = Image.linear_gradient("L").convert("RGB")
CLASSES = {
    "blip": "BlipForConditionalGeneration",
    "git": "GitForCausalLM",
    "vit-gpt2": "VisionEncoderDecoderModel",
}


@pytest.fixture(scope="module", params=list(CLASSES))
def captioner(request, tmp_path_factory):
    folder = save_captioner(request.param, tmp_path_factory.mktemp(request.param))
    network = getattr(transformers, CLASSES[request.param]).from_pretrained(folder, attn_implementation="eager").eval()
    return request.param, load_named_captioner(str(folder)), network


def run(kind, network, pixels, ids):
    """The library's own run, with its own attention."""
    named = "decoder_input_ids" if kind == "vit-gpt2" else "input_ids"
    with torch.no_grad():
        return network(pixel_values=pixels, output_attentions=True, **{named: torch.tensor([ids])})


def test_what_it_writes_is_what_the_library_writes(captioner):
    kind, model, network = captioner
    pixels = model.prepare(PICTURE).pixels
    decoded = model.write(pixels, beam=2)
    more = {"decoder_start_token_id": 1} if kind == "vit-gpt2" else {}
    more |= {} if kind == "blip" else {"pad_token_id": 2}
    with torch.no_grad():
        (row,) = network.generate(
            pixel_values=pixels, max_new_tokens=LONGEST, num_beams=2, do_sample=False, **more
        ).tolist()
    row = row[1:]
    row = row[: row.index(2) + 1] if 2 in row else row
    assert list(decoded.best.tokens) == row
    logits = run(kind, network, pixels, [1, *row[:-1]]).logits[0, -len(row) :]
    chosen = logits.log_softmax(dim=-1).gather(1, torch.tensor(row)[:, None])[:, 0]
    assert decoded.best.log_probabilities == pytest.approx(chosen.tolist(), abs=1e-4)


@pytest.mark.parametrize("text", ["a red star", "cat"])
def test_maps_are_the_librarys_own_weights_of_words_on_patches(captioner, text):
    kind, model, network = captioner
    pixels = model.prepare(PICTURE).pixels
    words = model.encode(text)
    looked = model.look(pixels, words)
    output = run(kind, network, pixels, [1, *words.ids[:-1]])
    count = len(words)
    if kind == "git":
        own = [layer[0, :, -count:, 1:17] for layer in output.attentions]
    else:
        own = [layer[0, :, :, 1:] for layer in output.cross_attentions] if kind == "vit-gpt2" else None
    assert len(looked.maps) == 2
    for number, layer in enumerate(looked.maps):
        assert layer.shape == (2, count, 16)
        assert (layer.sum(dim=-1) <= 1 + 1e-5).all()
        if own is not None:
            assert_close(layer, own[number], atol=1e-5, rtol=1e-4)
    expected = output.logits[0, -count:].log_softmax(dim=-1)[range(count), list(words.ids)]
    assert looked.log_probabilities == pytest.approx(expected.tolist(), abs=1e-4)


def test_what_cannot_be_read_gets_a_sentence(captioner):
    _, model, _ = captioner
    with pytest.raises(InputError, match="sees nothing in this text"):
        model.encode("  ")
    with pytest.raises(InputError, match=f"has 50 tokens; at most {LONGEST}"):
        model.encode("a " * 50)


def test_a_captioner_compares_nothing_and_a_clip_describes_nothing(tmp_path):
    blip, clip = save_captioner("blip", tmp_path / "blip"), save_pair("clip", tmp_path / "clip")
    with pytest.raises(ModelError, match="does not compare pictures with texts"):
        load_pair(str(blip))
    with pytest.raises(ModelError, match="does not describe pictures"):
        load_named_captioner(str(clip))
    with pytest.raises(ModelError, match="does not describe pictures"):
        load_named_captioner("gpt-books")
