"""What is computed for Heads: importance on one input, and the network without some heads, really smaller."""

import statistics
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.measured.shrinking_heads import Pruned, pruned
from core.models.bert_tasks import VERDICTS
from core.shrinking.importance import Head, by_module, gradient_importance, ranked
from core.shrinking.pruned_heads import headed_modules, without_heads
from core.translation.decoding import BEGIN
from core.zoo.embedded import load_embedded_text
from dashboard.kept import keep
from dashboard.models import image_model, text_model, translator
from dashboard.photograph import Photograph
from dashboard.watched import content_of

ROUNDS = 9
Given = str | Photograph


@dataclass(frozen=True, eq=False)
class Ranked:
    """The heads of a network: their importance on one input, and all of them, the least important first."""

    importance: tuple[Float[Tensor, " head"], ...]
    order: tuple[Head, ...]


@dataclass(frozen=True, eq=False)
class Smaller:
    """A network beside the same without some heads.

    `before`, `after`: the probabilities of `answers`, or what each wrote, where it writes.
    """

    answers: tuple[str, ...]
    before: Float[Tensor, " class"] | None
    after: Float[Tensor, " class"] | None
    written: tuple[str, str] | None
    parameters: tuple[int, int]
    milliseconds: tuple[float, float]
    identity: Hashable = field(kw_only=True)


@keep("Loading the model …", computes=False)
def verdicts() -> Any:
    """The BERT that says praise or blame."""
    return load_embedded_text("bert-tasks")


def network_of(name: str) -> nn.Module:
    """The network of one of the four models."""
    if name == "translation":
        return translator("transformer").network
    if name == "bert-tasks":
        return verdicts().network
    return (image_model(name) if name.startswith("vit") else text_model(name)).network


@keep("Asking which heads matter …")
def rank(name: str, given: Given) -> Ranked:
    """Importance by gradient on one input, for what the network itself says of it."""
    found = gradient_importance(network_of(name), _losses(name, given))
    return Ranked(tuple(each.detach() for each in found), tuple(ranked(found)))


@keep("Taking heads out …")
def without(name: str, given: Given, gone: tuple[Head, ...]) -> Smaller:
    """The network without some heads, on one input."""
    whole = network_of(name)
    smaller = without_heads(whole, by_module(gone)).eval().requires_grad_(False)
    sizes = _size(whole), _size(smaller)
    says = _says(name, given)
    with torch.inference_mode():
        times = _milliseconds(says, whole, smaller)
        identity = (name, given, gone)
        if name == "translation":
            written = _french(given, whole), _french(given, smaller)
            return Smaller((), None, None, written, sizes, times, identity=identity)
        return Smaller(_answers(name), says(whole), says(smaller), None, sizes, times, identity=identity)


@keep(computes=False)
def measured(name: str) -> tuple[Pruned, ...]:
    """What was measured of a model; ModelError where the file is missing or wrong."""
    return pruned(name)


def counts(name: str) -> list[int]:
    """How many heads each attention module has."""
    return [headed.heads for headed in headed_modules(network_of(name))]


def _says(name: str, given: Given) -> Callable[[nn.Module], Tensor]:
    """What a network says of the input: probabilities; of the translator, those of its first word."""
    if isinstance(given, Photograph):
        pixels = given.prepared.pixels
        return lambda network: network(pixels)[0].softmax(dim=-1)
    if name == "translation":
        source = torch.tensor([translator("transformer").encode(content_of(given)).ids])
        target = torch.full((1, 1), BEGIN)
        return lambda network: network(source, target)[0, -1].softmax(dim=-1)
    model = verdicts() if name == "bert-tasks" else text_model(name)
    ids = torch.tensor([model.encode(content_of(given)).ids])
    if name == "bert-tasks":
        return lambda network: network(ids)[1][0].softmax(dim=-1)
    return lambda network: network(ids)[0, -1].softmax(dim=-1)


def _losses(name: str, given: Given) -> Callable[[nn.Module], Tensor]:
    """How surprised the network would be by its own answer: what it says at most."""
    says = _says(name, given)
    with torch.inference_mode():
        answer = int(says(network_of(name)).argmax())

    def losses(network: nn.Module) -> Tensor:
        return -says(network)[answer].clamp(min=1e-12).log()[None]

    return losses


def _answers(name: str) -> tuple[str, ...]:
    if name == "bert-tasks":
        return tuple(VERDICTS)
    if name.startswith("vit"):
        return image_model(name).classes
    model = text_model(name)
    return tuple(model.label(number) for number in range(model.tokenizer.get_vocab_size()))


def _french(given: Given, network: nn.Module) -> str:
    assert not isinstance(given, Photograph)
    model = replace(translator("transformer"), network=network)
    source = model.encode(content_of(given))
    return model.text(model.write(source, beam=1).best.tokens)


def _size(network: nn.Module) -> int:
    return sum(weight.numel() for weight in network.parameters())


def _milliseconds(says: Callable[[nn.Module], Tensor], whole: nn.Module, smaller: nn.Module) -> tuple[float, float]:
    """The median time of both for the input, taken in turns."""
    taken: tuple[list[float], list[float]] = ([], [])
    for turn in range(ROUNDS + 1):
        for network, times in zip((whole, smaller), taken, strict=True):
            begin = time.perf_counter()
            says(network)
            if turn:
                times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(taken[0]), statistics.median(taken[1])
