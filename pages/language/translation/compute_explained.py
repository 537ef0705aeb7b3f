"""One run in which a model writes a given translation, recorded, and what its heads write in it; kept."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.capture import AttentionCall, Record, record_attention
from core.heads.contributions import HeadOutputs, watch_outputs
from core.heads.part_removal import Removal, remove_parts
from core.heads.weight_explanation import explain_weight
from core.translation.translator_maps import Part
from dashboard.cache.memo import cached
from pages.language.translation import compute
from pages.language.translation.compute import Translated


@dataclass(frozen=True)
class Request:
    """What is asked of a model: the text, the size of the beam, and of a pretrained one the languages.

    `is_named` says that the model is pretrained, and not one of the three that come with the atlas.
    """

    name: str
    text: str
    beam: int
    is_named: bool = False
    source_language: str | None = None
    target_language: str | None = None

    @property
    def translated(self) -> Translated:
        """The translation, which is cached."""
        if self.is_named:
            languages = self.source_language, self.target_language
            return compute.translate_by_name(self.name, self.text, self.beam, *languages)
        return compute.translate(self.name, self.text, self.beam)


@cached("Writing the translation once more …")
def forced_record(request: Request) -> Record:
    """The attention of a model that is made to write its translation."""
    translated = request.translated
    with torch.inference_mode(), record_attention(translated.model.network) as record:
        forced_logits(request, translated.model.network)
    return record


@cached("Adding up …")
def head_outputs(request: Request) -> tuple[HeadOutputs, ...]:
    """What each head writes in that run: one entry for each call of the record."""
    return watch_outputs(request.translated.model.network, lambda network: forced_logits(request, network))


@cached("Translating without this part …")
def removal(request: Request, place: int, head: int, query: int, key: int) -> Removal:
    """The logits of each step without a head, or one key in it, at one token; `place` counts the calls of the record.

    Raises CaptureError as `remove_parts`.
    """
    explanation = explain_weight(forced_record(request).calls[place], head, query, key)
    network, outputs = request.translated.model.network, head_outputs(request)[place]
    return remove_parts(network, lambda copy: forced_logits(request, copy), outputs, explanation)


def forced_logits(request: Request, network: nn.Module) -> Float[Tensor, "target vocabulary"]:
    """The logits of each step of the translation, by a network of the model's kind."""
    translated = request.translated
    model: Any = translated.model
    return model.forced_logits(translated.source, translated.target, request.target_language, network)


def call_place(request: Request, part: Part, layer: int) -> int:
    """Which call of the record has the maps of a layer of a part."""
    translated = request.translated
    source, target = len(translated.source), len(translated.target)
    lengths = {"cross": (target, source), "encoder": (source, source), "decoder": (target, target)}
    places = [
        place
        for place, call in enumerate(forced_record(request).calls)
        if part_of(call) == part and (call.query_length, call.key_length) == lengths[part] and call.batch_size == 1
    ]
    return places[layer]


def part_of(call: AttentionCall) -> Part:
    """The part of an encoder-decoder to which a call belongs, by its path."""
    if call.kind == "cross":
        return "cross"
    return "decoder" if "decoder" in call.path.split(".") else "encoder"
