"""Students: networks with fewer layers, initialised from a teacher and distilled from it."""

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
from ..zoo.text_models import TextModel

Model = TypeVar("Model", TextModel, ImageModel)

FOLDER = WEIGHTS / "shrinking"
TABLE = Path(__file__).parents[1] / "results" / "shrinking_students.csv"
LAYERS = {"half": 3, "third": 2}  # of 6; a quarter, rounded up
# By teacher; training/shrinking/train.py made them.
STUDENTS = {"bert-books": ("bert-half", "bert-third"), "vit-tiny-imagenet": ("vit-half", "vit-third")}
TITLES = {"half": "Half of the layers", "third": "A third of the layers"}


def load_student(name: str, teacher: Model, *, folder: Path = FOLDER) -> Model:
    """One of STUDENTS as a model like its teacher: with the same tokenizer, or preparation of pictures."""
    network = student_network(name, teacher.network, folder=folder)
    student: Any = teacher.with_network(network, name=name, title=TITLES[size_of(name)])
    return student


def student_network(name: str, teacher: nn.Module, *, folder: Path = FOLDER) -> nn.Module:
    """The network of one of STUDENTS; its teacher gives the sizes of all but the number of layers."""
    return load_weights(lambda: make_student(teacher, LAYERS[size_of(name)]), folder / f"{name}.safetensors")


def size_of(name: str) -> str:
    """Which of LAYERS a student has: the second part of its name."""
    return name.split("-")[1]


def kept_blocks(layers: int, student_layers: int) -> tuple[int, ...]:
    """The numbers of a teacher's blocks that initialise a student's layers: evenly spaced, from the first on.

    Of 6 blocks a student of 3 takes 0, 2 and 4, "one layer out of two" (Sanh et al. 2019, section 3). ValueError unless
    the student has 1 to `layers` layers.
    """
    if not 1 <= student_layers <= layers:
        raise ValueError(f"A student of {layers} layers has 1 to {layers}, not {student_layers}.")
    return tuple(number * layers // student_layers for number in range(student_layers))


def make_student(teacher: nn.Module, layers: int) -> nn.Module:
    """A network of `layers` layers, initialised with the teacher's weights (`kept_blocks`), ready to be trained.

    `teacher`: this project's BERT, or a vision transformer of timm; TypeError for any other.
    """
    if isinstance(teacher, PretrainingBERT):
        student: nn.Module = PretrainingBERT(replace(teacher.config, layers=layers))
        prefix = "bert.blocks"
    elif isinstance(teacher, VisionTransformer):
        student = _smaller_vit(teacher, layers)
        prefix = "blocks"
    else:
        raise TypeError(f"A {type(teacher).__name__} has no students here: only BERT and vision transformers have.")
    weights = teacher.state_dict()
    teacher_layers = 1 + max(
        int(name[len(prefix) + 1 :].split(".")[0]) for name in weights if name.startswith(f"{prefix}.")
    )
    blocks = kept_blocks(teacher_layers, layers)
    student_weights = {name: weights[_teacher_name(name, prefix, blocks)].clone() for name in student.state_dict()}
    student.load_state_dict(student_weights)
    return student.requires_grad_(True)


def _smaller_vit(teacher: VisionTransformer, layers: int) -> VisionTransformer:
    first: Any = teacher.blocks[0]
    return VisionTransformer(
        img_size=teacher.patch_embed.img_size,
        patch_size=teacher.patch_embed.patch_size,
        embed_dim=teacher.embed_dim,
        depth=layers,
        num_heads=first.attn.num_heads,
        num_classes=teacher.num_classes,
        dynamic_img_size=True,
    )


def _teacher_name(name: str, prefix: str, blocks: tuple[int, ...]) -> str:
    """The teacher's name of a student's weight."""
    if not name.startswith(f"{prefix}."):
        return name
    number, _, suffix = name[len(prefix) + 1 :].partition(".")
    return f"{prefix}.{blocks[int(number)]}.{suffix}"


def divergences(
    student: Float[Tensor, "head query key"], teacher: Float[Tensor, "_ query key"]
) -> Float[Tensor, "head _"]:
    """Jensen-Shannon divergence between the attention of each head of the student and each head of the teacher.

    In nats (0 to ln 2), averaged over the queries; rows are the student's heads, columns the teacher's.
    """
    student_rows, teacher_rows = torch.broadcast_tensors(student[:, None], teacher[None])
    return jensen_shannon(student_rows, teacher_rows).mean(dim=-1)
