"""Explanations of picture models against references written out with loops and torch's own gradient."""

import pytest
import timm
import torch
from torch import nn

from core.attribution import image_methods as explained
from core.attribution.class_activation import class_activation, last_feature_map
from core.attribution.image_methods import ACTIVATION, ATTENTION, RELEVANCE, ROLLOUT, explain
from core.errors import ModelError
from core.images import Patches
from core.zoo.image_models import Framing, ImageModel
from tests.core.tiny_models import _PATCHES, _awake, picture, tiny_timm

GRID = (4, 4)
# kind -> (timm's name, more of its arguments, labels of the prefix, tokens whose rows the head reads)
KINDS = {
    "class token": ("vit_tiny_patch16_224", {}, ("class",), [0]),
    "mean of patches": (
        "vit_tiny_patch16_224",
        {"class_token": False, "global_pool": "avg"},
        (),
        list(range(16)),
    ),
    "deit": ("deit_tiny_distilled_patch16_224", {}, ("class", "distilled"), [0, 1]),
    "registers": ("vit_small_patch14_reg4_dinov2", {}, ("class", *"1234"), [0]),
    "beit": ("beit_base_patch16_224", {}, ("class",), list(range(1, 17))),
}


def network_of(kind):
    name, more, _, _ = KINDS[kind]
    torch.manual_seed(0)
    return _awake(timm.create_model(name, pretrained=False, num_classes=5, **{**_PATCHES, **more}))


def model_of(network, prefix=(), patch=4):
    return ImageModel(
        name="tiny",
        title="tiny",
        network=network,
        framing=Framing((3, 16, 16), (0.5,) * 3, (0.5,) * 3),
        patch=(patch, patch),
        prefix=prefix,
        classes=tuple("abcde"),
    )


def eager(network, pixels):
    """Logits and the weights of each layer, with the library's own written-out attention and its dropout in between."""
    weights = []
    for module in network.modules():
        if hasattr(module, "fused_attn"):
            module.fused_attn = False

    def cached(_module, _given, output):
        output.retain_grad()
        weights.append(output)

    handles = [
        module.attn_drop.register_forward_hook(cached) for module in network.modules() if hasattr(module, "attn_drop")
    ]
    network.requires_grad_(True)
    scores = network(pixels)
    for handle in handles:
        handle.remove()
    return scores, weights


def matmul(left, right):
    """A product of two square matrices, written out."""
    size = len(left)
    return [[sum(left[i][k] * right[k][j] for k in range(size)) for j in range(size)] for i in range(size)]


def written_out(kind, target):
    """The three maps of the first picture by loops over numbers, from the library's own weights and gradients."""
    _, _, prefix, read = KINDS[kind]
    scores, layers = eager(network_of(kind), picture()[:1])
    scores[0, target].backward()
    size, heads = layers[0].shape[-1], layers[0].shape[1]
    rolled = relevant = [[float(i == j) for j in range(size)] for i in range(size)]
    for layer in layers:
        weights, gradient = layer[0].tolist(), layer.grad[0].tolist()
        mean, positive = ([[0.0] * size for _ in range(size)] for _ in range(2))
        for i in range(size):
            for j in range(size):
                mean[i][j] = sum(weights[h][i][j] for h in range(heads)) / heads
                positive[i][j] = sum(max(0.0, weights[h][i][j] * gradient[h][i][j]) for h in range(heads)) / heads
        rolled = matmul([[(mean[i][j] + (i == j)) / 2 for j in range(size)] for i in range(size)], rolled)
        added = matmul(positive, relevant)
        relevant = [[relevant[i][j] + added[i][j] for j in range(size)] for i in range(size)]
    for i in range(size):
        relevant[i][i] -= 1
    return {
        name: [sum(rows[i][j] for i in read) / len(read) for j in range(len(prefix), size)]
        for name, rows in ((ATTENTION, mean), (ROLLOUT, rolled), (RELEVANCE, relevant))
    }


@pytest.mark.parametrize("kind", KINDS)
def test_attention_rollout_and_relevance_equal_those_written_out_with_loops(kind):
    prefix = KINDS[kind][2]
    model = model_of(network_of(kind), prefix)
    explanation = explain(model, picture(), Patches(*GRID, prefix), torch.tensor([3, 1]))
    for name, row in written_out(kind, target=3).items():
        assert explanation.maps[name].shape == (2, 4, 4)
        torch.testing.assert_close(explanation.maps[name][0].flatten(), torch.tensor(row), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    ("kind", "read"),
    [
        ("class token", ("class",)),
        ("mean of patches", ("patches",)),
        ("deit", ("class", "distilled")),
        ("beit", ("patches",)),
    ],
)
def test_the_tokens_that_the_head_reads_are_found_without_asking_the_library(kind, read):
    prefix = KINDS[kind][2]
    explanation = explain(model_of(network_of(kind), prefix), picture(), Patches(*GRID, prefix))
    assert explanation.read == read


def test_the_most_probable_class_is_explained_if_none_is_given():
    model = model_of(network_of("class token"), ("class",))
    explanation = explain(model, picture(), Patches(*GRID, ("class",)))
    expected = model.network(picture()).argmax(dim=-1)
    assert torch.equal(explanation.classes, expected)
    torch.testing.assert_close(explanation.scores, model.network(picture()), atol=1e-5, rtol=1e-4)
    again = explain(model, picture(), Patches(*GRID, ("class",)), expected)
    assert torch.equal(explanation.maps[RELEVANCE], again.maps[RELEVANCE])


def test_another_class_changes_relevance_but_not_rollout():
    model = model_of(network_of("class token"), ("class",))
    first, second = (
        explain(model, picture(), Patches(*GRID, ("class",)), torch.tensor([number, number])) for number in (0, 1)
    )
    assert torch.equal(first.maps[ROLLOUT], second.maps[ROLLOUT])
    assert not torch.allclose(first.maps[RELEVANCE], second.maps[RELEVANCE])


def test_a_model_without_classes_has_the_maps_that_need_none():
    network = network_of("class token")
    network.reset_classifier(0)
    model = ImageModel("tiny", "tiny", network, Framing((3, 16, 16), (0.5,) * 3, (0.5,) * 3), (4, 4), ("class",))
    explanation = explain(model, picture(), Patches(*GRID, ("class",)))
    expected = explain(
        model_of(network_of("class token"), ("class",)), picture(), Patches(*GRID, ("class",)), torch.tensor([0, 0])
    )
    assert set(explanation.maps) == {ATTENTION, ROLLOUT}
    assert explanation.classes is None
    for name, rows in explanation.maps.items():
        torch.testing.assert_close(rows, expected.maps[name], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("family", ["swin", "swinv2"])
def test_windows_are_refused_in_a_sentence_that_names_the_page_for_them(family):
    model = model_of(tiny_timm(family), patch=2)
    with pytest.raises(ModelError, match=r"looks through windows: 'layers\.0\.blocks\.0\.attn' .* page Swin"):
        explain(model, picture(side=32), Patches(16, 16))


def test_more_weights_than_fit_are_refused_with_the_numbers(monkeypatch):
    monkeypatch.setattr(explained, "MOST_WEIGHTS", 2000)
    model = model_of(network_of("class token"), ("class",))
    with pytest.raises(ModelError, match="Choose fewer patches"):
        explain(model, picture(), Patches(*GRID, ("class",)))


class TinyConvolution(nn.Module):
    """Two convolutions, the mean over places, a linear layer."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 6, 3, stride=2), nn.ReLU(), nn.Conv2d(6, 8, 3, stride=2), nn.ReLU())
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(8, 5)

    def forward(self, pixels):
        return self.head(self.pool(self.body(pixels)).flatten(1))


def tiny_convolution():
    torch.manual_seed(0)
    return TinyConvolution().eval().requires_grad_(False)


def test_class_activation_equals_the_gradient_written_out():
    network, pixels = tiny_convolution(), picture(side=24)
    activation = class_activation(network, pixels, torch.tensor([2, 4]))
    for item, target in enumerate((2, 4)):
        features = network.body(pixels[item : item + 1]).requires_grad_()
        (gradient,) = torch.autograd.grad(network.head(network.pool(features).flatten(1))[0, target], features)
        expected = torch.zeros(features.shape[2:])
        for channel in range(8):
            expected += gradient[0, channel].mean() * features[0, channel].detach()
        torch.testing.assert_close(activation[item], expected.clamp(min=0), atol=1e-6, rtol=1e-5)


def test_explaining_a_convolutional_model_gives_its_class_activation_map_alone():
    network = tiny_convolution()
    model = model_of(network)
    explanation = explain(model, picture(side=24), Patches(5, 5), torch.tensor([2, 4]))
    assert set(explanation.maps) == {ACTIVATION}
    torch.testing.assert_close(
        explanation.maps[ACTIVATION], class_activation(network, picture(side=24), torch.tensor([2, 4]))
    )


def test_no_hook_and_no_gradient_stay_on_the_network_that_all_share():
    network = tiny_convolution()
    before = {name: value.clone() for name, value in network.state_dict().items()}
    class_activation(network, picture(side=24), torch.tensor([2, 4]))
    for module in network.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks
        assert not module._backward_hooks
        assert not module._backward_pre_hooks
    assert not any(parameter.requires_grad or parameter.grad is not None for parameter in network.parameters())
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())


@pytest.mark.parametrize(
    ("name", "sizes", "side"),
    [("resnet10t", {}, 2), ("convnext_atto", {}, 2), ("vgg11", {"mlp_ratio": 0.03}, 7), ("efficientnet_b0", {}, 2)],
)
def test_the_last_feature_map_of_named_networks_is_what_their_head_pools(name, sizes, side):
    torch.manual_seed(0)
    network = timm.create_model(name, pretrained=False, num_classes=5, **sizes).eval().requires_grad_(False)
    pixels = torch.randn(1, 3, 32 * side, 32 * side, generator=torch.Generator().manual_seed(1))
    path, outputs = last_feature_map(network, pixels), []
    with network.get_submodule(path).register_forward_hook(lambda _m, _g, output: outputs.append(output)):
        network(pixels)
    torch.testing.assert_close(outputs[-1], network.forward_features(pixels))
    assert class_activation(network, pixels, torch.tensor([1])).shape == (1, side, side)


def test_a_picture_too_small_for_a_map_is_refused_with_its_size():
    with pytest.raises(ModelError, match="4 × 4 pixels"):
        class_activation(nn.Sequential(nn.Conv2d(3, 2, 4), nn.Flatten()), picture(side=4), torch.tensor([0, 1]))
