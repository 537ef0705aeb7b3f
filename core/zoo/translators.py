"""Models that translate English into French, and the alignment of target and source words.

    model = load_translator("transformer")                   # or "bahdanau", "seq2seq"
    source = model.encode("The cat sleeps.")
    decoded = model.write(source)                            # beam search
    target = model.tokens(decoded.best.tokens)
    aligned = model.align(source, target)                    # one teacher-forced pass: a map for each layer

Row i of every map belongs to the step that *writes* target token i; the decoder has read the tokens before it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import torch
from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor, nn

from ..capture import Cut, edit_attention, record_attention
from ..errors import CaptureError
from ..models.bahdanau import Bahdanau, BahdanauConfig
from ..models.seq2seq import Seq2Seq, Seq2SeqConfig
from ..models.stored_weights import load_weights
from ..models.transformer import Transformer, TransformerConfig
from ..text import Tokens, encode, read_tokens
from ..translation.decoding import BEGIN, END, PENALTY, Decoded, Progress, State, StepDecoder, beam_search
from ..translation.influence import influence
from ..translation.spelling import normalise_english, normalise_french
from ..translation.translator_maps import UNCHANGED, Aligned, Changes, Part
from .embedded import WEIGHTS, read_settings

# In the order in which the architectures were published.
TRANSLATION = {
    "seq2seq": "Without attention",
    "bahdanau": "Bahdanau's attention",
    "transformer": "Transformer",
}

CONTEXT = 128  # tokens of a source: about the longest texts that the models were trained on


@dataclass(frozen=True, eq=False)
class Translator(ABC):
    """A translation model with its tokenizer. Threads may share it: it is immutable."""

    name: str
    title: str
    network: nn.Module
    tokenizer: Tokenizer
    context: int = CONTEXT  # tokens of the source, the end token included
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    def encode(self, text: str) -> Tokens:
        """The tokens of an English text from `read_text`, cut where the context ends."""
        return encode(self.tokenizer, normalise_english(text), context=self.context)

    def encode_target(self, text: str) -> Tokens:
        """The tokens of a French text, cut where the context ends."""
        return encode(self.tokenizer, normalise_french(text), context=self.context)

    def tokens(self, numbers: Sequence[int]) -> Tokens:
        """Generated tokens, with readable labels."""
        return read_tokens(self.tokenizer, numbers)

    def text(self, numbers: Sequence[int]) -> str:
        """Generated tokens as plain text; an unknown word is "<unk>"."""
        words = [number for number in numbers if number > END]
        return self.tokenizer.decode(words, skip_special_tokens=False)

    def write(
        self,
        source: Tokens,
        *,
        beam: int = 5,
        penalty: float = PENALTY,
        changes: Changes = UNCHANGED,
        keep_steps: bool = False,
        progress: Progress | None = None,
    ) -> Decoded:
        """Translate: beam search (a beam of 1 is greedy); see `core.translation.decoding.beam_search`."""
        with self._changed(changes):
            (decoded,) = beam_search(
                cast(StepDecoder, self.network),
                _row(source),
                beam=beam,
                penalty=penalty,
                state=self._start(source, changes),
                keep_steps=keep_steps,
                progress=progress,
            )
        return decoded

    @abstractmethod
    def align(self, source: Tokens, target: Tokens, changes: Changes = UNCHANGED) -> Aligned:
        """The maps from target to source while the model writes exactly this target (teacher forcing)."""

    @contextmanager
    def _changed(self, changes: Changes) -> Iterator[None]:  # noqa: ARG002
        """A context in which the model runs with the edits of `changes`; CaptureError for those it cannot make."""
        yield

    def _start(self, source: Tokens, changes: Changes) -> State | None:  # noqa: ARG002
        """The decoder's first state; None for that of `network.read`."""
        return None


class Seq2SeqTranslator(Translator):
    """Seq2Seq: the map is the influence of each source token, by the gradient."""

    network: Seq2Seq

    def align(self, source: Tokens, target: Tokens, changes: Changes = UNCHANGED) -> Aligned:
        """One map of one layer and one head: influence, not attention."""
        with self._changed(changes):
            logits = self.network(_row(source), _before(target))
        shares = influence(self.network, _row(source), _row(target))
        return Aligned(source, target, _log_probabilities(logits, target), {"cross": (shares,)}, "influence")

    @contextmanager
    def _changed(self, changes: Changes) -> Iterator[None]:
        if changes:
            raise CaptureError(
                f"'{self.title}' has no links to cut and no heads to silence: all it keeps is one vector."
            )
        yield


class BahdanauTranslator(Translator):
    """Bahdanau: one map, which the network returns itself."""

    network: Bahdanau

    @torch.no_grad()
    def align(self, source: Tokens, target: Tokens, changes: Changes = UNCHANGED) -> Aligned:
        """One map of one layer and one head."""
        with self._changed(changes):
            allowed = _allowed(changes, source, len(target))
            logits, weights = self.network.attend(_row(source), _before(target), allowed=allowed)
        return Aligned(source, target, _log_probabilities(logits, target), {"cross": (weights,)})

    @torch.no_grad()
    def _start(self, source: Tokens, changes: Changes) -> State:
        rows = 1 + max((target for target, _ in changes.cut), default=0)
        return self.network.read(_row(source), allowed=_allowed(changes, source, rows))

    @contextmanager
    def _changed(self, changes: Changes) -> Iterator[None]:
        if changes.silenced:
            raise CaptureError(f"'{self.title}' has one map and no heads to silence: cut links instead.")
        yield


class TransformerTranslator(Translator):
    """Transformer: many maps, recorded like those of any other transformer."""

    network: Transformer

    @torch.no_grad()
    def align(self, source: Tokens, target: Tokens, changes: Changes = UNCHANGED) -> Aligned:
        """A map for each head: from target to source, within the source, within the target."""
        with self._changed(changes), record_attention(self.network) as record:
            logits = self.network(_row(source), _before(target))
        maps: dict[Part, list[Tensor]] = {"cross": [], "encoder": [], "decoder": []}
        for call in record.calls:
            part: Part = (
                "cross" if call.kind == "cross" else "encoder" if call.path.startswith("encoder") else "decoder"
            )
            maps[part].append(torch.stack([call.weights(head=head) for head in range(call.heads)]))
        return Aligned(
            source,
            target,
            _log_probabilities(logits, target),
            {part: tuple(layers) for part, layers in maps.items()},
        )

    def forced_logits(
        self, source: Tokens, target: Tokens, language: str | None = None, network: nn.Module | None = None
    ) -> Float[Tensor, "target vocabulary"]:
        """The logits at each step while the model, or a copy of its network, writes exactly this target.

        `language` is ignored: these models write one language.
        """
        del language
        return (network or self.network)(_row(source), _before(target))[0]

    @torch.no_grad()
    def _start(self, source: Tokens, changes: Changes) -> State | None:
        # A link has fixed numbers only where queries are counted from the first token.
        return self.network.read(_row(source), uncached=True) if changes.cut else None

    def path(self, part: Part, layer: int) -> str:
        """The path of the attention module of a part and a layer, as in `core.capture`."""
        return {
            "encoder": f"encoder.blocks.{layer}.attention",
            "decoder": f"decoder.blocks.{layer}.attention",
            "cross": f"decoder.blocks.{layer}.cross_attention",
        }[part]

    @contextmanager
    def _changed(self, changes: Changes) -> Iterator[None]:
        edits: dict[tuple[str, int], Any] = {}
        config = self.network.config
        if changes.cut:
            cut = Cut(changes.cut, growing=True)
            for layer in range(config.layers):
                edits |= {(self.path("cross", layer), head): cut for head in range(config.heads)}
        edits |= {(self.path(part, layer), head): "silence" for part, layer, head in changes.silenced}
        with edit_attention(self.network, edits) if edits else nullcontext():
            yield


KINDS: dict[str, tuple[type[Translator], type[nn.Module], type]] = {
    "seq2seq": (Seq2SeqTranslator, Seq2Seq, Seq2SeqConfig),
    "bahdanau": (BahdanauTranslator, Bahdanau, BahdanauConfig),
    "transformer": (TransformerTranslator, Transformer, TransformerConfig),
}


def load_translator(name: str, *, weights: Path = WEIGHTS) -> Translator:
    """The model of a name in TRANSLATION."""
    folder = weights / "translation"
    file = folder / f"{name}.safetensors"
    config = read_settings(file)
    translator_class, network_class, config_class = KINDS[name]
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    network = load_weights(lambda: network_class(config_class(**config[name])), file)
    return translator_class(name, TRANSLATION[name], network, tokenizer)


def _row(tokens: Tokens) -> Tensor:
    return torch.tensor([tokens.ids])


def _before(target: Tokens) -> Tensor:
    """The decoder's input with which it predicts the target: BEGIN, then all tokens but the last."""
    return torch.tensor([(BEGIN, *target.ids[:-1])])


def _log_probabilities(logits: Tensor, target: Tokens) -> tuple[float, ...]:
    """The log-probability of each target token."""
    return tuple(logits[0].float().log_softmax(dim=-1).gather(1, torch.tensor(target.ids)[:, None])[:, 0].tolist())


def _allowed(changes: Changes, source: Tokens, rows: int) -> Tensor | None:
    """The mask (1, target, source) that is False at the links that `changes` cuts; None without any."""
    if not changes.cut:
        return None
    allowed = torch.ones(1, rows, len(source), dtype=torch.bool)
    for target, place in changes.cut:
        if target < rows and place < len(source):
            allowed[0, target, place] = False
    return allowed
