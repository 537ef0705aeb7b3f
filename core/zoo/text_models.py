"""Text models, whatever their library: encode a text, run the network, read its predictions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float, Int
from tokenizers import Tokenizer
from torch import Tensor, nn

from ..capture import AttentionCall
from ..errors import ModelError
from ..hub.failures import as_sentence
from ..text import Tokens, encode, read_tokens

ANSWER = 40  # tokens that an encoder-decoder may write
A_WORD = "a"  # that any tokenizer knows, or knows to be unknown


@dataclass(frozen=True)
class Prediction:
    """Something a model expects (a token or a class, in words), how probable it says it is, and its number."""

    label: str
    probability: float
    number: int  # of the token in the vocabulary, or of the class


@dataclass(frozen=True)
class TextRun:
    """What came out: a score for every token of the vocabulary at every position, or one for every class.

    `logits` is None where the model has no head. `sequences` holds the tokens of "text", or of "source" and
    "target" in an encoder-decoder.
    """

    logits: Float[Tensor, "token vocabulary"] | Float[Tensor, "class"] | None
    sequences: dict[str, Tokens]


@dataclass(frozen=True, eq=False)
class TextModel(ABC):
    """A network with its tokenizer. Threads may share it: nothing is set after it was made.

    Of a `foreign` one, which is not ours, whatever goes wrong while it encodes or runs is a ModelError.
    """

    name: str
    title: str
    network: nn.Module
    tokenizer: Tokenizer
    context: int  # tokens, special ones included
    classes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()  # what whoever opens it should know first, in sentences
    foreign: bool = False
    parameters: int = field(init=False)

    def __post_init__(self):
        # No gradient is kept unless somebody asks for one, so `run` needs no torch.no_grad.
        self.network.eval().requires_grad_(False)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    def encode(self, text: str) -> Tokens:
        """The tokens of a text from `read_text`, cut where the context ends."""
        with self._failing("read this text"):
            return encode(self.tokenizer, text, context=self.context)

    def run(self, tokens: Tokens) -> TextRun:
        """One forward pass."""
        with self._failing("run on this text"):
            return self._run(tokens)

    @abstractmethod
    def _run(self, tokens: Tokens) -> TextRun:
        """The same, with any error that a library raises."""

    def _failing(self, what: str) -> AbstractContextManager:
        return as_sentence(self.name, what) if self.foreign else nullcontext()

    @torch.no_grad()
    def try_once(self) -> None:
        """Encode a word and run the network on it. Raises, in any way, where it cannot be used at all."""
        room = self.context - self.tokenizer.num_special_tokens_to_add(is_pair=False)
        if room < 1:
            raise ModelError(f"It reads {self.context} tokens at once, which leaves no room for a text.")
        self._check_run(self._run_shortly(self.encode(A_WORD)))

    def _run_shortly(self, tokens: Tokens) -> TextRun:
        """A run that may leave out what takes long."""
        return self._run(tokens)

    def _check_run(self, run: TextRun) -> None:
        """Raise ModelError if what came out is not what the pages read of it."""
        if run.logits is not None and (run.logits.ndim, len(run.logits)) != (2, len(run.sequences["text"])):
            raise ModelError("It does not give each token a score for every token of its vocabulary.")

    def predictions(self, run: TextRun, position: int = -1, top: int = 5) -> tuple[Prediction, ...]:
        """The most probable tokens at a position: the next one, or the one that should fill it."""
        if run.logits is None:
            return ()
        return best(self.probabilities(run, position), top, self.label)

    def probabilities(self, run: TextRun, position: int = -1) -> Float[Tensor, "class"]:
        """How probable the model says each token of the vocabulary is at a position."""
        assert run.logits is not None
        return run.logits[position].float().softmax(dim=-1)

    def label(self, number: int) -> str:
        """A token of the vocabulary as a person reads it."""
        return read_tokens(self.tokenizer, [number]).labels[0]

    def sequences_of(self, call: AttentionCall, run: TextRun) -> tuple[str, str] | None:
        """Which sequences the queries and the keys of a recorded call are; None if the lengths fit none.

        None, too, where there are two sequences and nothing tells which of them the keys are, and where the map has
        some rows only, or all in another order (`call.partial`).
        """
        if call.partial or (call.kind == "unknown" and len(run.sequences) > 1):
            return None
        query, key = self._names(call, run)
        lengths = len(run.sequences[query]), len(run.sequences[key])
        return (query, key) if lengths == (call.query_length, call.key_length) and call.batch_size == 1 else None

    def _names(self, call: AttentionCall, run: TextRun) -> tuple[str, str]:  # noqa: ARG002
        return "text", "text"


class NextToken(TextModel):
    """Decoder-only (GPT): the logits at a position say what comes after it."""

    def _run(self, tokens: Tokens) -> TextRun:
        """Logits (token, vocabulary)."""
        return TextRun(logits_of(self.network(batch_of(tokens)))[0], {"text": tokens})


class Encoder(TextModel):
    """Encoder without a head: attention to look at, nothing to predict."""

    def _run(self, tokens: Tokens) -> TextRun:
        """No logits."""
        self.network(batch_of(tokens))
        return TextRun(None, {"text": tokens})


class Classifier(TextModel):
    """Encoder or decoder that gives the whole text a class."""

    def _run(self, tokens: Tokens) -> TextRun:
        """Logits (class,)."""
        return TextRun(logits_of(self.network(batch_of(tokens)))[0], {"text": tokens})

    def _check_run(self, run: TextRun) -> None:
        if run.logits is None or run.logits.shape != (len(self.classes),):
            raise ModelError(f"It has names for {len(self.classes)} classes, and not as many scores.")

    def probabilities(self, run: TextRun, position: int = -1) -> Float[Tensor, "class"]:  # noqa: ARG002
        """How probable each class is; classes belong to the text, not to a position."""
        assert run.logits is not None
        return run.logits.float().softmax(dim=-1)

    def label(self, number: int) -> str:
        """The name of a class."""
        return self.classes[number]


@dataclass(frozen=True, eq=False)
class SourceToTarget(TextModel):
    """Encoder-decoder (T5, BART, Marian): reads a source, writes a target, one token after the other.

    `reader` tells what was written, where that takes another tokenizer than reading.
    """

    reader: Tokenizer | None = None

    def _run(self, tokens: Tokens) -> TextRun:
        """Write greedily, then run once over source and target: logits (token of the target, vocabulary)."""
        return self._write_and_run(tokens, ANSWER)

    def _run_shortly(self, tokens: Tokens) -> TextRun:
        return self._write_and_run(tokens, 2)

    def _check_run(self, run: TextRun) -> None:
        if run.logits is None or (run.logits.ndim, len(run.logits)) != (2, len(run.sequences["target"])):
            raise ModelError("It does not give each token that it writes a score for every token of its vocabulary.")

    def _write_and_run(self, tokens: Tokens, most: int) -> TextRun:
        network: Any = self.network  # with a method that torch's Module has not
        source = batch_of(tokens)
        # Only the pass after it is for the recorder: the many small steps of writing are hidden from it, and
        # from edits too, so that a model with a head silenced is asked about the same target as before.
        with torch._C.DisableTorchFunction():
            written = network.generate(source, max_new_tokens=most, num_beams=1, do_sample=False)[0]
        end = network.generation_config.eos_token_id
        ends = end if isinstance(end, list) else [end]
        target = written[:-1] if len(written) > 1 and written[-1].item() in ends else written
        output = network(input_ids=source, decoder_input_ids=target[None])
        return TextRun(output.logits[0], {"source": tokens, "target": self.read_target(target.tolist())})

    def read_target(self, numbers: Sequence[int]) -> Tokens:
        """Tokens that were written, as a person reads them."""
        return read_tokens(self.reader or self.tokenizer, numbers)

    def label(self, number: int) -> str:
        """A token of the vocabulary, as it is written."""
        return self.read_target([number]).labels[0]

    def _names(self, call: AttentionCall, run: TextRun) -> tuple[str, str]:  # noqa: ARG002
        if call.kind == "cross":
            return "target", "source"
        side = "target" if "decoder" in call.path.split(".") else "source"
        return side, side


def best(probabilities: Float[Tensor, "class"], top: int, label: Callable[[int], str]) -> tuple[Prediction, ...]:
    """The most probable first, each with its label."""
    values, numbers = probabilities.topk(min(top, len(probabilities)))
    return tuple(
        Prediction(label(number), value, number)
        for number, value in zip(numbers.tolist(), values.tolist(), strict=True)
    )


def batch_of(tokens: Tokens) -> Int[Tensor, "batch token"]:
    """One text as a batch."""
    return torch.tensor([tokens.ids])


def logits_of(output) -> Tensor:
    """Our models return the logits themselves, those of transformers an object that has them."""
    return output if isinstance(output, Tensor) else output.logits
