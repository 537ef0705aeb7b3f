"""The loss of a model with heads ablated: any set of them, or each one alone (Michel et al. 2019, section 3).

    loss(model, inputs)                      # nats
    loss(model, inputs, {(2, 1)})            # with head 1 of layer 2 silenced
    cost_of_each_head(model, inputs)         # {(layer, head): how much the loss rises}

`inputs` are the tokens of a text or a prepared picture; layers are attention calls in the order in which they run.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..capture import Record, edit_attention, record_attention
from ..errors import CaptureError, InputError, ModelError
from ..progress import Progress
from ..text import Tokens
from ..zoo import ImageModel, ImageRun, PreparedPicture, TextModel, TextRun

Head = tuple[int, int]  # (layer, head), both counted from 0
Quantity = Literal["next token", "own answer"]


@dataclass(frozen=True, eq=False)
class Trial:
    """One input of one model, to be run again with heads silenced; `run` and `record` are those with all heads."""

    model: TextModel | ImageModel
    inputs: Tokens | PreparedPicture
    run: TextRun | ImageRun
    record: Record

    def __post_init__(self):
        if self.run.logits is None:
            raise ModelError(
                f"{self.model.title} predicts nothing: it has no output layer, so it has no loss. Choose a model that "
                "says what comes next, what is missing, or which class it sees."
            )
        if self.quantity == "next token" and len(self.run.logits) < 2:
            raise InputError("A loss needs at least 2 tokens: one to read and one to expect. Write a few words more.")

    @property
    def quantity(self) -> Quantity:
        """The targets of the loss: the text's own next tokens, or else the predictions of the model with all heads."""
        return "next token" if self.model.is_causal else "own answer"

    @property
    def heads(self) -> tuple[Head, ...]:
        """Every head of the model."""
        return tuple((layer, head) for layer, call in enumerate(self.record.calls) for head in range(call.heads))

    @cached_property
    def baseline(self) -> float:
        """The loss in nats with all heads."""
        return self.loss_of(self.logits)

    def loss(self, silenced: Collection[Head] = ()) -> float:
        """The mean over all predictions of -log p(target), in nats, with these heads silenced.

        Raises CaptureError if the model has no such head. A head of a layer whose weights are used several times
        (ALBERT) is silenced each time.
        """
        edits = {self._edit_key(head): "silence" for head in silenced}
        if not edits:
            return self.baseline
        with torch.inference_mode(), edit_attention(self.model.network, edits):
            return self.loss_of(self._forward())

    def loss_of(self, logits: Tensor) -> float:
        """The mean loss in nats of logits from a run of the same model on the same input."""
        return float(self.losses_of(logits).mean())

    def losses_of(self, logits: Tensor) -> Float[Tensor, " token"]:
        """The loss in nats of each prediction in these logits: minus the log probability of its target."""
        rows, targets = self._rows_and_targets
        probabilities = torch.atleast_2d(logits)[rows].float().log_softmax(dim=-1)
        return -probabilities.gather(-1, targets[:, None])[:, 0]

    def cost(self, head: Head) -> float:
        """How much the loss rises, in nats, when this head alone is silenced; below 0 if the model does better."""
        return self.loss([head]) - self.baseline

    @property
    def logits(self) -> Tensor:
        """The logits with all heads."""
        assert self.run.logits is not None
        return self.run.logits

    def _edit_key(self, head: Head) -> tuple[str, int]:
        layer, number = head
        if head not in self.heads:
            raise CaptureError(f"There is no head {number} in layer {layer} to silence: choose one of the map.")
        return self.record.calls[layer].path, number

    def _forward(self) -> Tensor:
        """The logits of another forward pass over the same input, and the same target of an encoder-decoder."""
        model: Any = self.model  # of a text with its tokens, or of a picture with its patches
        return model.run_again(self.inputs, self.run)

    @cached_property
    def _rows_and_targets(self) -> tuple[Int[Tensor, " token"], Int[Tensor, " token"]]:
        """The rows of the logits that count, and the target of each."""
        model: Any = self.model
        return model.targets(self.inputs, torch.atleast_2d(self.logits))


def prepare_trial(model: TextModel | ImageModel, inputs: Tokens | PreparedPicture) -> Trial:
    """Run the model once with all heads. Raises ModelError if it has no logits, InputError if there is no target."""
    runnable: Any = model
    with torch.inference_mode(), record_attention(model.network) as record:
        run = runnable.run(inputs)
    return Trial(model, inputs, run, record)


def loss(model: TextModel | ImageModel, inputs: Tokens | PreparedPicture, silenced: Collection[Head] = ()) -> float:
    """The loss in nats with these heads silenced: see Trial.loss."""
    return prepare_trial(model, inputs).loss(silenced)


def cost_of_each_head(
    model: TextModel | ImageModel, inputs: Tokens | PreparedPicture, progress: Progress | None = None
) -> dict[Head, float]:
    """How much the loss rises, in nats, when each head alone is silenced."""
    trial, costs = prepare_trial(model, inputs), dict[Head, float]()
    for done, head in enumerate(trial.heads):
        if progress:
            progress(done, len(trial.heads))
        costs[head] = trial.cost(head)
    return costs
