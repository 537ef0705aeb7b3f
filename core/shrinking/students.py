"""Networks with fewer layers, which begin with some of a larger one's and learn to do what it does."""

from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import torch
from jaxtyping import Float
from timm.models.vision_transformer import VisionTransformer
from torch import Tensor, nn

from ..heads.measures import jensen_shannon
from ..models.bert import PretrainingBERT
from ..models.stored_weights import load_weights
from ..zoo.embedded import WEIGHTS
from ..zoo.image_models import ImageModel
from ..zoo.masked_language_models import MissingToken
from ..zoo.text_models import TextModel

Model = TypeVar("Model", TextModel, ImageModel)

FOLDER = WEIGHTS / "shrinking"
TABLE = Path(__file__).parents[1] / "results" / "shrinking_students.csv"
LAYERS = {"half": 3, "third": 2}  # of 6; a quarter, rounded up
# By teacher; training/shrinking/train.py made them.
STUDENTS = {"bert-books": ("bert-half", "bert-third"), "vit-tiny-imagenet": ("vit-half", "vit-third")}
TITLES = {"half": "Half of the layers", "third": "A third of the layers"}


def load_student(name: str, teacher: Model, *, folder: Path = FOLDER) -> Model:
    """One of STUDENTS as its teacher is loaded: the same tokenizer, or way of cutting pictures, another network."""
    network = student_network(name, teacher.network, folder=folder)
    # Only one of BERT's two tasks was gone on with.
    more: dict[str, Any] = {"next_sentence": None} if isinstance(teacher, MissingToken) else {}
    return replace(teacher, name=name, title=TITLES[size_of(name)], network=network, **more)


def student_network(name: str, teacher: nn.Module, *, folder: Path = FOLDER) -> nn.Module:
    """The network of one of STUDENTS; its teacher gives the sizes of all but the number of layers."""
    return load_weights(lambda: make_student(teacher, LAYERS[size_of(name)]), folder / f"{name}.safetensors")


def size_of(name: str) -> str:
    """Which of LAYERS a student has: the second part of its name."""
    return name.split("-")[1]


def kept_blocks(layers: int, left: int) -> tuple[int, ...]:
    """Which of a teacher's blocks a student of `left` layers begins with: evenly spaced, from the first on.

    Of 6 blocks a student of 3 takes 0, 2 and 4, "one layer out of two" (Sanh et al. 2019, section 3).
    """
    if not 1 <= left <= layers:
        raise ValueError(f"A student of {layers} layers has 1 to {layers}, not {left}.")
    return tuple(number * layers // left for number in range(left))


def make_student(teacher: nn.Module, left: int) -> nn.Module:
    """A network of `left` layers with the teacher's weights wherever it has such a part, ready to be trained.

    `teacher`: a BERT of ours, or a vision transformer of timm.
    """
    if isinstance(teacher, PretrainingBERT):
        student: nn.Module = PretrainingBERT(replace(teacher.config, layers=left))
        prefix = "bert.blocks"
    elif isinstance(teacher, VisionTransformer):
        student = _smaller_vit(teacher, left)
        prefix = "blocks"
    else:
        raise TypeError(f"A {type(teacher).__name__} has no students here: only BERT and vision transformers have.")
    weights = teacher.state_dict()
    layers = 1 + max(int(name[len(prefix) + 1 :].split(".")[0]) for name in weights if name.startswith(f"{prefix}."))
    kept = kept_blocks(layers, left)
    taken = {name: weights[_theirs(name, prefix, kept)].clone() for name in student.state_dict()}
    student.load_state_dict(taken)
    return student.requires_grad_(True)


def _smaller_vit(teacher: VisionTransformer, left: int) -> VisionTransformer:
    first: Any = teacher.blocks[0]
    return VisionTransformer(
        img_size=teacher.patch_embed.img_size,
        patch_size=teacher.patch_embed.patch_size,
        embed_dim=teacher.embed_dim,
        depth=left,
        num_heads=first.attn.num_heads,
        num_classes=teacher.num_classes,
        dynamic_img_size=True,
    )


def _theirs(name: str, prefix: str, kept: tuple[int, ...]) -> str:
    """The teacher's name of a student's weight."""
    if not name.startswith(f"{prefix}."):
        return name
    number, _, rest = name[len(prefix) + 1 :].partition(".")
    return f"{prefix}.{kept[int(number)]}.{rest}"


def divergences(
    student: Float[Tensor, "head query key"], teacher: Float[Tensor, "_ query key"]
) -> Float[Tensor, "head _"]:
    """How far each head of the student's looks from each of the teacher's: rows are the student's heads.

    The Jensen-Shannon divergence of their rows, in nats (0 to ln 2), averaged over the queries.
    """
    one, other = torch.broadcast_tensors(student[:, None], teacher[None])
    return jensen_shannon(one, other).mean(dim=-1)
