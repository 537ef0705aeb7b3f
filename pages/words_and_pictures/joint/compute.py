"""What the networks say of a sentence and a picture, and who looked at whom: kept for the next visitor."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from random import Random

import torch
from jaxtyping import Float
from torch import Tensor

from core.capture import record_attention
from core.models.vilbert import patches_of
from core.results.joint_results import ANOTHER, ITS, NONE
from core.scenes.codes import code_of
from core.scenes.things import random_scene
from core.text import Tokens
from core.zoo.image_models import PreparedPicture
from core.zoo.joint import JOINT, WordPatchAttention
from core.zoo.text_models import Prediction
from core.zoo.transformers_joint import NamedJointOutput
from dashboard.cache.memo import cached
from dashboard.cache.models import joint, named_joint
from dashboard.inputs.picture_input import SCENES, PictureInput, sentence_for
from dashboard.inputs.scene_builder import FIRST_SCENE


@cached("Opening the picture …")
def prepare(name: str, picture_input: PictureInput) -> PreparedPicture:
    """A scene as the network takes it, and a finer drawing for people."""
    prepared = joint(name).prepare(picture_input.opened())
    drawing = picture_input.for_display()
    return prepared if drawing is None else replace(prepared, photograph=drawing)


def other_scene(picture_input: PictureInput) -> PictureInput:
    """Another scene, always the same one for a scene."""
    return PictureInput(SCENES, code_of(random_scene(Random(f"another than {picture_input.picture}"))))


def pixels_of(name: str, picture_input: PictureInput, condition: str) -> Float[Tensor, "batch channel row column"]:
    """The picture, another one, or grey."""
    if condition == NONE:
        return torch.zeros_like(prepare(name, picture_input).pixels)
    return prepare(name, other_scene(picture_input) if condition == ANOTHER else picture_input).pixels


@dataclass(frozen=True, eq=False)
class JointAttention:
    """A sentence, and the attention between its tokens and patches in each layer. Shared: never changed."""

    tokens: Tokens
    layers: tuple[WordPatchAttention, ...]


@cached("Looking …")
def look(name: str, picture_input: PictureInput, text: str) -> JointAttention:
    """Who looked at whom."""
    model = joint(name)
    tokens = model.encode(text)
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(prepare(name, picture_input).pixels, tokens)
    return JointAttention(tokens, model.attention(record, len(tokens)))


@dataclass(frozen=True, eq=False)
class NamedJointAttention(JointAttention):
    """The same of any model, with what it says with its picture and without."""

    prepared: PreparedPicture
    outputs: NamedJointOutput
    without: NamedJointOutput


@cached("Looking …")
def look_by_name(name: str, picture_input: PictureInput, text: str) -> NamedJointAttention:
    """Who looked at whom in any model."""
    model = named_joint(name)
    tokens, prepared = model.encode(text), model.prepare(picture_input.opened())
    with torch.inference_mode(), record_attention(model.network) as record:
        outputs = model.run(prepared.pixels, tokens)
    without = model.run(torch.zeros_like(prepared.pixels), tokens)
    return NamedJointAttention(tokens, model.attention(record, len(tokens)), prepared, outputs, without)


@cached()
def guesses(
    name: str,
    picture_input: PictureInput,
    text: str,
    hidden: tuple[int, ...],
    condition: str = ITS,
    silenced: int | None = None,
) -> dict[int, tuple[Prediction, ...]]:
    """For each hidden place the most probable words.

    `silenced`: a layer in which words and picture do not look at one another.
    """
    model = joint(name)
    tokens = model.mask_places(model.encode(text), hidden)
    with _apart(name, silenced, len(tokens)):
        outputs = model.run(pixels_of(name, picture_input, condition), tokens)
    return {place: model.guesses(outputs, place) for place in hidden}


@cached()
def true_chances(
    name: str,
    picture_input: PictureInput,
    text: str,
    hidden: tuple[int, ...],
    condition: str = ITS,
    silenced: int | None = None,
) -> dict[int, float]:
    """For each hidden place how probable the word is that stands there."""
    model = joint(name)
    tokens = model.encode(text)
    with _apart(name, silenced, len(tokens)):
        outputs = model.run(pixels_of(name, picture_input, condition), model.mask_places(tokens, hidden))
    chances = outputs.words[0].softmax(dim=-1)
    return {place: float(chances[place, tokens.ids[place]]) for place in hidden}


def _apart(name: str, layer: int | None, count: int) -> AbstractContextManager[None]:
    return nullcontext() if layer is None else joint(name).cut_attention(layer, count)


@dataclass(frozen=True, eq=False)
class Mended:
    """Hidden patches as they are guessed, beside the picture; values from 0 to 1."""

    guessed: Float[Tensor, "channel row column"]
    error: float  # mean squared error over hidden values, as the network was trained
    mean_error: float  # the same for the mean colour of what is seen


@cached()
def mend(name: str, picture_input: PictureInput, text: str, hidden: tuple[int, ...]) -> Mended:
    """What the network puts where patches are hidden."""
    model = joint(name)
    config = model.network.config
    pixels = prepare(name, picture_input).pixels
    where = torch.zeros(1, config.patches, dtype=torch.bool)
    where[0, list(hidden)] = True
    outputs = model.run(pixels, model.encode(text), where)
    true = patches_of(pixels, config.patch)
    mixed = torch.where(where[..., None], outputs.patches, true)
    picture = torch.nn.functional.fold(mixed.mT, (config.side, config.side), config.patch, stride=config.patch)[0]
    # The mean colour of the patches that are seen, channel by channel.
    seen_patches = true[0][~where[0]].unflatten(1, (3, -1))
    middle = seen_patches.mean(dim=(0, 2)) if len(seen_patches) else torch.zeros(3)
    truth = true[0][where[0]].unflatten(1, (3, -1))
    return Mended(
        (picture * 0.25 + 0.5).clamp(0, 1),
        float((outputs.patches[0][where[0]] - true[0][where[0]]).square().mean()),
        float((truth - middle[:, None]).square().mean()),
    )


@cached()
def match_of(name: str, picture_input: PictureInput, text: str) -> float:
    """How probable it is, by the network, that a sentence belongs to a picture."""
    model = joint(name)
    return float(model.run(prepare(name, picture_input).pixels, model.encode(text)).match.sigmoid()[0])


def warm_up() -> None:
    """What the page shows at first."""
    picture_input = PictureInput(SCENES, FIRST_SCENE)
    scene = picture_input.scene
    assert scene is not None
    look(next(iter(JOINT)), picture_input, sentence_for(scene))
