"""A twin shares the weights of a model and nothing else."""

import torch
from torch import nn

from core.capture.hooked_copy import hooked_copy, weight_sharing_copy


def small() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)).eval()


def test_a_twin_computes_the_same_with_the_very_same_tensors():
    model = small()
    double = weight_sharing_copy(model)
    x = torch.randn(3, 4)
    assert torch.equal(double(x), model(x))
    assert all(a is b for a, b in zip(model.parameters(), double.parameters(), strict=True))
    assert all(a is b for a, b in zip(model.buffers(), double.buffers(), strict=True))


def test_what_is_hung_on_the_twin_is_not_on_the_model():
    model, paths = small(), []
    with hooked_copy(model, lambda path, *_: paths.append(path)) as double:
        double(torch.randn(3, 4))
        assert paths == ["0", "1", "2", ""]
        model(torch.randn(3, 4))
    assert paths == ["0", "1", "2", ""]
    assert not any(module._forward_hooks for module in model.modules())
