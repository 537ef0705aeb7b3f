"""Training can be interrupted and goes on as if it had not been."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from training.common.loop import Plan, train


def make() -> nn.Module:
    torch.manual_seed(0)
    return nn.ModuleDict({"blocks": nn.Linear(4, 4), "head": nn.Linear(4, 1)})


def loss_of(model: nn.Module):
    def loss_at(step: int) -> torch.Tensor:
        x = torch.randn(8, 4, generator=torch.Generator().manual_seed(step)) + 0.1 * torch.randn(8, 4)
        return (model["head"](model["blocks"](x).tanh()) - x.sum(dim=1, keepdim=True)).pow(2).mean()

    return loss_at


def plan(steps: int) -> Plan:
    return Plan(steps=steps, learning_rate=0.01, warm_up=2, decay=0.25, save_every=5)


def test_an_interrupted_run_ends_where_an_uninterrupted_one_does(tmp_path):
    uninterrupted, parts = make(), make()
    train(uninterrupted, loss_of(uninterrupted), plan(20), tmp_path / "whole")

    class InterruptionError(Exception):
        pass

    def loss_until_twelve(step: int) -> torch.Tensor:
        if step == 12:
            raise InterruptionError
        return loss_of(parts)(step)

    with pytest.raises(InterruptionError):
        train(parts, loss_until_twelve, plan(20), tmp_path / "parts")
    resumed = make()
    train(resumed, loss_of(resumed), plan(20), tmp_path / "parts")
    for ours, theirs in zip(resumed.parameters(), uninterrupted.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_a_training_in_parts_is_the_same_as_at_once(tmp_path):
    at_once, in_parts = make(), make()
    train(at_once, loss_of(at_once), plan(20), tmp_path / "at-once")
    for until in (6, 13, 20):
        train(in_parts, loss_of(in_parts), plan(20), tmp_path / "in-parts", until=until)
        assert torch.load(tmp_path / "in-parts" / "checkpoint.pt", weights_only=True)["step"] == until
    for one, other in zip(at_once.parameters(), in_parts.parameters(), strict=True):
        assert torch.equal(one, other)


def test_training_lowers_the_loss(tmp_path):
    model = make()
    before = loss_of(model)(0).item()
    train(model, loss_of(model), replace(plan(200), learning_rate=0.05), tmp_path)
    assert loss_of(model)(0).item() < before / 2


def test_the_learning_rate_rises_stays_and_falls_to_zero():
    rates = [plan(40).rate(step) for step in range(41)]
    assert rates[0] == pytest.approx(0.005)
    assert rates[1:30] == [0.01] * 29
    assert rates[-1] == 0
    assert sorted(rates[30:], reverse=True) == rates[30:]
