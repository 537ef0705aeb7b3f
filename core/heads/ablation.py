"""What a model loses when heads say nothing: any set of them, or each one alone (Michel et al. 2019, section 3).

    loss(model, given)                       # nats
    loss(model, given, {(2, 1)})             # with head 1 of layer 2 silenced
    cost_of_each_head(model, given)          # {(layer, head): how much the loss rises}

`given` are the tokens of a text or a prepared picture; layers are attention calls in the order in which they run.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..capture import Record, edit_attention, record_attention
from ..errors import CaptureError, InputError, ModelError
from ..progress import Progress
from ..text import Tokens
from ..zoo import ImageModel, ImageRun, PreparedPicture, TextModel, TextRun
from ..zoo.masked_language_models import MissingToken
from ..zoo.text_models import NextToken, SourceToTarget

Head = tuple[int, int]  # (layer, head), both counted from 0
Quantity = Literal["next token", "own answer"]


@dataclass(frozen=True, eq=False)
class Trial:
    """One input in one model, to be run again with other heads silenced; `run` and `record` are those of the whole."""

    model: TextModel | ImageModel
    given: Tokens | PreparedPicture
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
        """What the loss is about: the text's own next tokens, or else what the whole model itself answers."""
        is_causal = isinstance(self.model, NextToken) and not isinstance(self.model, MissingToken)
        return "next token" if is_causal else "own answer"

    @property
    def heads(self) -> tuple[Head, ...]:
        """Every head of the model."""
        return tuple((layer, head) for layer, call in enumerate(self.record.calls) for head in range(call.heads))

    @cached_property
    def whole(self) -> float:
        """The loss while every head speaks."""
        return self.loss_of(self.logits)

    def loss(self, silenced: Collection[Head] = ()) -> float:
        """The mean over all predictions of -log p(right answer), in nats, with these heads silenced.

        CaptureError if the model has no such head. Silencing a head of a layer whose weights are used several times
        (ALBERT) silences it each time.
        """
        edits = {self._place(head): "silence" for head in silenced}
        if not edits:
            return self.whole
        with torch.inference_mode(), edit_attention(self.model.network, edits):
            return self.loss_of(self._answer())

    def loss_of(self, logits: Tensor) -> float:
        """The loss in nats of these logits, which some run of the same model on the same input gave."""
        return float(self.losses_of(logits).mean())

    def losses_of(self, logits: Tensor) -> Float[Tensor, " token"]:
        """The loss in nats of each prediction in these logits: minus the log probability of its answer."""
        rows, answers = self._right
        probabilities = torch.atleast_2d(logits)[rows].float().log_softmax(dim=-1)
        return -probabilities.gather(-1, answers[:, None])[:, 0]

    def cost(self, head: Head) -> float:
        """How much the loss rises, in nats, when this head alone is silenced; below 0 if the model does better."""
        return self.loss([head]) - self.whole

    @property
    def logits(self) -> Tensor:
        """What the whole model said."""
        assert self.run.logits is not None
        return self.run.logits

    def _place(self, head: Head) -> tuple[str, int]:
        layer, number = head
        if head not in self.heads:
            raise CaptureError(f"There is no head {number} in layer {layer} to silence: choose one of the map.")
        return self.record.calls[layer].path, number

    def _answer(self) -> Tensor:
        """The logits of one more pass over the same input; an encoder-decoder is asked about the same target."""
        model: Any = self.model  # of a text with its tokens, or of a picture with its patches
        if isinstance(model, SourceToTarget) and isinstance(self.run, TextRun):
            source, target = (torch.tensor([self.run.sequences[name].ids]) for name in ("source", "target"))
            return cast(Any, model.network)(input_ids=source, decoder_input_ids=target).logits[0]
        return model.run(self.given).logits

    @cached_property
    def _right(self) -> tuple[Int[Tensor, " token"], Int[Tensor, " token"]]:
        """Which rows of the logits are looked at, and the right answer of each."""
        logits = torch.atleast_2d(self.logits)
        rows = torch.arange(len(logits))
        if isinstance(self.given, Tokens) and self.quantity == "next token":
            return rows[:-1], torch.tensor(self.given.ids[1:])
        if isinstance(self.given, Tokens) and isinstance(self.model, MissingToken) and not all(self.given.special):
            rows = rows[~torch.tensor(self.given.special)]
        return rows, logits[rows].argmax(dim=-1)


def trial(model: TextModel | ImageModel, given: Tokens | PreparedPicture) -> Trial:
    """Run the whole model once; ModelError if it predicts nothing, InputError if there is nothing to predict."""
    runnable: Any = model
    with torch.inference_mode(), record_attention(model.network) as record:
        run = runnable.run(given)
    return Trial(model, given, run, record)


def loss(model: TextModel | ImageModel, given: Tokens | PreparedPicture, silenced: Collection[Head] = ()) -> float:
    """The loss in nats with these heads silenced: see Trial.loss."""
    return trial(model, given).loss(silenced)


def cost_of_each_head(
    model: TextModel | ImageModel, given: Tokens | PreparedPicture, progress: Progress | None = None
) -> dict[Head, float]:
    """How much the loss rises, in nats, when each head alone is silenced."""
    asked, costs = trial(model, given), dict[Head, float]()
    for done, head in enumerate(asked.heads):
        if progress:
            progress(done, len(asked.heads))
        costs[head] = asked.cost(head)
    return costs
