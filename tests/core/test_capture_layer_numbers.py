"""Layers bear the numbers that their model gives them, also where some of its layers have no attention to record."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from core.capture import by_layer, layer_numbers, record_attention
from core.capture import view_of_record as recorded_view
from core.view.html_file import HtmlFile


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)

    def forward(self, x):
        return scaled_dot_product_attention(*self.qkv(x)[:, None].chunk(3, dim=-1))[:, 0]


class Mixer(nn.Linear):
    """A layer without attention."""


class Stack(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def recorded(model):
    torch.manual_seed(0)
    with torch.no_grad(), record_attention(model) as record:
        model(torch.randn(1, 5, 8))
    return record


def test_layers_of_a_hybrid_bear_the_numbers_of_the_model():
    model = Stack(Mixer(8, 8), Attention(), Mixer(8, 8), Mixer(8, 8), Attention())
    record = recorded(model)
    assert layer_numbers(record.calls) == (1, 4)
    for number, call in by_layer(record.calls).items():
        assert model.get_submodule(call.path) is model.layers[number]


def test_calls_are_counted_where_their_paths_do_not_number_them():
    twice = Attention()
    stages = nn.Sequential(Stack(Attention(), Attention()), Stack(Attention()))
    for model, count in ((Stack(twice, twice), 2), (stages, 3), (Attention(), 1)):
        assert layer_numbers(recorded(model).calls) == tuple(range(count))


def test_the_view_of_a_record_names_layers_as_the_model_does(monkeypatch):
    record, layers = recorded(Stack(Mixer(8, 8), Attention(), Mixer(8, 8), Attention())), []
    monkeypatch.setattr(recorded_view, "html_file", lambda scene, **_: layers.extend(scene.layers) or HtmlFile(""))
    record.show()
    assert [layer.label for layer in layers] == ["1", "3"]
