"""Translations and what was looked at while they were written, kept for the next visitor who asks for the same."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from core.errors import ModelError
from core.models.bahdanau import Bahdanau
from core.models.transformer import Transformer
from core.text import Tokens, read_text
from core.translation.decoder_step import (
    RecurrentStep,
    StepAttention,
    attend_additive,
    attend_dot_product,
    next_tokens,
    recurrent_step,
)
from core.translation.decoding import BEGIN, Decoded
from core.zoo import UNCHANGED, Aligned, Changes, NamedTranslator, Translator
from dashboard.cache.memo import cached
from dashboard.cache.models import named_translator, translator
from dashboard.output.streaming import NOBODY, StepObserver
from pages.language.translation import compute_measured


@dataclass(frozen=True, eq=False)
class Translated:
    """A source, its translation by one model, and the maps of writing it. Shared by all visitors: never changed."""

    model: Translator | NamedTranslator
    source: Tokens
    decoded: Decoded
    target: Tokens  # the best hypothesis, its end mark included
    aligned: Aligned
    begin: str = "<s>"  # the label of what the decoder reads before it writes the first token

    @property
    def text(self) -> str:
        """The translation as plain text."""
        return self.model.text(self.target.ids)

    @property
    def log_probability(self) -> float:
        """Of the translation, its end mark included."""
        return self.decoded.best.log_probability


@dataclass(frozen=True, eq=False)
class WorkedStep:
    """What one step knows, and what it expects: the log-probability of every token. Shared: never changed."""

    known: StepAttention | RecurrentStep
    log_probabilities: Float[Tensor, " vocabulary"]


@dataclass(frozen=True)
class BestHead:
    """The head of a transformer whose strongest links agree best with those of people, over many sentences."""

    layer: int
    head: int
    shift: int  # 1: its row for a word is that of the next step, which has read the word


@cached()
def translate(
    name: str, text: str, beam: int, changes: Changes = UNCHANGED, observer: StepObserver = NOBODY
) -> Translated:
    """The translation of a text from `read_text` by one of the three models; the onlooker may stop it by raising."""
    model = translator(name)
    source = model.encode(text)
    decoded = model.write(source, beam=beam, changes=changes, keep_steps=True, progress=observer.report)
    target = model.tokens(decoded.best.tokens)
    return Translated(model, source, decoded, target, model.align(source, target, changes))


@cached()
def align(name: str, english: str, french: str) -> Aligned:
    """What a model looks at while it is made to write a given translation."""
    model = translator(name)
    return model.align(model.encode(english), model.encode_target(french))


@cached()
def align_again(name: str, text: str, beam: int, changes: Changes) -> Aligned:
    """What a changed model looks at while it is made to write what it wrote before it was changed."""
    before = translate(name, text, beam)
    return translator(name).align(before.source, before.target, changes)


@cached()
def worked_step(name: str, text: str, beam: int, place: int, layer: int = 0, head: int = 0) -> WorkedStep:
    """The step that writes token `place` of a model's own translation; `layer` and `head` are the transformer's."""
    known = known_in_step(name, text, beam, place, layer, head)
    network, source, before = _read_in_step(translate(name, text, beam))
    return WorkedStep(known, next_tokens(network, source, before, place))


@cached()
def known_in_step(
    name: str, text: str, beam: int, place: int, layer: int = 0, head: int = 0
) -> StepAttention | RecurrentStep:
    """What that step knows, without what it expects: for this the model need not write the sentence again."""
    network, source, before = _read_in_step(translate(name, text, beam))
    if isinstance(network, Bahdanau):
        return attend_additive(network, source, before, place)
    if isinstance(network, Transformer):
        return attend_dot_product(network, source, before, place, layer=layer, head=head)
    return recurrent_step(network, source, before, place)


def _read_in_step(translated: Translated) -> tuple[Any, Tensor, Tensor]:
    """The network, the source, and what the decoder reads before each token, as batches of one."""
    before = (BEGIN, *translated.target.ids[:-1])
    return translated.model.network, torch.tensor([translated.source.ids]), torch.tensor([before])


def best_head() -> BestHead | None:
    """The head of the transformer that aligns best; None while nobody has measured."""
    try:
        best = compute_measured.alignment().models["transformer"]
    except ModelError:
        return None
    return BestHead(int(best["layer"]), int(best["head"]), int(best["shift"]))


@cached()
def translate_by_name(
    name: str,
    text: str,
    beam: int,
    source_language: str | None = None,
    target_language: str | None = None,
    observer: StepObserver = NOBODY,
) -> Translated:
    """The translation by a pretrained model; languages are codes of the model's own, where it leaves a choice."""
    model = named_translator(name)
    source = model.encode(read_text(text), source_language)
    decoded = model.write(source, beam=beam, language=target_language, progress=observer.report)
    target = model.tokens(decoded.best.tokens)
    begin = model.tokens([model.start(target_language)]).labels[0]
    return Translated(model, source, decoded, target, model.align(source, target, target_language), begin)
