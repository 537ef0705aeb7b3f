import pytest
import torch
import torch.nn.functional as F

from training.common.loss import smoothed_cross_entropy


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_and_gradient_equal_those_of_torch(smoothing: float):
    torch.manual_seed(0)
    logits = torch.randn(40, 31, dtype=torch.float64).mul(4).requires_grad_()
    wanted = torch.randint(0, 31, (40,))
    wanted[::3] = 0
    ours = smoothed_cross_entropy(logits, wanted, smoothing=smoothing, ignore=0)
    theirs = F.cross_entropy(logits, wanted, ignore_index=0, label_smoothing=smoothing)
    torch.testing.assert_close(ours, theirs, check_dtype=False, atol=1e-6, rtol=1e-6)
    (our_gradient,) = torch.autograd.grad(3 * ours, logits)
    (their_gradient,) = torch.autograd.grad(3 * theirs, logits)
    torch.testing.assert_close(our_gradient, their_gradient, atol=1e-8, rtol=1e-6)


def test_in_half_precision_it_stays_within_one_percent():
    torch.manual_seed(0)
    logits, wanted = torch.randn(64, 500).mul(3), torch.randint(1, 500, (64,))
    ours = smoothed_cross_entropy(logits.bfloat16(), wanted, smoothing=0.1, ignore=0)
    theirs = F.cross_entropy(logits, wanted, label_smoothing=0.1)
    assert abs(ours.item() / theirs.item() - 1) < 0.01


def test_without_any_token_to_learn_the_loss_is_zero_and_nothing_moves():
    logits = torch.randn(3, 5, requires_grad=True)
    loss = smoothed_cross_entropy(logits, torch.zeros(3, dtype=torch.long), smoothing=0.1, ignore=0)
    loss.backward()
    assert loss.item() == 0
    assert logits.grad.count_nonzero() == 0
