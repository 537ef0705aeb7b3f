"""A model in memory is one of the zoo: it measures as the same model from a folder, and stays as it was."""

import pytest
import timm
import torch
from torch import nn
from transformers import AutoModelForCausalLM, AutoTokenizer, ViTConfig, ViTForImageClassification, ViTImageProcessor

from core import zoo
from core.capture import record_attention
from core.errors import ModelError
from core.heads.head_table import measure_heads
from core.images import open_example
from core.models.gpt import GPT, GPTConfig
from core.zoo.text_models import CausalLanguageModel, EncoderDecoder
from tests.core.saved_models import byte_level_tokenizer, save_text_model
from tests.core.tiny_models import tiny_gpt

SENTENCE = "the cat listens to the dog"


def measured(model):
    tokens = model.encode(SENTENCE)
    with torch.inference_mode(), record_attention(model.network) as record:
        run = model.run(tokens)
    return measure_heads(model, run, record)


def test_a_wrapped_model_measures_as_the_same_model_from_its_folder(tmp_path):
    folder = save_text_model("gpt2", tmp_path / "gpt2")
    network, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    network.train()
    wrapped, named = zoo.wrap(network, tokenizer=tokenizer), zoo.load_text(str(folder))
    assert isinstance(wrapped, CausalLanguageModel)
    assert (wrapped.context, wrapped.encode(SENTENCE)) == (named.context, named.encode(SENTENCE))
    ours, theirs = measured(wrapped), measured(named)
    assert ours.values.keys() == theirs.values.keys()
    for name in ours.values:
        torch.testing.assert_close(ours.values[name], theirs.values[name], equal_nan=True)
    # The model is as it was: in training, with gradients, its memory shared.
    assert network.training
    assert all(parameter.requires_grad for parameter in network.parameters())
    assert not any(parameter.requires_grad for parameter in wrapped.network.parameters())
    assert next(wrapped.network.parameters()).data_ptr() == next(network.parameters()).data_ptr()


@pytest.mark.parametrize(("kind", "expected"), [("t5", EncoderDecoder), ("bert-classifier", zoo.Classifier)])
def test_what_it_does_is_told_by_its_class(tmp_path, kind, expected):
    named = zoo.load_text(str(save_text_model(kind, tmp_path / kind)))
    wrapped = zoo.wrap(named.network, tokenizer=named.tokenizer)
    assert isinstance(wrapped, expected)
    assert wrapped.classes == named.classes


def test_a_module_of_ones_own_says_its_task():
    tokenizer = byte_level_tokenizer()
    network = GPT(GPTConfig(vocabulary=tokenizer.get_vocab_size(), context=32, width=16, layers=1, heads=2))
    with pytest.raises(ModelError, match="task='next token'"):
        zoo.wrap(network, tokenizer=tokenizer)
    wrapped = zoo.wrap(network, tokenizer=tokenizer, task="next token", context=32, name="mine")
    assert wrapped.name == "mine"
    assert len(wrapped.predictions(wrapped.run(wrapped.encode("the cat")))) == 5


def test_models_that_see_are_wrapped_with_or_without_a_processor():
    torch.manual_seed(0)
    small = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 32}
    theirs = ViTForImageClassification(ViTConfig(image_size=64, patch_size=16, num_labels=3, **small))
    processor = ViTImageProcessor(size={"height": 64, "width": 64})
    of_timm = timm.create_model(
        "vit_tiny_patch16_224",
        img_size=64,
        embed_dim=32,
        num_heads=4,
        depth=1,
        num_classes=3,
        pretrained_cfg_overlay={"input_size": (3, 64, 64)},
    )
    for model in (zoo.wrap(theirs, processor=processor), zoo.wrap(of_timm)):
        prepared = model.prepare(open_example("cat"))
        with torch.inference_mode(), record_attention(model.network) as record:
            run = model.run(prepared)
        assert (prepared.patches.rows, prepared.patches.columns) == (4, 4)
        assert model.sequences_of(record[0], run) == ("patches", "patches")


def test_what_does_not_fit_together_gets_a_sentence():
    with pytest.raises(ModelError, match="is wrapped with its tokenizer"):
        zoo.wrap(tiny_gpt())
    with pytest.raises(ModelError, match="Its tokenizer is a str"):
        zoo.wrap(tiny_gpt(), tokenizer="gpt2", task="next token")
    with pytest.raises(ModelError, match="'yours' is on meta, and here models compute on the processor"):
        zoo.wrap(nn.Linear(3, 3, device="meta"), tokenizer=byte_level_tokenizer(), task="next token")
    with pytest.raises(ModelError, match="'yours' cannot be wrapped"):
        zoo.wrap(nn.Linear(3, 3), tokenizer=byte_level_tokenizer(), task="next token", context=8)
