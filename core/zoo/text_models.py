"""Text models, whatever their library: encode a text, run the network, read its predictions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import torch
from jaxtyping import Float, Int
from tokenizers import Tokenizer
from torch import Tensor, nn

from ..capture import AttentionCall
from ..errors import ModelError
from ..hub.failures import as_model_error
from ..text import Tokens, encode, read_tokens

ANSWER = 40  # tokens that an encoder-decoder may write
A_WORD = "a"  # a word for trial runs; any tokenizer has a token for it, or one for unknown words


@dataclass(frozen=True)
class Prediction:
    """A predicted token or class: its readable label, its probability, and its number."""

    label: str
    probability: float
    number: int  # of the token in the vocabulary, or of the class


@dataclass(frozen=True)
class TextRun:
    """The output of a run: logits of the vocabulary at every position, or logits of the classes.

    `logits` is None where the model has no head. `sequences` holds the tokens of "text", or of "source" and
    "target" in an encoder-decoder.
    """

    logits: Float[Tensor, "token vocabulary"] | Float[Tensor, "class"] | None
    sequences: dict[str, Tokens]


@dataclass(frozen=True, eq=False)
class TextModel(ABC):
    """A network with its tokenizer. Threads may share it: it is immutable.

    Of a `foreign` one, which does not come with the project, all errors while it encodes or runs are ModelErrors.
    """

    reads: ClassVar[Literal["text", "picture"]] = "text"
    question: ClassVar[str] = ""  # that `predictions` answers; none without an output layer
    is_causal: ClassVar[bool] = False  # whether the logits at a position are those of the next token

    name: str
    title: str
    network: nn.Module
    tokenizer: Tokenizer
    context: int  # tokens, special ones included
    classes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()  # sentences for the user
    foreign: bool = False
    parameters: int = field(init=False)

    def __post_init__(self):
        # No parameter requires a gradient, so `run` needs no torch.no_grad.
        self.network.eval().requires_grad_(False)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    def encode(self, text: str) -> Tokens:
        """The tokens of a text from `read_text`, cut where the context ends."""
        with self._foreign_errors("read this text"):
            return encode(self.tokenizer, text, context=self.context)

    def run(self, tokens: Tokens) -> TextRun:
        """One forward pass."""
        with self._foreign_errors("run on this text"):
            return self._run(tokens)

    @abstractmethod
    def _run(self, tokens: Tokens) -> TextRun:
        """The forward pass of `run`; it may raise any exception of a library."""

    def _foreign_errors(self, action: str) -> AbstractContextManager:
        return as_model_error(self.name, action) if self.foreign else nullcontext()

    @torch.no_grad()
    def try_once(self) -> None:
        """Run on one word; any exception where the model cannot be used at all."""
        if self.context - self.tokenizer.num_special_tokens_to_add(is_pair=False) < 1:
            raise ModelError(f"It reads {self.context} tokens at once, which leaves no room for a text.")
        self._check_run(self._run_shortly(self.encode(A_WORD)))

    def _run_shortly(self, tokens: Tokens) -> TextRun:
        """A run for `try_once`, which may be shorter than that of `run`."""
        return self._run(tokens)

    def _check_run(self, run: TextRun) -> None:
        """Raise ModelError if the logits have an unexpected shape."""
        if run.logits is not None and (run.logits.ndim, len(run.logits)) != (2, len(run.sequences["text"])):
            raise ModelError("It does not give each token a score for every token of its vocabulary.")

    def predictions(self, run: TextRun, position: int = -1, top: int = 5) -> tuple[Prediction, ...]:
        """The most probable tokens at a position: the next one, or the one that should fill it."""
        if run.logits is None:
            return ()
        return best(self.probabilities(run, position), top, self.label)

    def probabilities(self, run: TextRun, position: int = -1) -> Float[Tensor, "class"]:
        """The probability of each token of the vocabulary at a position."""
        assert run.logits is not None
        return run.logits[position].float().softmax(dim=-1)

    def prediction_place(self, tokens: Tokens) -> int:  # noqa: ARG002
        """The position at which the model is asked about an input: the last one, unless a token is masked."""
        return -1

    def targets(self, tokens: Tokens, logits: Float[Tensor, "token class"]) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """The rows of the logits that a loss is the mean of, and the target of each: the model's own first answers."""
        return torch.arange(len(logits)), logits.argmax(dim=-1)

    def run_again(self, inputs: Tokens, run: TextRun) -> Tensor:  # noqa: ARG002
        """The logits of another forward pass over the input of a run, which may be edited meanwhile."""
        logits = self.run(inputs).logits
        assert logits is not None
        return logits

    def run_on_ids(self, ids: Int[Tensor, "batch token"]) -> None:
        """A forward pass over several texts of one length, for a recorder; an encoder-decoder gets them twice."""
        self.network(ids)

    def with_network(self, network: nn.Module, *, name: str, title: str) -> "TextModel":
        """Another network, of the same kind, with this tokenizer and these classes."""
        return replace(self, name=name, title=title, network=network)

    def label(self, number: int) -> str:
        """The readable label of a token of the vocabulary."""
        return read_tokens(self.tokenizer, [number]).labels[0]

    def sequences_of(self, call: AttentionCall, run: TextRun) -> tuple[str, str] | None:
        """The names of the sequences of a recorded call's queries and keys; None if the lengths fit none.

        None, too, where there are two sequences and the kind of the call is unknown, and where the map has only some
        rows, or all in another order (`call.partial`).
        """
        if call.partial or (call.kind == "unknown" and len(run.sequences) > 1):
            return None
        query, key = self._names(call, run)
        lengths = len(run.sequences[query]), len(run.sequences[key])
        return (query, key) if lengths == (call.query_length, call.key_length) and call.batch_size == 1 else None

    def _names(self, call: AttentionCall, run: TextRun) -> tuple[str, str]:  # noqa: ARG002
        return "text", "text"


class LanguageModel(TextModel):
    """A model with a score for every token of its vocabulary at every position."""

    def logits_for(self, texts: Int[Tensor, "batch token"], place: int) -> Float[Tensor, "batch vocabulary"]:
        """The logits of the token in a place of several texts, as far as the model may see them."""
        return logits_of(self.network(texts))[:, place - 1].float()


class CausalLanguageModel(LanguageModel):
    """Decoder-only (GPT): the logits at a position are those of the next token."""

    question = "What comes next?"
    is_causal = True

    def targets(self, tokens: Tokens, logits: Float[Tensor, "token class"]) -> tuple[Tensor, Tensor]:
        """Each token but the first, predicted at the position before it."""
        return torch.arange(len(logits) - 1), torch.tensor(tokens.ids[1:])

    def _run(self, tokens: Tokens) -> TextRun:
        """Logits (token, vocabulary)."""
        return TextRun(logits_of(self.network(batch_of(tokens)))[0], {"text": tokens})


class Encoder(TextModel):
    """Encoder without a head: it has attention, but no predictions."""

    def _run(self, tokens: Tokens) -> TextRun:
        """No logits."""
        self.network(batch_of(tokens))
        return TextRun(None, {"text": tokens})


class Classifier(TextModel):
    """Encoder or decoder that classifies a text."""

    question = "What is its verdict?"

    def _run(self, tokens: Tokens) -> TextRun:
        """Logits (class,)."""
        return TextRun(logits_of(self.network(batch_of(tokens)))[0], {"text": tokens})

    def _check_run(self, run: TextRun) -> None:
        if run.logits is None or run.logits.shape != (len(self.classes),):
            raise ModelError(f"It has names for {len(self.classes)} classes, and not as many scores.")

    def probabilities(self, run: TextRun, position: int = -1) -> Float[Tensor, "class"]:  # noqa: ARG002
        """The probability of each class; `position` is ignored."""
        assert run.logits is not None
        return run.logits.float().softmax(dim=-1)

    def label(self, number: int) -> str:
        """The name of a class."""
        return self.classes[number]


@dataclass(frozen=True, eq=False)
class EncoderDecoder(TextModel):
    """Encoder-decoder (T5, BART, Marian): reads a source, writes a target, one token after the other.

    `reader` decodes the target, where it has another tokenizer than the source.
    """

    question = "What would it write next?"
    reader: Tokenizer | None = None

    def run_again(self, inputs: Tokens, run: TextRun) -> Tensor:  # noqa: ARG002
        """The logits for the target that the run wrote, whatever the model would write now."""
        source, target = (torch.tensor([run.sequences[name].ids]) for name in ("source", "target"))
        return self._network(input_ids=source, decoder_input_ids=target).logits[0]

    def run_on_ids(self, ids: Int[Tensor, "batch token"]) -> None:
        """A forward pass with the same texts as sources and as targets."""
        self._network(input_ids=ids, decoder_input_ids=ids)

    @property
    def _network(self) -> Any:
        """The network, with methods and arguments that torch's Module has not."""
        return self.network

    def _run(self, tokens: Tokens) -> TextRun:
        """Greedy decoding, then one pass over source and target: logits (token of the target, vocabulary)."""
        return self._write_and_run(tokens, ANSWER)

    def _run_shortly(self, tokens: Tokens) -> TextRun:
        return self._write_and_run(tokens, 2)

    def _check_run(self, run: TextRun) -> None:
        if run.logits is None or (run.logits.ndim, len(run.logits)) != (2, len(run.sequences["target"])):
            raise ModelError("It does not give each token that it writes a score for every token of its vocabulary.")

    def _write_and_run(self, tokens: Tokens, most: int) -> TextRun:
        network: Any = self.network  # with a method that torch's Module has not
        source = batch_of(tokens)
        # Only the pass after it is recorded: the steps of decoding are hidden from recorders and from edits, so that a
        # model with an ablated head runs on the same target as before.
        with torch._C.DisableTorchFunction():
            sequence = network.generate(source, max_new_tokens=most, num_beams=1, do_sample=False)[0]
        end = network.generation_config.eos_token_id
        ends = end if isinstance(end, list) else [end]
        target = sequence[:-1] if len(sequence) > 1 and sequence[-1].item() in ends else sequence
        output = network(input_ids=source, decoder_input_ids=target[None])
        return TextRun(output.logits[0], {"source": tokens, "target": self.read_target(target.tolist())})

    def read_target(self, numbers: Sequence[int]) -> Tokens:
        """Generated tokens, with readable labels."""
        return read_tokens(self.reader or self.tokenizer, numbers)

    def label(self, number: int) -> str:
        """The readable label of a token of the target's vocabulary."""
        return self.read_target([number]).labels[0]

    def _names(self, call: AttentionCall, run: TextRun) -> tuple[str, str]:  # noqa: ARG002
        if call.kind == "cross":
            return "target", "source"
        side = "target" if "decoder" in call.path.split(".") else "source"
        return side, side


def best(probabilities: Float[Tensor, "class"], top: int, label: Callable[[int], str]) -> tuple[Prediction, ...]:
    """The `top` most probable predictions, the most probable first; `label` gives the label of a number."""
    values, numbers = probabilities.topk(min(top, len(probabilities)))
    return tuple(
        Prediction(label(number), value, number)
        for number, value in zip(numbers.tolist(), values.tolist(), strict=True)
    )


def batch_of(tokens: Tokens) -> Int[Tensor, "batch token"]:
    """One text as a batch."""
    return torch.tensor([tokens.ids])


def logits_of(output) -> Tensor:
    """The logits of a network's output: the output itself, or its attribute `logits` (transformers)."""
    return output if isinstance(output, Tensor) else output.logits
