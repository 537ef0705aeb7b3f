"""One training loop for every model: seeded, resumable, and the same on any machine that runs it twice."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Plan:
    """The settings of a training; only `steps` may be changed when it is resumed."""

    steps: int
    learning_rate: float
    weight_decay: float = 0.1
    warm_up: int = 100
    decay: float = 0.4  # the last part of the run, in which the learning rate falls to 0
    gradient_norm: float = 1.0
    # Muon, with AdamW for what is no matrix; AdamW alone, faster where the processor has no bfloat16; momentum, for
    # convolutions.
    optimiser: Literal["muon", "adamw", "sgd"] = "muon"
    seed: int = 0
    log_every: int = 50
    save_every: int = 250

    def rate(self, step: int) -> float:
        """The learning rate of a step: up, flat, down (a trapezoid, so that `steps` may be settled late)."""
        up = (step + 1) / self.warm_up
        down = (self.steps - step) / (self.decay * self.steps)
        return self.learning_rate * min(1.0, up, down)


def train(
    model: nn.Module, loss_at: Callable[[int], Tensor], plan: Plan, folder: Path, *, until: int | None = None
) -> float:
    """Train `model` in place up to `plan.steps`; return the seconds spent, earlier sessions included.

    `until`: the step up to which to train now, where the plan goes on: its learning rates stay those of the whole plan.

    `loss_at(step)` gives the loss of the batch of that step. It must depend on the step alone (and on torch's
    generator, which is seeded anew for each step), so a run that was interrupted goes on as if it had not been.
    """
    optimisers = list(_optimisers(model, plan))
    step, seconds = _resume(model, optimisers, folder)
    last = plan.steps if until is None else until
    model.train()
    started, logged, total = time.monotonic() - seconds, step, 0.0
    while step < last:
        torch.manual_seed(plan.seed * 1_000_003 + step)
        for optimiser in optimisers:
            for group in optimiser.param_groups:
                group["lr"] = plan.rate(step)
        loss = loss_at(step)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), plan.gradient_norm)
        for optimiser in optimisers:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        total += loss.item()
        step += 1
        if step % plan.log_every == 0 or step == last:
            elapsed = time.monotonic() - started
            mean = total / (step - logged)
            print(f"step {step:>6} of {plan.steps}  loss {mean:.4f}  {elapsed:.0f} s", flush=True)
            logged, total = step, 0.0
        if step % plan.save_every == 0 or step == last:
            _save(model, optimisers, step, time.monotonic() - started, folder)
    return time.monotonic() - started


def mixed_precision() -> AbstractContextManager:
    """Products in bfloat16 where the processor has instructions for them; elsewhere that would take longer."""
    is_fast = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return torch.autocast("cpu", torch.bfloat16) if is_fast else nullcontext()


def _optimisers(model: nn.Module, plan: Plan) -> Iterator[torch.optim.Optimizer]:
    """Muon for the matrices inside the blocks, AdamW for the rest (Jordan et al. 2024; Liu et al. 2025).

    With update sizes matched to AdamW's (Liu et al. 2025, section 2.2) both take the same learning rate. "sgd":
    Nesterov momentum for all. With this and "adamw" only matrices decay, neither biases nor norms (He et al. 2019,
    section 3.1).
    """
    if plan.optimiser != "muon":
        weights = [parameter for parameter in model.parameters() if parameter.ndim > 1]
        others = [parameter for parameter in model.parameters() if parameter.ndim <= 1]
        groups: list[dict] = [
            {"params": weights, "weight_decay": plan.weight_decay},
            {"params": others, "weight_decay": 0.0},
        ]
        if plan.optimiser == "sgd":
            yield torch.optim.SGD(groups, lr=plan.learning_rate, momentum=0.9, nesterov=True)
        else:
            yield torch.optim.AdamW(groups, betas=(0.9, 0.95))
        return
    inner: list[nn.Parameter] = []
    outer: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        # A table of biases is looked up, not multiplied: it is no matrix to Muon.
        matrix = parameter.ndim == 2 and "blocks" in name and "bias" not in name
        (inner if matrix else outer).append(parameter)
    if inner:
        yield torch.optim.Muon(inner, weight_decay=plan.weight_decay, adjust_lr_fn="match_rms_adamw")
    yield torch.optim.AdamW(outer, weight_decay=0.0, betas=(0.9, 0.95))


def _resume(model: nn.Module, optimisers: list, folder: Path) -> tuple[int, float]:
    path = folder / "checkpoint.pt"
    if not path.exists():
        return 0, 0.0
    saved = torch.load(path, weights_only=True)
    model.load_state_dict(saved["model"])
    for optimiser, state in zip(optimisers, saved["optimisers"], strict=True):
        optimiser.load_state_dict(state)
    print(f"resumed at step {saved['step']}", flush=True)
    return saved["step"], saved["seconds"]


def _save(model: nn.Module, optimisers: list, step: int, seconds: float, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    saved = {
        "model": model.state_dict(),
        "optimisers": [optimiser.state_dict() for optimiser in optimisers],
        "step": step,
        "seconds": seconds,
    }
    torch.save(saved, folder / "checkpoint.tmp")
    # The old checkpoint is replaced in one move: a run stopped here still has one that loads.
    (folder / "checkpoint.tmp").replace(folder / "checkpoint.pt")
