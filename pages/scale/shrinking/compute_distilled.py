"""What is computed for Distilled: teacher and students on the same input, what they say and where they look."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from itertools import product

import torch
from jaxtyping import Float
from torch import Tensor

from core.capture import record_attention
from core.probing.masked_words.words import Word, words_of
from core.results.shrinking_students import Student, students
from core.shrinking.students import STUDENTS, load_student
from core.text import Tokens
from core.zoo import ImageModel, TextModel
from core.zoo.kinds import fills_masks
from dashboard.cache.memo import cached
from dashboard.cache.models import image_model, text_model
from dashboard.inputs.photograph import Photograph
from dashboard.recordings.watched import Text, content_of

LONGEST = 64  # tokens: what a map still shows
Maps = tuple[Float[Tensor, "head query key"], ...]  # one for each layer


@dataclass(frozen=True, eq=False)
class Output:
    """What a network says of an input, and its attention; `answers` are the labels of the probabilities."""

    title: str
    probabilities: Float[Tensor, " class"]
    maps: Maps


@dataclass(frozen=True, eq=False)
class Comparison:
    """The same input in the teacher and in its students, by name, the teacher first.

    `labels` are those of queries and keys; `true` is the number of the right answer where it is known.
    """

    teacher: str
    outputs: dict[str, Output]
    labels: tuple[str, ...]
    answers: tuple[str, ...]
    true: int | None
    identity: Hashable = field(kw_only=True)


@cached("Loading the students …", computes=False)
def text_student(name: str, teacher: str) -> TextModel:
    """One of STUDENTS of a text model."""
    return load_student(name, text_model(teacher))


@cached("Loading the students …", computes=False)
def picture_student(name: str, teacher: str) -> ImageModel:
    """One of STUDENTS of an image model."""
    return load_student(name, image_model(teacher))


@cached("Reading …")
def read(text: Text) -> tuple[Tokens, tuple[Word, ...]]:
    """The beginning of a text as BERT reads it, and its words."""
    model = text_model("bert-books")
    tokens = replace(model, context=min(model.context, LONGEST)).encode(content_of(text))
    return tokens, words_of(tokens)


@cached("Asking teacher and students …")
def hidden_word(text: Text, number: int) -> Comparison:
    """Hide a word of a text and ask all networks for its first token."""
    teacher = text_model("bert-books")
    assert fills_masks(teacher)
    tokens, words = read(text)
    places = words[number].places
    hidden = teacher.mask_places(tokens, places)
    networks: dict[str, TextModel] = {"bert-books": teacher}
    networks |= {name: text_student(name, "bert-books") for name in STUDENTS["bert-books"]}
    outputs = {}
    for name, model in networks.items():
        with torch.inference_mode(), record_attention(model.network) as record:
            run = model.run(hidden)
        outputs[name] = Output(model.title, model.probabilities(run, places[0]), maps_of(record))
    answers = tuple(teacher.label(token) for token in range(len(outputs["bert-books"].probabilities)))
    return Comparison("bert-books", outputs, hidden.labels, answers, tokens.ids[places[0]], identity=(text, number))


@cached("Asking teacher and students …")
def pictured(photograph: Photograph) -> Comparison:
    """What all networks see on a photograph."""
    teacher, prepared = photograph.model, photograph.prepared
    networks = {photograph.name: teacher}
    networks |= {name: picture_student(name, photograph.name) for name in STUDENTS[photograph.name]}
    outputs = {}
    for name, model in networks.items():
        with torch.inference_mode(), record_attention(model.network) as record:
            run = model.run(prepared)
        assert run.logits is not None
        outputs[name] = Output(model.title, run.logits.float().softmax(dim=-1), maps_of(record))
    patches = prepared.patches
    grid = product(range(1, patches.rows + 1), range(1, patches.columns + 1))
    labels = (*patches.prefix, *(f"row {row}, column {column}" for row, column in grid))
    return Comparison(photograph.name, outputs, labels, teacher.classes, None, identity=photograph.identity)


def maps_of(record) -> Maps:
    """All weights of a record, layer by layer."""
    return tuple(torch.stack([call.weights(head) for head in range(call.heads)]) for call in record.calls)


@cached(computes=False)
def measured(teacher: str) -> tuple[Student, ...]:
    """What was measured of a teacher and its students; ModelError where the file is missing or wrong."""
    return students(teacher)
