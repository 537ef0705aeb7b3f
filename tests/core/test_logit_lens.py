"""The lens is the model's own norm and head: compared with both written out, and with the logits of the model."""

import pytest
import torch
import torch.nn.functional as F
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

from core.errors import CaptureError
from core.interpretability import walk
from core.interpretability.logit_lens import logit_lens
from tests.core.tiny_models import PAIR_FAMILIES, TEXT_FAMILIES, picture, tiny_gpt, tiny_timm, tiny_transformers, tokens

IDS = tokens(batch=1)


def with_head(family: str):
    classes = {"bert": AutoModelForMaskedLM, "t5": AutoModelForSeq2SeqLM, "bart": AutoModelForSeq2SeqLM}
    name, sizes = (TEXT_FAMILIES | PAIR_FAMILIES)[family]
    torch.manual_seed(0)
    model = classes.get(family, AutoModelForCausalLM).from_config(AutoConfig.for_model(name, **sizes)).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return model


def run_of(family: str):
    if family in PAIR_FAMILIES:
        return lambda network: network(input_ids=IDS, decoder_input_ids=IDS.flip(1))
    return lambda network: network(IDS)


@torch.no_grad()
def test_in_our_gpt_it_is_norm_and_unembedding_after_each_block():
    model = tiny_gpt()
    lens = logit_lens(walk(model, lambda network: network(IDS)))
    x = model.token_embedding(IDS) + model.position_embedding(torch.arange(IDS.shape[1]))
    for layer in range(3):
        if layer:
            x = model.blocks[layer - 1](x)
        expected = F.linear(model.norm(x), model.token_embedding.weight)[0].softmax(-1)
        assert torch.equal(lens.best[layer], expected.argmax(-1))
        assert torch.allclose(lens.probability[layer], expected.amax(-1), atol=1e-6)


@pytest.mark.parametrize("family", ["gpt2", "llama"])
@torch.no_grad()
def test_in_decoders_of_transformers_it_is_their_norm_and_their_output_embeddings(family):
    model = with_head(family)
    lens = logit_lens(walk(model, run_of(family)))
    hidden = model(IDS, output_hidden_states=True).hidden_states
    norm = model.transformer.ln_f if family == "gpt2" else model.model.norm
    for layer in range(2):  # the library has already normalised the last one
        expected = model.get_output_embeddings()(norm(hidden[layer]))[0].softmax(-1)
        assert torch.allclose(lens.probability[layer], expected.amax(-1), atol=1e-5)


@pytest.mark.parametrize("family", ["gpt2", "llama", "opt", "gemma2", "bert", "t5", "bart"])
@torch.no_grad()
def test_after_the_last_layer_it_shows_the_models_own_logits(family):
    model = with_head(family)
    lens = logit_lens(walk(model, run_of(family)))
    assert torch.allclose(lens.logits, run_of(family)(model).logits[0], atol=1e-5)
    assert torch.equal(lens.best[-1], lens.final)
    assert (lens.final_rank[-1] == 1).all()


@pytest.mark.parametrize("family", ["vit", "deit-distilled", "swin"])
@torch.no_grad()
def test_a_picture_has_one_class_after_each_layer(family):
    model, pixels = tiny_timm(family), picture(side=32 if family == "swin" else 16)[:1]
    lens = logit_lens(walk(model, lambda network: network(pixels)))
    assert lens.best.shape == (3, 1)
    assert torch.allclose(lens.logits, model(pixels), atol=1e-5)


def test_without_a_head_there_is_a_sentence():
    with pytest.raises(CaptureError, match="has no head"):
        logit_lens(walk(tiny_transformers("bert"), lambda network: network(IDS)))


def test_progress_is_told_and_may_stop_it():
    reports = []

    def stop(done: int, total: int) -> None:
        reports.append((done, total))
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        logit_lens(walk(tiny_gpt(), lambda network: network(IDS)), stop)
    assert reports == [(0, 3), (1, 3)]


def test_nothing_is_left_on_the_model():
    model = tiny_gpt()
    before = model(IDS)
    logit_lens(walk(model, lambda network: network(IDS)))
    assert torch.equal(model(IDS), before)
    assert not any(module._forward_hooks or "forward" in vars(module) for module in model.modules())
