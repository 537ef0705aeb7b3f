"""Formulas against real module trees, torch's own counter, and the libraries' own models."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from core import costs
from core.costs import Shape, count_flops, count_parameters, crossing, flops, memory, parameters, shape_of, total
from core.models.transformer import Transformer, TransformerConfig
from core.zoo.embedded import load_embedded_image, load_embedded_text
from tests.core import tiny_models

DESCRIBED = ("bert", "gpt2", "llama", "qwen3", "mistral", "t5", "vit")


def by_part(lines) -> dict[str, int]:
    return {line.part: line.value for line in lines}


def networks():
    config = TransformerConfig(64, 64, width=32, layers=2, heads=4, hidden=48, dropout=0.0)
    yield "gpt", tiny_models.tiny_gpt(), lambda net: net(tiny_models.tokens(batch=1)), (7, 0)
    yield (
        "transformer",
        Transformer(config).eval(),
        lambda net: net(tiny_models.tokens(batch=1), tiny_models.tokens(batch=1, length=5)),
        (7, 5),
    )
    yield (
        "transformer, nothing shared, pre-norm",
        Transformer(TransformerConfig(64, 64, width=32, layers=2, heads=4, hidden=48, norm="pre", shared=False)).eval(),
        lambda net: net(tiny_models.tokens(batch=1), tiny_models.tokens(batch=1, length=5)),
        (7, 5),
    )
    yield "timm vit", tiny_models.tiny_timm("vit"), lambda net: net(tiny_models.picture()[:1]), (17, 0)
    for family in DESCRIBED:
        inputs = {name: tensor[:1] for name, tensor in tiny_models.inputs_of(family).items()}
        lengths = {"t5": (7, 7), "vit": (17, 0)}.get(family, (7, 0))
        yield family, tiny_models.tiny_transformers(family), lambda net, inputs=inputs: net(**inputs), lengths


ALL = list(networks())


@pytest.mark.parametrize(("network", "run", "lengths"), [case[1:] for case in ALL], ids=[case[0] for case in ALL])
def test_formula_and_count_agree_in_every_part(network, run, lengths):
    shape = shape_of(network)
    assert shape is not None
    assert by_part(parameters(shape)) == count_parameters(network)
    assert total(shape) == sum(parameter.numel() for parameter in network.parameters())
    assert by_part(flops(shape, *lengths)) == count_flops(network, run)


@pytest.mark.parametrize(("network", "run"), [case[1:3] for case in ALL], ids=[case[0] for case in ALL])
def test_the_count_is_that_of_torchs_own_counter(network, run):
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        run(network)
    assert sum(count_flops(network, run).values()) == counter.get_total_flops()


def test_counting_leaves_the_network_as_it_was():
    network = tiny_models.tiny_gpt()
    count_flops(network, lambda net: net(tiny_models.tokens(batch=1)))
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in network.modules())


def test_a_wrong_shape_disagrees():
    network = tiny_models.tiny_gpt()
    shape = costs.gpt(2, 32, 4, vocabulary=64, positions=17)
    assert by_part(parameters(shape)) != count_parameters(network)


@pytest.mark.parametrize("family", ["deberta-v2", "clip-text", "opt"])
def test_an_architecture_without_formulas_is_only_counted(family):
    network = tiny_models.tiny_transformers(family)
    assert shape_of(network) is None
    assert sum(count_parameters(network).values()) == sum(parameter.numel() for parameter in network.parameters())


@pytest.mark.parametrize("family", ["swin", "dinov2", "eva02"])
def test_a_picture_model_that_is_not_a_plain_vit_is_only_counted(family):
    assert shape_of(tiny_models.tiny_timm(family)) is None


def test_a_hybrid_is_only_counted():
    assert shape_of(load_embedded_image("hybrid-vit").network) is None


def test_the_models_that_come_with_the_atlas_agree():
    for network in (
        load_embedded_text("gpt-books").network,
        load_embedded_text("gpt-books-long").network,
        load_embedded_image("vit-tiny-imagenet").network,
    ):
        shape = shape_of(network)
        assert shape is not None
        assert by_part(parameters(shape)) == count_parameters(network)


def built(family: str, auto: str, **changes) -> torch.nn.Module:
    """The library's own network, without numbers: no memory is needed."""
    import transformers

    config = transformers.AutoConfig.for_model(family, **changes)
    with torch.device("meta"):
        return getattr(transformers, auto)(config)


LIBRARY = (
    ("BERT-base", "bert", "BertForPreTraining", {}, costs.bert(12, 768, 12)),
    ("GPT-2 small", "gpt2", "GPT2LMHeadModel", {}, costs.gpt(12, 768, 12)),
    ("GPT-2 xl", "gpt2", "GPT2LMHeadModel", {"n_embd": 1600, "n_layer": 48, "n_head": 25}, costs.gpt(48, 1600, 25)),
    ("T5-small", "t5", "T5ForConditionalGeneration", {}, costs.t5(6, 512, 8, head_dim=64, hidden=2048)),
    (
        "T5-3B",
        "t5",
        "T5ForConditionalGeneration",
        {"d_model": 1024, "d_kv": 128, "d_ff": 16384, "num_layers": 24, "num_heads": 32},
        costs.t5(24, 1024, 32, head_dim=128, hidden=16384),
    ),
    ("ViT-B", "vit", "ViTForImageClassification", {"num_labels": 1000}, costs.vit(12, 768, 12, hidden=3072, patch=16)),
)


@pytest.mark.parametrize(
    ("family", "auto", "changes", "shape"), [case[1:] for case in LIBRARY], ids=[case[0] for case in LIBRARY]
)
def test_the_formula_is_exact_for_the_librarys_own_models(family, auto, changes, shape):
    network = built(family, auto, **changes)
    assert shape_of(network) == shape
    assert by_part(parameters(shape)) == count_parameters(network)


def test_scores_cost_as_much_as_the_mlp_at_the_crossing():
    shape = costs.gpt(6, 288, 6)
    n = crossing(shape)
    assert n == 4 * 288
    worked = by_part(flops(shape, int(n)))
    assert worked["Scores and weighted sum"] == worked["MLP"]
    later = by_part(flops(shape, int(n) + 1))
    assert later["Scores and weighted sum"] > later["MLP"]


def test_work_is_about_twice_the_parameters_for_each_token():
    """Kaplan et al. 2020, section 2.1: 2 N for a token, N without embeddings, while n is small beside 12 d."""
    shape = costs.gpt(96, 12288, 96)
    weights = 12 * 96 * 12288**2
    blocks = sum(line.value for line in flops(shape, 1) if line.part != "Head")
    assert blocks == pytest.approx(2 * weights, rel=1e-4)


def test_memory_of_the_kv_cache_and_the_weights():
    """GPT-3 175B: 2 x 96 layers x 12,288 numbers of two bytes for each token, 4.7 MB."""
    bill = by_part(memory(costs.gpt(96, 12288, 96, positions=2048), 1, "fp16"))
    assert bill["Keys and values kept (KV cache)"] == 4_718_592
    assert bill["Weights"] == pytest.approx(2 * 174.6e9, rel=1e-3)


@pytest.mark.parametrize(
    "shape", [costs.gpt(6, 288, 6), costs.bert(2, 64, 2), costs.t5(2, 32, 4, head_dim=8, hidden=48)]
)
def test_the_numbers_in_a_formula_give_its_value(shape):
    target = 3 if shape.decoder_layers else 0
    for line in (*parameters(shape), *flops(shape, 9, target), *memory(shape, 9, "fp32")):
        assert evaluated(line.filled) == line.value, line.part


@pytest.mark.parametrize("shape", [tiny for tiny in (shape_of(case[1]) for case in ALL) if tiny], ids=lambda _: "")
def test_the_numbers_in_a_formula_give_its_value_in_every_family(shape):
    target = 3 if shape.decoder_layers else 0
    for line in (*parameters(shape), *flops(shape, 20, target), *memory(shape, 9, "int8")):
        assert evaluated(line.filled) == line.value, (line.part, line.filled)


def evaluated(latex: str) -> int:
    """What a formula with numbers comes to, worked out from what a reader sees."""
    return eval(latex.replace("{,}", "").replace(r"\cdot", "*").replace("^", "**"))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"layers": 0}, "at least 1 for 'layers', not 0"),
        ({"key_heads": 3}, "cannot share 3"),
        ({"vocabulary": 0}, "tokens or patches"),
    ],
)
def test_a_shape_that_cannot_be_is_an_error(wrong, words):
    sound = {"layers": 1, "width": 8, "heads": 2, "head_dim": 4, "hidden": 16, "vocabulary": 9}
    with pytest.raises(ValueError, match=words):
        Shape(**{**sound, **wrong})


def test_no_tokens_are_an_error():
    with pytest.raises(ValueError, match="at least 1 token, not 0"):
        flops(costs.gpt(1, 8, 2), 0)
