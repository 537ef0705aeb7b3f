"""What a folder of transformers is for: told from what its model reads, not from the end of a class's name."""

import json

import pytest
import torch
import transformers
from PIL import Image

from core import zoo
from core.errors import ModelError
from core.hub.architectures import read_kind
from core.hub.modalities import modalities_of
from core.hub.permissions import Purpose
from core.models.from_transformers import patch_of
from tests.core import saved_models

_SIZES = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
_SEES = {**_SIZES, "image_size": 32, "patch_size": 8}
_STAGES = {"depths": [1, 1], "num_heads": [1, 2], "image_size": 32}
_SEGFORMER = {
    **{"num_encoder_blocks": 2, "depths": [1, 1], "hidden_sizes": [8, 16], "num_attention_heads": [1, 2]},
    **{"sr_ratios": [2, 1], "patch_sizes": [7, 3], "strides": [4, 2], "mlp_ratios": [2, 2], "image_size": 32},
}
# Class of the model, sizes of its configuration, and what it reads.
PICTURES = {
    "Dinov2WithRegistersModel": _SEES,
    "IJepaModel": _SEES,
    "SegformerModel": _SEGFORMER,
    "SegformerForSemanticSegmentation": _SEGFORMER,
    "Swinv2Model": {**_STAGES, "embed_dim": 8, "window_size": 4, "patch_size": 4},
    "ViTModel": _SEES,
    "ViTMSNModel": _SEES,
    "YolosModel": {**_SEES, "image_size": [32, 32], "num_detection_tokens": 3},
    "YolosForObjectDetection": {**_SEES, "image_size": [32, 32], "num_detection_tokens": 3},
}
OTHERS = {
    "Wav2Vec2Model": ({**_SIZES, "conv_dim": [8], "conv_stride": [5], "conv_kernel": [10]}, "sound"),
    "VideoMAEModel": ({**_SEES, "num_frames": 2}, "videos"),
    "PatchTSTModel": ({"d_model": 16, "num_hidden_layers": 1, "num_attention_heads": 2}, "time series"),
    "DecisionTransformerModel": ({"hidden_size": 16, "n_layer": 1, "n_head": 2}, "states and actions"),
}


def saved(name, sizes, folder):
    """A folder with a small random model, as the library saves it; one that sees brings its processor."""
    torch.manual_seed(0)
    model = getattr(transformers, name)
    model(model.config_class(**sizes)).save_pretrained(folder)
    if name in PICTURES:
        transformers.ViTImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
    return folder


def refusal(folder, purpose: Purpose):
    with pytest.raises(ModelError) as error:
        read_kind(folder, "mine", purpose)
    return str(error.value)


@pytest.mark.parametrize("name", PICTURES)
def test_what_reads_pictures_alone_is_for_the_page_for_pictures(name, tmp_path):
    folder = saved(name, PICTURES[name], tmp_path)
    assert read_kind(folder, "mine", "image").task == "picture"
    assert refusal(folder, "text") == f"'mine' ({name}) reads pictures. Open it in Explore / Image."
    assert "fill in hidden patches" in refusal(folder, "gaps")


@pytest.mark.parametrize("name", ["Dinov2WithRegistersModel", "IJepaModel", "SegformerModel", "ViTMSNModel"])
def test_the_page_for_pictures_opens_it(name, tmp_path):
    model = zoo.load_image(str(saved(name, PICTURES[name], tmp_path)))
    side = 32 // model.patch[0]
    prepared = model.prepare(Image.new("RGB", (40, 40), "grey"))
    assert (prepared.patches.rows, prepared.patches.columns) == (side, side)
    assert len(prepared.patches.prefix) == {"Dinov2WithRegistersModel": 5, "ViTMSNModel": 1}.get(name, 0)


def test_what_reads_other_things_says_which_on_every_page(tmp_path):
    for name, (sizes, reads) in OTHERS.items():
        folder = saved(name, sizes, tmp_path / name)
        for purpose in ("text", "image", "both"):
            sentence = refusal(folder, purpose)
            assert sentence.startswith(f"'mine' ({name}) reads {reads}, and no page here can feed it."), sentence


@pytest.mark.parametrize(
    ("save", "kind", "page"),
    [
        (saved_models.save_pair, "siglip", "CLIP"),
        (saved_models.save_captioner, "blip", "Captioning"),
        (saved_models.save_captioner, "git", "Captioning"),
        (saved_models.save_captioner, "vit-gpt2", "Captioning"),
        (saved_models.save_vilt, "ForMaskedLM", "Vision-language model"),
    ],
)
def test_what_reads_pictures_and_texts_is_sent_to_its_own_page(save, kind, page, tmp_path):
    folder = save(kind, tmp_path)
    for purpose in ("text", "image"):
        assert refusal(folder, purpose).endswith(f"reads pictures and texts. Open it in Words and pictures / {page}.")
    assert read_kind(folder, "mine", "both").task in ("agreement", "caption", "joint")


def test_of_a_clip_the_half_that_sees_is_opened_as_a_picture_model(tmp_path):
    folder = saved_models.save_pair("clip", tmp_path)
    assert read_kind(folder, "mine", "image").task == "picture"
    assert "Open it in Words and pictures / CLIP" in refusal(folder, "text")


def test_what_no_page_feeds_with_both_says_what_it_reads(tmp_path):
    (tmp_path / "config.json").write_text(
        json.dumps({"model_type": "llava", "architectures": ["LlavaForConditionalGeneration"]})
    )
    for purpose in ("text", "image", "both"):
        assert "reads pictures and texts, and no page here can feed it." in refusal(tmp_path, purpose)


@pytest.mark.parametrize("kind", ["gpt2", "bert", "bert-headless", "bert-classifier", "t5"])
def test_what_reads_texts_alone_is_for_the_page_for_texts(kind, tmp_path):
    folder = saved_models.save_text_model(kind, tmp_path)
    assert read_kind(folder, "mine", "text").task != "picture"
    assert "reads text. Open it in Explore / Text" in refusal(folder, "image")


def test_a_class_name_that_the_library_does_not_know_is_read_by_its_configuration(tmp_path):
    folder = saved("ViTMSNModel", _SEES, tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"architectures": ["TheirOwnModel"]}))
    assert read_kind(folder, "mine", "image").task == "picture"


def test_a_part_of_a_larger_model_reads_what_its_own_forward_pass_takes():
    """`Gemma3ForCausalLM` inherits the modalities of the model with pictures, and takes none."""
    config = transformers.Gemma3TextConfig()
    assert modalities_of("Gemma3ForCausalLM", config) == {"texts"}
    assert modalities_of("Gemma3ForConditionalGeneration", config) == {"texts", "pictures"}
    assert modalities_of("ImageGPTModel", transformers.ImageGPTConfig()) == {"pictures"}
    assert modalities_of("PerceiverForMaskedLM", transformers.PerceiverConfig()) == frozenset()  # takes anything


def test_patches_of_a_network_in_stages_are_those_of_its_first():
    assert patch_of(transformers.SegformerConfig(strides=[4, 2, 2, 2])) == (4, 4)
    assert patch_of(transformers.ViTConfig(patch_size=[16, 8])) == (16, 8)
    with pytest.raises(ModelError, match="how large its patches are"):
        patch_of(transformers.BertConfig())
