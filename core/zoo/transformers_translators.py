"""Pretrained encoder-decoders as translators: any of the hub or of a folder, behind the verbs of `Translator`.

model = load_named_translator("google-t5/t5-small")       # fetched if it is not here: ask `inspect_translator` first
source = model.encode("translate English to French: The cat sleeps.")
decoded = model.write(source)                             # the library's own beam search
aligned = model.align(source, model.tokens(decoded.best.tokens))
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor

from ..capture import AttentionCall, record_attention
from ..errors import CaptureError, ModelError
from ..hub import repositories
from ..hub.failures import as_sentence
from ..hub.permissions import AT_HOME, Permission
from ..models import from_transformers
from ..text import Tokens, encode, read_tokens
from ..translation.decoding import Decoded, Hypothesis, Progress, limit_of
from ..translation.translator_maps import Aligned, Part
from . import loading
from .translators import CONTEXT

LONGEST_PREFIX = 200  # characters
LONGEST_TARGET = 190  # tokens: with a source of CONTEXT tokens, what the view still shows
EXAMPLES = (
    "Helsinki-NLP/opus-mt-en-fr",
    "google-t5/t5-small",
    "facebook/nllb-200-distilled-600M",
    "facebook/bart-large",
)

# "fra_Latn" (NLLB), "fr_XX" (mBART), "__fr__" (M2M-100), ">>fra<<" (Marian with several languages).
_CODE = re.compile(r"[a-z]{2,3}_[A-Z][A-Za-z]{1,3}|__[a-z]{2,3}__|>>[\w.@-]+<<")
_PREFIX = "translate English to French: "  # Raffel et al. 2020, appendix D.7


@dataclass(frozen=True, eq=False)
class NamedTranslator:
    """An encoder-decoder of transformers with its tokenizer. Threads may share it: nothing is set after it was made.

    `tokenizer` cuts the source; `reader` tells what the network wrote (the same one, but for Marian). `kind` is the
    family in the words of transformers: "marian", "t5", "bart", "mbart", "m2m_100" and others.
    """

    name: str
    title: str
    kind: str
    network: Any  # with methods that torch's Module has not
    tokenizer: Tokenizer
    reader: Tokenizer
    context: int = CONTEXT  # tokens of the source, special ones included
    prefix: str = ""  # what the model expects before a sentence, as it was trained
    warnings: tuple[str, ...] = ()  # what whoever opens it should know first, in sentences
    parameters: int = field(init=False)
    languages: tuple[str, ...] = field(init=False)  # codes that can be chosen; empty: nothing to choose

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))
        added = self.tokenizer.get_added_tokens_decoder().values()
        codes = sorted(token.content for token in added if token.special and _CODE.fullmatch(token.content))
        object.__setattr__(self, "languages", tuple(codes))

    @property
    def names_source(self) -> bool:
        """Whether the language of the source is a token of it (NLLB, mBART); Marian names only that of the target."""
        return bool(self.languages) and self.kind != "marian"

    def encode(self, text: str, language: str | None = None) -> Tokens:
        """The tokens of a text from `read_text`, cut where the context ends; `language`: the code of its language."""
        with as_sentence(self.name, "read this text"):
            tokens = encode(self.tokenizer, text, context=self.context)
        if not self.names_source or language is None:
            return tokens
        number = self._number(language)
        places = [place for place, label in enumerate(tokens.labels) if self._is_code(tokens, place, label)]
        swapped = [place in places for place in range(len(tokens))]
        return replace(
            tokens,
            ids=tuple(number if swap else old for swap, old in zip(swapped, tokens.ids, strict=True)),
            labels=tuple(language if swap else old for swap, old in zip(swapped, tokens.labels, strict=True)),
        )

    def tokens(self, numbers: Sequence[int]) -> Tokens:
        """Tokens that were written, as a person reads them."""
        return read_tokens(self.reader, numbers)

    def text(self, numbers: Sequence[int]) -> str:
        """What was written, as plain text, special tokens left out."""
        return self.reader.decode(list(numbers), skip_special_tokens=True).strip()

    @torch.no_grad()
    def write(
        self, source: Tokens, *, beam: int = 5, language: str | None = None, progress: Progress | None = None
    ) -> Decoded:
        """Translate with the library's `generate` and the settings that the model came with, but for the beam.

        `language` is the code of the target's. The log-probabilities are the model's own for each token, before
        the settings forbid or force any; they are measured once each hypothesis is complete.
        """
        longest = min(limit_of(len(source)), LONGEST_TARGET, self._room())
        with as_sentence(self.name, "translate this text"):
            written = self.network.generate(
                _row(source.ids),
                max_new_tokens=longest,
                num_beams=beam,
                num_return_sequences=beam,
                do_sample=False,
                stopping_criteria=[Watch(progress, beam)] if progress else None,
                **self._into(language),
            )
            hypotheses = [self._hypothesis(source, row) for row in written.tolist()]
        return Decoded(tuple({hypothesis.tokens: hypothesis for hypothesis in hypotheses}.values()))

    @torch.no_grad()
    def align(self, source: Tokens, target: Tokens, language: str | None = None) -> Aligned:
        """Let the model write exactly this target (teacher forcing), and keep what every head looked at.

        CaptureError if the attention of this architecture is not one map between target and source.
        """
        with as_sentence(self.name, "run on this text"), record_attention(self.network) as record:
            logits = self._logits(source, target.ids, language)
        lengths = {
            "cross": (len(target), len(source)),
            "encoder": (len(source), len(source)),
            "decoder": (len(target), len(target)),
        }
        maps: dict[Part, list[Tensor]] = {"cross": [], "encoder": [], "decoder": []}
        for call in record.calls:
            part = _part(call)
            if (call.query_length, call.key_length) == lengths[part] and call.batch_size == 1:
                maps[part].append(torch.stack([call.weights(head=head) for head in range(call.heads)]))
        if not maps["cross"]:
            raise CaptureError(
                f"'{self.name}' has no attention from each target token to each source token that could be shown. "
                "Choose another encoder-decoder."
            )
        return Aligned(source, target, _chosen(logits, target.ids), {part: tuple(of) for part, of in maps.items()})

    def start(self, language: str | None = None) -> int:
        """The token that the decoder reads before it writes the first one."""
        begin: int = self.network.generation_config.decoder_start_token_id
        into = self._into(language)
        return into.get("decoder_start_token_id", begin)

    def _into(self, language: str | None) -> dict[str, int]:
        """The settings of `generate` that name a target language: as the first token written, or read."""
        if not self.names_source or language is None:
            return {}
        number, start = self._number(language), self.network.generation_config.decoder_start_token_id
        codes = {self.tokenizer.token_to_id(code) for code in self.languages}
        return {"decoder_start_token_id" if start in codes else "forced_bos_token_id": number}

    def _number(self, language: str) -> int:
        number = self.tokenizer.token_to_id(language)
        if number is None or language not in self.languages:
            raise ModelError(f"'{self.name}' has no language '{language}'. Choose one from its list.")
        return number

    def _is_code(self, tokens: Tokens, place: int, label: str) -> bool:
        return tokens.special[place] and label in self.languages

    def _room(self) -> int:
        """Tokens that the decoder can hold."""
        return from_transformers.context_of(self.network.config, self.network, LONGEST_TARGET) - 1

    def _hypothesis(self, source: Tokens, row: list[int]) -> Hypothesis:
        ends = self.network.generation_config.eos_token_id
        ends = ends if isinstance(ends, list) else [ends]
        start, *tokens = row
        # Some begin with the token that ends (BART's decoder starts with it); what follows the end is padding.
        place = next((place for place, token in enumerate(tokens) if token in ends), len(tokens))
        tokens = tokens[: place + 1]
        logits = self._logits(source, tokens, start=start)
        return Hypothesis(tuple(tokens), _chosen(logits, tokens), bool(tokens) and tokens[-1] in ends)

    def _logits(
        self, source: Tokens, target: Sequence[int], language: str | None = None, *, start: int | None = None
    ) -> Float[Tensor, "token vocabulary"]:
        before = [self.start(language) if start is None else start, *target[:-1]]
        return self.network(input_ids=_row(source.ids), decoder_input_ids=_row(before), use_cache=False).logits[0]


class Watch:
    """Stands where `generate` asks whether to stop: says how far it is, and stops only by what `progress` raises."""

    def __init__(self, progress: Progress, beam: int):
        self.progress, self.beam, self.step = progress, beam, 0

    def __call__(self, sequences: Tensor, scores: Any, **_: Any) -> Tensor:  # noqa: ARG002
        """One more token has been written."""
        self.step += 1
        # The beams of the one source; the best of those that are not complete comes first.
        self.progress(self.step, [Hypothesis(tuple(sequences[0, 1:].tolist()))])
        return torch.zeros(len(sequences), dtype=torch.bool)


def inspect_translator(name: str, *, permission: Permission = AT_HOME) -> repositories.Offer:
    """What a model is and what it costs, before anything large is fetched; ModelError if it cannot translate."""
    offer = loading.inspect(name, "text", permission=permission)
    check_translates(offer)
    return offer


def check_translates(offer: repositories.Offer) -> None:
    """Raise ModelError if a model has not both an encoder and a decoder."""
    if offer.task != "source to target":
        raise ModelError(
            f"'{offer.name}' ({offer.what}) has no encoder and decoder, so it cannot read one text and write another. "
            f"Name an encoder-decoder, such as {EXAMPLES[0]} or {EXAMPLES[1]}."
        )


def load_named_translator(name: str, *, permission: Permission = AT_HOME) -> NamedTranslator:
    """An encoder-decoder of the hub (fetched if it is not here) or of a folder, by the rules of `load_text`."""
    inspect_translator(name, permission=permission)
    found = loading.load_text(name, permission=permission)
    assert isinstance(found, loading.SourceToTarget)
    network: Any = found.network
    kind = network.config.model_type
    return NamedTranslator(
        name=name,
        title=found.title,
        kind=kind,
        network=network,
        tokenizer=found.tokenizer,
        reader=found.reader or found.tokenizer,
        context=min(found.context, CONTEXT),
        prefix=_prefix(network.config, kind),
        warnings=found.warnings,
    )


def _prefix(config: Any, kind: str) -> str:
    """What stands before a sentence in the tasks that the model was trained for; to French, if it can."""
    tasks = getattr(config, "task_specific_params", None)
    own = {
        task: str(settings.get("prefix", ""))[:LONGEST_PREFIX]
        for task, settings in (tasks.items() if isinstance(tasks, dict) else ())
        if task.startswith("translation") and isinstance(settings, dict)
    }
    return own.get("translation_en_to_fr", next(iter(own.values()), _PREFIX if kind == "t5" else ""))


def _part(call: AttentionCall) -> Part:
    if call.kind == "cross":
        return "cross"
    return "decoder" if "decoder" in call.path.split(".") else "encoder"


def _row(numbers: Sequence[int]) -> Tensor:
    return torch.tensor([list(numbers)])


def _chosen(logits: Float[Tensor, "token vocabulary"], target: Sequence[int]) -> tuple[float, ...]:
    """The log-probability of each target token."""
    places = torch.tensor(list(target))[:, None]
    return tuple(logits.float().log_softmax(dim=-1).gather(1, places)[:, 0].tolist())
