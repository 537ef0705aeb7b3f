"""What all sections ask: a network, and the same after something was taken away, about the same input."""

import statistics
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.errors import InputError, ModelError
from core.models.bert_tasks import SENTIMENTS
from core.progress import Progress, no_progress
from core.results.shrinking import V, measured
from core.shrinking.importance import Losses
from core.shrinking.layouts import with_linears
from core.shrinking.number_formats import parameter_count, size_in_bytes
from core.text import Tokens, read_tokens
from core.translation.decoding import BEGIN
from core.zoo.embedded import load_embedded_text
from core.zoo.kinds import fills_masks, scores_tokens, writes_target
from core.zoo.text_models import TextModel
from dashboard.cache.memo import cached
from dashboard.cache.models import image_model, text_model, translator
from dashboard.inputs.photograph import Photograph
from dashboard.recordings.watched import Text, content_of

ROUNDS = 9
TRANSLATION = "translation"
MEASURED_ON = {
    "gpt-books": "a held-out book",
    "bert-tasks": "the 872 sentences of SST-2's dev part",
    "bert-books": "masked tokens of a held-out book",
    "vit-tiny-imagenet": "1,000 pictures of the validation part",
    "translation": "200 held-out sentences",
}


@dataclass(frozen=True)
class Question:
    """A network by its name, and what it is asked about."""

    name: str
    model_input: Text | Photograph

    @property
    def identity(self) -> Hashable:
        """What tells it from any other."""
        return self.name, self.model_input.identity if isinstance(self.model_input, Photograph) else self.model_input


@dataclass(frozen=True, eq=False)
class Beside:
    """A network beside one made from it, asked the same; of pairs, the first is the whole one.

    `before`, `after`: the probabilities of `answers`. `written`: what each wrote, where it writes.
    """

    answers: tuple[str, ...]
    before: Float[Tensor, " class"]
    after: Float[Tensor, " class"]
    written: tuple[str, str] | None
    parameters: tuple[int, int]
    bytes: tuple[int, int]
    milliseconds: tuple[float, float]
    identity: Hashable = field(kw_only=True)


@cached("Loading the model …", computes=False)
def verdicts() -> TextModel:
    """The BERT that says praise or blame."""
    return load_embedded_text("bert-tasks")


def model_of(name: str, *, pictures: bool = False) -> Any:
    """A model by its name, ours or any other: one of text, of images, or the translator."""
    if name == TRANSLATION:
        return translator("transformer")
    if name == "bert-tasks":
        return verdicts()
    return (image_model if pictures or name.startswith("vit-") else text_model)(name)


def network_of(question: Question) -> nn.Module:
    """The whole network, all of its maps as linear ones."""
    return linear_network(question.name, isinstance(question.model_input, Photograph))


@cached("Loading the model …", computes=False)
def linear_network(name: str, pictures: bool) -> nn.Module:
    """The network of a model; shared by all, so that only copies of it are changed."""
    return with_linears(model_of(name, pictures=pictures).network)


@cached("Reading …")
def read(name: str, text: Text) -> Tokens:
    """A text as a model reads it; InputError where there is nothing to read, or no word hidden that could be asked."""
    model = model_of(name)
    tokens = model.encode(content_of(text))
    if writes_target(model):
        raise ModelError(
            f"{model.title} reads one text and writes another; here a network is asked for one answer. Choose one that "
            "continues a text, fills a mask or gives a class."
        )
    if fills_masks(model) and model.mask not in tokens.ids:
        mask = model.tokenizer.id_to_token(model.mask)
        raise InputError(
            f"Write {mask} in place of a word: {model.title} says what is missing, and nothing is missing here."
        )
    return tokens


def answers_of(question: Question) -> tuple[str, ...]:
    """What the network can say, in the order of its probabilities."""
    if question.name == "bert-tasks":
        return tuple(SENTIMENTS)
    model = model_of(question.name, pictures=isinstance(question.model_input, Photograph))
    return getattr(model, "classes", ()) or _vocabulary(question.name)


@cached(computes=False)
def _vocabulary(name: str) -> tuple[str, ...]:
    tokenizer = model_of(name).tokenizer
    return tuple(read_tokens(tokenizer, [number]).labels[0] for number in range(tokenizer.get_vocab_size()))


def asker(question: Question, network: nn.Module) -> Callable[[], Float[Tensor, " class"]]:
    """What a network says of the input when it is called: probabilities; of the translator, those of its first word.

    `network`: that of the model, or one made from it. ModelError where the model says nothing.
    """
    model_input, name = question.model_input, question.name
    if isinstance(model_input, Photograph):
        prepared, seeing = model_input.prepared, replace(model_input.model, network=network)
        if not seeing.classes:
            raise _headless(seeing.title)
        return lambda: seeing.probabilities(seeing.run(prepared))
    tokens = read(name, model_input)
    ids = torch.tensor([tokens.ids])
    if name == TRANSLATION:
        target = torch.full((1, 1), BEGIN)
        return lambda: network(ids, target)[0, -1].softmax(dim=-1)
    if name == "bert-tasks":
        return lambda: network(ids)[1][0].softmax(dim=-1)
    reading = replace(model_of(name), network=network)
    if not (reading.classes or scores_tokens(reading)):
        raise _headless(reading.title)
    place = reading.prediction_place(tokens)
    return lambda: reading.probabilities(reading.run(tokens), place)


def _headless(title: str) -> ModelError:
    return ModelError(
        f"{title} came without an output head, so nothing can be compared. Choose one that continues a text, fills a "
        "mask or gives a class."
    )


def losses_of(question: Question) -> Losses:
    """How surprised a network would be by the whole one's first answer."""
    with torch.inference_mode():
        answer = int(asker(question, network_of(question))().argmax())

    def losses(network: nn.Module) -> Tensor:
        return -asker(question, network)()[answer].clamp(min=1e-12).log()[None]

    return losses


def beside(question: Question, smaller: nn.Module, *, identity: Hashable) -> Beside:
    """The whole network and a smaller one, asked in turns."""
    full_network = network_of(question)
    calls = [asker(question, network) for network in (full_network, smaller)]
    with torch.inference_mode():
        before, after = (ask().float() for ask in calls)
        one, other = timed(calls)
        written = None
        if question.name == TRANSLATION:
            written = french(question, full_network), french(question, smaller)
    return Beside(
        answers_of(question),
        before,
        after,
        written,
        (parameter_count(full_network), parameter_count(smaller)),
        (size_in_bytes(full_network), size_in_bytes(smaller)),
        (one, other),
        identity=identity,
    )


def timed(calls: Sequence[Callable[[], object]], progress: Progress = no_progress) -> list[float]:
    """The median time of each in milliseconds, taken in turns; `progress` gets rounds."""
    taken: list[list[float]] = [[] for _ in calls]
    for turn in range(ROUNDS + 1):
        progress(turn, ROUNDS + 1)
        for ask, times in zip(calls, taken, strict=True):
            begin = time.perf_counter()
            ask()
            if turn:
                times.append(1000 * (time.perf_counter() - begin))
    return [statistics.median(times) for times in taken]


def french(question: Question, network: nn.Module) -> str:
    """What a translator writes."""
    assert not isinstance(question.model_input, Photograph)
    model = replace(translator("transformer"), network=network)
    return model.text(model.write(model.encode(content_of(question.model_input)), beam=1).best.tokens)


@cached(computes=False)
def rows_of(kind: type[V], name: str) -> tuple[V, ...]:
    """What was measured of a model; empty of others than ours."""
    return measured(kind, name) if name in MEASURED_ON else ()
