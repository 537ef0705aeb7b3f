"""What a model without attention depends on: how much each source word moves the probability of each target word."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..models.seq2seq import Seq2Seq
from .decoding import BEGIN

TOGETHER = 32  # copies of the pair that are read at once


def influence(
    model: Seq2Seq, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
) -> Float[Tensor, "batch target source"]:
    """|d log p(y_i | y_before, x) / d x_j|, each row scaled to sum to 1. One source at a time: the batch must be 1.

    x_j is the embedding of source token j; `source` ends with the end mark, as the model reads it, and `target` holds
    the tokens that are written. The pair is read once for each target token, side by side, so that one backward pass
    gives each its own gradient.
    """
    if len(source) != 1 or len(target) != 1:
        raise ValueError(f"One sentence at a time: there are {len(source)} sources and {len(target)} targets.")
    before = torch.cat([torch.full_like(target[:, :1], BEGIN), target[:, :-1]], dim=1)
    embedded = model.embedding(source).detach()
    parts = torch.arange(target.shape[1]).split(TOGETHER)
    norms = torch.cat([_gradients(model, embedded, before, target, rows).norm(dim=-1) for rows in parts])
    return (norms / norms.sum(dim=-1, keepdim=True))[None]


def _gradients(
    model: Seq2Seq,
    embedded: Float[Tensor, "1 source width"],
    before: Int[Tensor, "1 target"],
    target: Int[Tensor, "1 target"],
    rows: Int[Tensor, " query"],
) -> Float[Tensor, "query source width"]:
    last, copies = int(rows[-1]) + 1, torch.arange(len(rows))
    with torch.enable_grad():
        copied = embedded.expand(len(rows), -1, -1).clone().requires_grad_()
        known = model.known(copied, before[:, :last].expand(len(rows), -1))
        chosen = model.readout(known[copies, rows]).log_softmax(dim=-1)[copies, target[0, rows]]
        (gradient,) = torch.autograd.grad(chosen.sum(), copied)
    return gradient
