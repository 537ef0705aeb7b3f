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
from ..hub.failures import as_model_error
from ..hub.permissions import AT_HOME, Permission
from ..models import from_transformers
from ..text import Tokens, encode, read_tokens
from ..translation.decoding import Decoded, Hypothesis, Progress, limit_of
from ..translation.translator_maps import Aligned, Part
from . import loading, offers
from .text_models import EncoderDecoder
from .translators import CONTEXT

LONGEST_PREFIX = 200  # characters
LONGEST_TARGET = 190  # tokens: with a source of CONTEXT tokens, the most that the view shows
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
    """An encoder-decoder of transformers with its tokenizer. Threads may share it: it is immutable.

    `tokenizer` encodes the source; `reader` decodes the target (the same one, but for Marian). `kind` is the model type
    of transformers: "marian", "t5", "bart", "mbart", "m2m_100" and others.
    """

    name: str
    title: str
    kind: str
    network: Any  # with methods that torch's Module has not
    tokenizer: Tokenizer
    reader: Tokenizer
    context: int = CONTEXT  # tokens of the source, special ones included
    prefix: str = ""  # what the model expects before a sentence, as it was trained
    warnings: tuple[str, ...] = ()  # sentences for the user
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
        with as_model_error(self.name, "read this text"):
            tokens = encode(self.tokenizer, text, context=self.context)
        if not self.names_source or language is None:
            return tokens
        number = self._number(language)
        places = [place for place, label in enumerate(tokens.labels) if self._is_code(tokens, place, label)]
        swapped = [place in places for place in range(len(tokens))]
        return replace(
            tokens,
            ids=tuple(number if swap else own for swap, own in zip(swapped, tokens.ids, strict=True)),
            labels=tuple(language if swap else own for swap, own in zip(swapped, tokens.labels, strict=True)),
        )

    def tokens(self, numbers: Sequence[int]) -> Tokens:
        """Generated tokens, with readable labels."""
        return read_tokens(self.reader, numbers)

    def text(self, numbers: Sequence[int]) -> str:
        """Generated tokens as plain text, without special tokens."""
        return self.reader.decode(list(numbers), skip_special_tokens=True).strip()

    @torch.no_grad()
    def write(
        self, source: Tokens, *, beam: int = 5, language: str | None = None, progress: Progress | None = None
    ) -> Decoded:
        """Translate with the library's `generate` and the model's own settings, except for the beam size.

        `language` is the code of the target's. The log-probabilities are the model's own for each token, before
        the settings forbid or force any; they are computed once each hypothesis is complete.
        """
        longest = min(limit_of(len(source)), LONGEST_TARGET, self._decoder_limit())
        with as_model_error(self.name, "translate this text"):
            sequences = self.network.generate(
                _row(source.ids),
                max_new_tokens=longest,
                num_beams=beam,
                num_return_sequences=beam,
                do_sample=False,
                stopping_criteria=[Watch(progress, beam)] if progress else None,
                **self._target_settings(language),
            )
            hypotheses = [self._hypothesis(source, row) for row in sequences.tolist()]
        return Decoded(tuple({hypothesis.tokens: hypothesis for hypothesis in hypotheses}.values()))

    @torch.no_grad()
    def align(self, source: Tokens, target: Tokens, language: str | None = None) -> Aligned:
        """The attention of every head while the model writes exactly this target (teacher forcing).

        CaptureError if no layer of this architecture has one map from target to source.
        """
        with as_model_error(self.name, "run on this text"), record_attention(self.network) as record:
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
        return Aligned(
            source,
            target,
            _log_probabilities(logits, target.ids),
            {part: tuple(layers) for part, layers in maps.items()},
        )

    def forced_logits(
        self, source: Tokens, target: Tokens, language: str | None = None, network: Any = None
    ) -> Float[Tensor, "target vocabulary"]:
        """The logits at each step while the model, or a copy of its network, writes exactly this target."""
        model = self if network is None else replace(self, network=network)
        return model._logits(source, target.ids, language)

    def start(self, language: str | None = None) -> int:
        """The token that the decoder reads before it predicts the first one."""
        begin: int = self.network.generation_config.decoder_start_token_id
        settings = self._target_settings(language)
        return settings.get("decoder_start_token_id", begin)

    def _target_settings(self, language: str | None) -> dict[str, int]:
        """The arguments of `generate` for a target language: its token is the decoder's first output, or its start."""
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

    def _decoder_limit(self) -> int:
        """The longest target of the decoder, in tokens."""
        return from_transformers.context_of(self.network.config, self.network, LONGEST_TARGET) - 1

    def _hypothesis(self, source: Tokens, row: list[int]) -> Hypothesis:
        ends = self.network.generation_config.eos_token_id
        ends = ends if isinstance(ends, list) else [ends]
        start, *tokens = row
        # BART's decoder starts with the end token; what follows the next end is padding.
        place = next((place for place, token in enumerate(tokens) if token in ends), len(tokens))
        tokens = tokens[: place + 1]
        logits = self._logits(source, tokens, start=start)
        return Hypothesis(tuple(tokens), _log_probabilities(logits, tokens), bool(tokens) and tokens[-1] in ends)

    def _logits(
        self, source: Tokens, target: Sequence[int], language: str | None = None, *, start: int | None = None
    ) -> Float[Tensor, "token vocabulary"]:
        before = [self.start(language) if start is None else start, *target[:-1]]
        return self.network(input_ids=_row(source.ids), decoder_input_ids=_row(before), use_cache=False).logits[0]


class Watch:
    """A stopping criterion of `generate` that reports progress, and stops only by an exception of `progress`."""

    def __init__(self, progress: Progress, beam: int):
        self.progress, self.beam, self.step = progress, beam, 0

    def __call__(self, sequences: Tensor, scores: Any, **_: Any) -> Tensor:  # noqa: ARG002
        """Called after each token; never True."""
        self.step += 1
        # The hypotheses of the one source; the best of those that are not complete comes first.
        self.progress(self.step, [Hypothesis(tuple(sequences[0, 1:].tolist()))])
        return torch.zeros(len(sequences), dtype=torch.bool)


def inspect_translator(name: str, *, permission: Permission = AT_HOME) -> repositories.Offer:
    """The kind of a model and its size, before anything large is fetched; ModelError if it cannot translate."""
    offer = offers.inspect(name, "text", permission=permission)
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
    model = loading.load_text(name, permission=permission)
    assert isinstance(model, EncoderDecoder)
    network: Any = model.network
    kind = network.config.model_type
    return NamedTranslator(
        name=name,
        title=model.title,
        kind=kind,
        network=network,
        tokenizer=model.tokenizer,
        reader=model.reader or model.tokenizer,
        context=min(model.context, CONTEXT),
        prefix=_prefix(network.config, kind),
        warnings=model.warnings,
    )


def _prefix(config: Any, kind: str) -> str:
    """The prefix of a sentence in the translation tasks of the model's config: that for French, else the first."""
    tasks = getattr(config, "task_specific_params", None)
    prefixes = {
        task: str(settings.get("prefix", ""))[:LONGEST_PREFIX]
        for task, settings in (tasks.items() if isinstance(tasks, dict) else ())
        if task.startswith("translation") and isinstance(settings, dict)
    }
    return prefixes.get("translation_en_to_fr", next(iter(prefixes.values()), _PREFIX if kind == "t5" else ""))


def _part(call: AttentionCall) -> Part:
    if call.kind == "cross":
        return "cross"
    return "decoder" if "decoder" in call.path.split(".") else "encoder"


def _row(numbers: Sequence[int]) -> Tensor:
    return torch.tensor([list(numbers)])


def _log_probabilities(logits: Float[Tensor, "token vocabulary"], target: Sequence[int]) -> tuple[float, ...]:
    """The log-probability of each target token."""
    places = torch.tensor(list(target))[:, None]
    return tuple(logits.float().log_softmax(dim=-1).gather(1, places)[:, 0].tolist())
