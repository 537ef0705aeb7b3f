"""The influence of each source token on the probability of each target token, for a model without attention."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..models.seq2seq import Seq2Seq
from .decoding import BEGIN

BATCH_SIZE = 32  # steps differentiated at once: all steps of a long text would take hundreds of megabytes


def influence(
    model: Seq2Seq, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
) -> Float[Tensor, "batch target source"]:
    """|d log p(y_i | y_before, x) / d x_j|, each row scaled to sum to 1. The batch must be 1.

    x_j is the embedding of source token j; `source` ends with the end mark, as the model reads it, and `target` holds
    the output tokens. One forward pass; gradients are computed for BATCH_SIZE steps at once. Raises ValueError for a
    larger batch.
    """
    if len(source) != 1 or len(target) != 1:
        raise ValueError(f"One sentence at a time: there are {len(source)} sources and {len(target)} targets.")
    decoder_input = torch.cat([torch.full_like(target[:, :1], BEGIN), target[:, :-1]], dim=1)
    with torch.enable_grad():
        embedded = model.embedding(source).detach().requires_grad_()
        states = model.readout_inputs(embedded, decoder_input)
        detached = states.detach().requires_grad_()
        log_probabilities = model.readout(detached).log_softmax(dim=-1).gather(-1, target[..., None])
        # A token's probability depends on the state of its own step only.
        (output_gradient,) = torch.autograd.grad(log_probabilities.sum(), detached)
        norms = []
        for steps in torch.arange(target.shape[1]).split(BATCH_SIZE):
            grad_outputs = torch.zeros(len(steps), *states.shape)
            grad_outputs[torch.arange(len(steps)), 0, steps] = output_gradient[0, steps]
            (gradient,) = torch.autograd.grad(states, embedded, grad_outputs, retain_graph=True, is_grads_batched=True)
            norms.append(gradient[:, 0].norm(dim=-1))
    shares = torch.cat(norms)
    return (shares / shares.sum(dim=-1, keepdim=True))[None]
