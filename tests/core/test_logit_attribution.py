"""The parts of a logit difference add up, each is what it is said to be, and where there is none it is said."""

import pytest
import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

from core import zoo
from core.capture import edit_attention
from core.errors import CaptureError
from core.interpretability import walk
from core.interpretability.component_outputs import Component, compute_component_outputs
from core.interpretability.logit_attribution import attribute
from core.interpretability.logit_lens import logit_lens, logits_along
from tests.core.tiny_models import HEADS, PAIR_FAMILIES, TEXT_FAMILIES, VOCABULARY, WIDTH, tiny_gpt, tokens

IDS = tokens(batch=1)
TEXT = "The cat that the dogs chased sat down because it was tired. The cat that the dogs"


def run(network):
    return network(IDS)


def with_head(family: str, **settings):
    classes = {"bert": AutoModelForMaskedLM, "t5": AutoModelForSeq2SeqLM}
    name, sizes = (TEXT_FAMILIES | PAIR_FAMILIES)[family]
    torch.manual_seed(0)
    config = AutoConfig.for_model(name, **(sizes | settings))
    model = classes.get(family, AutoModelForCausalLM).from_config(config).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.2)
    return model.requires_grad_(False)


def assert_adds_up(component_outputs, logits, *, one=5, other=9):
    attribution = attribute(component_outputs, one, other)
    row = logits[component_outputs.token].detach()
    expected = float(row[one] - row[other])
    assert attribution.total == pytest.approx(expected, abs=1e-4)
    assert attribution.difference == pytest.approx(expected, abs=1e-4)
    assert len(attribution.components) == len(set(attribution.components)) == len(attribution.shares)
    for block, heads in component_outputs.heads.items():
        for head in range(len(heads.weights)):
            moved = float(attribution.of_head(block, head).sum())
            assert moved == pytest.approx(attribution.share(Component("head", block, head)), abs=1e-4)
    return attribution


@pytest.mark.parametrize("name", ["gpt-books", "gpt-books-long"])
def test_the_parts_of_our_models_add_up_to_the_difference_and_their_tokens_to_the_parts(name):
    model = zoo.load_text(name)
    encoded = model.encode(TEXT)
    batch = torch.tensor([encoded.ids])
    walked = walk(model.network, lambda network: network(batch))
    component_outputs = compute_component_outputs(walked)
    best, second = walked.logits[-1].topk(2).indices.tolist()
    attribution = assert_adds_up(component_outputs, walked.logits, one=best, other=second)
    assert_adds_up(component_outputs, walked.logits, one=7, other=best)
    kinds = [component.kind for component in attribution.components]
    assert kinds.count("head") == 36
    assert kinds.count("MLP") == 6
    assert kinds.count("position") == (1 if name == "gpt-books" else 0)
    assert not component_outputs.undivided


@pytest.mark.parametrize("token", range(IDS.shape[1]))
def test_at_every_token_the_parts_add_up(token):
    walked = walk(tiny_gpt(), run)
    assert_adds_up(compute_component_outputs(walked, token), walked.logits)


@pytest.mark.parametrize("family", ["gpt2", "llama", "qwen3", "mistral", "opt"])
def test_in_decoders_of_transformers_every_head_and_every_mlp_is_found(family):
    walked = walk(with_head(family), run)
    component_outputs = compute_component_outputs(walked)
    attribution = assert_adds_up(component_outputs, walked.logits)
    kinds = [component.kind for component in attribution.components]
    assert (kinds.count("head"), kinds.count("MLP"), kinds.count("token")) == (2 * HEADS, 2, 1)
    assert kinds.count("position") == (1 if family in ("gpt2", "opt") else 0)


def test_each_part_is_its_vector_through_the_frozen_norm_and_the_unembedding():
    model = tiny_gpt()
    with torch.no_grad():
        model.norm.weight.normal_(1, 0.2)
        model.norm.bias.normal_()
    attribution = attribute(compute_component_outputs(walk(model, run)), 5, 9)
    with torch.no_grad():
        stream = model.token_embedding(IDS) + model.position_embedding(torch.arange(IDS.shape[1]))
        written = {Component("token"): model.token_embedding(IDS)[0, -1]}
        written[Component("position")] = model.position_embedding(torch.tensor(IDS.shape[1] - 1))
        for number, block in enumerate(model.blocks):
            attended = block.attention(block.attention_norm(stream))
            written[Component("MLP", number)] = block.mlp(block.mlp_norm(stream + attended))[0, -1]
            for head in range(HEADS):
                with edit_attention(model, {(f"blocks.{number}.attention", head): "silence"}):
                    # A module that runs alone would have another path.
                    outputs = []
                    hook = block.attention.register_forward_hook(
                        lambda *args, outputs=outputs: outputs.append(args[-1])
                    )
                    model(IDS)
                    hook.remove()
                written[Component("head", number, head)] = (attended - outputs[0])[0, -1]
            stream = block(stream)
        last = stream[0, -1]
        deviation = (last.var(unbiased=False) + model.norm.eps).sqrt()
        direction = model.token_embedding.weight[5] - model.token_embedding.weight[9]
        for component, vector in written.items():
            expected = float(direction @ (model.norm.weight * (vector - vector.mean()) / deviation))
            assert attribution.share(component) == pytest.approx(expected, abs=1e-4), component
        assert attribution.share(Component("constant")) == pytest.approx(float(direction @ model.norm.bias), abs=1e-4)


def test_a_token_that_a_head_does_not_look_at_moves_nothing_and_no_later_one_does():
    attribution = attribute(compute_component_outputs(walk(tiny_gpt(), run), 3), 5, 9)
    moved = attribution.of_head(1, 2)
    assert moved[:4].abs().min() > 0
    assert not moved[4:].any()


def test_a_silenced_head_writes_nothing_and_the_rest_adds_up_to_the_new_difference():
    model = tiny_gpt()
    plain = attribute(compute_component_outputs(walk(model, run)), 5, 9)
    path = compute_component_outputs(walk(model, run)).heads[0].path

    def silenced(network):
        with edit_attention(network, {(path, 1): "silence"}):
            return run(network)

    walked = walk(model, silenced)
    attribution = assert_adds_up(compute_component_outputs(walked), silenced(model)[0])
    assert attribution.share(Component("head", 0, 1)) == 0
    assert plain.share(Component("head", 0, 1)) != 0
    assert attribution.share(Component("head", 0, 0)) == pytest.approx(
        plain.share(Component("head", 0, 0))
        * attribution.component_outputs.norm.scale
        / plain.component_outputs.norm.scale,
        abs=1e-5,
    )
    assert attribution.share(Component("MLP", 1)) != plain.share(Component("MLP", 1))


def test_the_lens_of_an_edited_run_is_read_by_a_run_without_the_edit():
    model = tiny_gpt()

    def silenced(network):
        with edit_attention(network, {("blocks.1.attention", 1): "silence"}):
            return run(network)

    plain, edited = walk(model, run), walk(model, silenced)
    lens = logits_along(edited, readout_run=run)
    torch.testing.assert_close(lens[-1], silenced(model)[0, -1])
    torch.testing.assert_close(lens[:2], logits_along(plain)[:2])  # nothing was silenced before block 1
    assert (lens[2] - logits_along(plain)[2]).abs().max() > 1e-4


def test_all_logits_of_the_lens_agree_with_what_it_says_is_best():
    walked = walk(tiny_gpt(), run)
    lens = logit_lens(walked)
    for token in (0, 4, -1):
        assert torch.equal(logits_along(walked, token).argmax(dim=-1), lens.best[:, token])


@pytest.mark.parametrize(("family", "says"), [("bert", "not a sum of what each part wrote"), ("gemma2", "not affine")])
def test_where_logits_are_no_sum_of_parts_a_sentence_says_so(family, says):
    # Gemma 2 caps its logits; BERT has its norms on the stream itself.
    settings = {"final_logit_softcapping": 1.0} if family == "gemma2" else {}
    walked = walk(with_head(family, **settings), run)
    with pytest.raises(CaptureError, match=says):
        attribute(compute_component_outputs(walked), 5, 9)


def test_a_norm_between_the_heads_and_the_stream_is_frozen_too():
    model = with_head("gemma2", final_logit_softcapping=None)
    walked = walk(model, run)
    component_outputs = compute_component_outputs(walked)
    assert set(component_outputs.heads) == {0, 1}
    assert component_outputs.heads[0].norm is not None
    assert_adds_up(component_outputs, walked.logits)


def test_a_model_that_gives_the_whole_input_one_verdict_is_refused():
    with pytest.raises(CaptureError, match="no logits"):
        compute_component_outputs(walk(OnePlace(), run))


class Block(nn.Module):
    """A block of our GPT with something between: attention beside the MLP, a gate, or a factor."""

    def __init__(self, kind: str):
        super().__init__()
        block = tiny_gpt().blocks[0]
        self.norm, self.attention, self.mlp = block.attention_norm, block.attention, block.mlp
        self.kind = kind

    def forward(self, x):
        normed = self.norm(x)
        if self.kind == "parallel":
            return x + (self.attention(normed) + self.mlp(normed))
        attended = self.attention(normed)
        x = x + (attended * torch.sigmoid(normed) if self.kind == "gate" else attended)
        return x + self.mlp(self.norm(x))


class OnePlace(nn.Module):
    """A decoder with two such blocks; its answer is about the whole input, or about each token."""

    def __init__(self, kind: str = "usual", *, all_positions: bool = False):
        super().__init__()
        torch.manual_seed(1)
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block(kind) for _ in range(2))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY)
        self.all_positions = all_positions
        self.eval().requires_grad_(False)

    def forward(self, ids):
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x if self.all_positions else x[:, -1]))


def test_attention_beside_the_mlp_is_told_apart():
    walked = walk(OnePlace("parallel", all_positions=True), run)
    attribution = assert_adds_up(compute_component_outputs(walked), walked.logits)
    kinds = [component.kind for component in attribution.components]
    assert (kinds.count("head"), kinds.count("MLP"), kinds.count("bias")) == (2 * HEADS, 2, 0)  # its bias is zero


def test_a_gate_behind_the_heads_leaves_the_layer_whole_with_a_reason_and_the_sum_exact():
    walked = walk(OnePlace("gate", all_positions=True), run)
    component_outputs = compute_component_outputs(walked)
    attribution = assert_adds_up(component_outputs, walked.logits)
    assert not component_outputs.heads
    assert "stands between" in component_outputs.undivided[1]
    assert [component.kind for component in attribution.components].count("attention") == 2


def test_a_bias_of_the_unembedding_is_in_the_constant():
    model = OnePlace(all_positions=True)
    before = attribute(compute_component_outputs(walk(model, run)), 5, 9)
    with torch.no_grad():
        model.head.bias[5] += 2
    after = attribute(compute_component_outputs(walk(model, run)), 5, 9)
    assert after.share(Component("constant")) - before.share(Component("constant")) == pytest.approx(2, abs=1e-5)
    torch.testing.assert_close(after.shares[:-1], before.shares[:-1])


def test_the_model_is_left_as_it_was():
    model = tiny_gpt()
    attribute(compute_component_outputs(walk(model, run)), 5, 9)
    assert not any(module._forward_hooks for module in model.modules())


def test_numbers_that_are_none_are_said_to_be():
    model = tiny_gpt()
    with torch.no_grad():
        model.token_embedding.weight.fill_(float("nan"))
    with pytest.raises(CaptureError):
        compute_component_outputs(walk(model, run))
