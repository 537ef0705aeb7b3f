"""Records stay what they were, or say that they do not, when a module writes in place into what they hold."""

import pickle

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from core.capture import record_attention
from core.errors import CaptureError
from tests.core.test_capture_steps import PROMPT, a_model

X = torch.randn(2, 6, 8, generator=torch.Generator().manual_seed(0))


class Changed(nn.Module):
    """Attention that afterwards writes into its queries, keys, values, mask or weights."""

    def __init__(self, part, *, fused=True):
        super().__init__()
        self.project, self.part, self.fused = nn.Linear(8, 24), part, fused

    def forward(self, x):
        query, key, value = (part[:, None] for part in self.project(x).chunk(3, dim=-1))
        mask = torch.zeros(6, 6)
        if self.fused:
            mixed = F.scaled_dot_product_attention(query, key, value, mask)
            weights = None
        else:
            weights = (query @ key.mT).softmax(-1)
            mixed = weights @ value
        changed = {"query": query, "key": key, "value": value, "mask": mask, "weights": weights}.get(self.part)
        if changed is not None:
            changed.mul_(0).add_(7)
        return mixed


def recorded(model, mode):
    with mode(), record_attention(model) as record:
        model(X)
    return record[0]


PARTS = [*((part, True) for part in ("query", "key", "value", "mask")), ("weights", False), ("value", False)]


@pytest.mark.parametrize(("part", "fused"), PARTS)
def test_what_is_changed_in_place_afterwards_is_refused_or_was_copied(part, fused):
    torch.manual_seed(0)
    model = Changed(part, fused=fused)
    plain = Changed("nothing", fused=fused)
    plain.load_state_dict(model.state_dict())
    right = recorded(plain, torch.no_grad)
    call = recorded(model, torch.no_grad)
    for read in (call.weights, lambda: call.weights(0, 0), call.overview, call.output, lambda: call.value):
        with pytest.raises(CaptureError, match=r"changed in place.*inference_mode"):
            read()
    assert "changed in place" in repr(call)
    copied = recorded(model, torch.inference_mode)
    assert torch.equal(copied.weights(), right.weights())
    assert torch.equal(copied.output(), right.output())


def test_a_record_that_was_changed_is_not_saved(tmp_path):
    with torch.no_grad(), record_attention(model := Changed("query")) as record:
        model(X)
    with pytest.raises(CaptureError, match="changed in place"):
        record.save(tmp_path / "run.safetensors")


@pytest.mark.parametrize("fused", [True, False])
def test_a_pickled_call_is_the_same_and_a_changed_one_is_not_pickled(fused):
    call = recorded(Changed("nothing", fused=fused), torch.no_grad)
    call.weights()
    copied = pickle.loads(pickle.dumps(call))
    assert torch.equal(copied.weights(), call.weights())
    copied.value.add_(1)
    with pytest.raises(CaptureError, match="changed in place"):
        copied.output()
    with pytest.raises(CaptureError, match="changed in place"):
        pickle.dumps(recorded(Changed("value", fused=fused), torch.no_grad))


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("family", ["dynamic or full", "sliding", "mixed"])
def test_what_a_cache_of_fixed_size_held_is_kept_when_it_is_written_on(family, mode):
    model, early = a_model(family), []
    with mode(), record_attention(model, progress=lambda _: early.append(record[-1].weights())) as record:
        model.generate(PROMPT, max_new_tokens=8, do_sample=False, cache_implementation="static")
    assert len(early) == len(record) == 16
    for call, weights in zip(record, early, strict=True):
        assert torch.equal(call.weights(), weights)


def test_nothing_is_copied_that_nobody_writes_into():
    model = Changed("nothing")
    with torch.no_grad(), record_attention(model) as record:
        model(X)
    product = record[0].product
    assert product.query.untyped_storage().data_ptr() == product.value.untyped_storage().data_ptr()
