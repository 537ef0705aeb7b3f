"""What a model without attention depends on: how much each source word moves the probability of each target word."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..models.seq2seq import Seq2Seq
from .decoding import BEGIN

TOGETHER = 32  # steps that are traced back at once: of all of a long text they would take hundreds of megabytes


def influence(
    model: Seq2Seq, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
) -> Float[Tensor, "batch target source"]:
    """|d log p(y_i | y_before, x) / d x_j|, each row scaled to sum to 1. One source at a time: the batch must be 1.

    x_j is the embedding of source token j; `source` ends with the end mark, as the model reads it, and `target` holds
    the tokens that are written. The pair is read once; what each step knows is then traced back for many steps at once.
    """
    if len(source) != 1 or len(target) != 1:
        raise ValueError(f"One sentence at a time: there are {len(source)} sources and {len(target)} targets.")
    before = torch.cat([torch.full_like(target[:, :1], BEGIN), target[:, :-1]], dim=1)
    with torch.enable_grad():
        embedded = model.embedding(source).detach().requires_grad_()
        known = model.known(embedded, before)
        read_out = known.detach().requires_grad_()
        chosen = model.readout(read_out).log_softmax(dim=-1).gather(-1, target[..., None])
        # A token's probability depends on what its own step knows, and on no other step's.
        (wanted,) = torch.autograd.grad(chosen.sum(), read_out)
        norms = []
        for steps in torch.arange(target.shape[1]).split(TOGETHER):
            traced = torch.zeros(len(steps), *known.shape)
            traced[torch.arange(len(steps)), 0, steps] = wanted[0, steps]
            (gradient,) = torch.autograd.grad(known, embedded, traced, retain_graph=True, is_grads_batched=True)
            norms.append(gradient[:, 0].norm(dim=-1))
    shares = torch.cat(norms)
    return (shares / shares.sum(dim=-1, keepdim=True))[None]
