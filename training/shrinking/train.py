"""Train students of `bert-books` and of `vit-tiny-imagenet`: half and a third of the layers, with and without teacher.

With the teacher a student learns from its output (soft targets; Hinton et al. 2015, Sanh et al. 2019, section 2) and
from the data; without it, from the same batches and the same initial weights. The teachers have 6 layers, the students
3 and 2: a quarter of 6 is rounded up.

    python -m training.shrinking.train --data PATH [--device cuda] [--only bert-half ...]
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.models.bert import PretrainingBERT
from core.models.stored_weights import save_weights
from core.shrinking.students import LAYERS, make_student
from core.zoo.embedded import load_embedded_image, load_embedded_text
from training.bert_books.data import Batches, read_sentences
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import BOOKS, TINY_IMAGENET
from training.common.loop import Plan, train
from training.common.pictures import batch_at, vary
from training.gpt_books.data import read_books
from training.tiny_imagenet.data import normalise, read_pictures

NAMES = [f"{kind}-{size}{suffix}" for kind in ("bert", "vit") for size in LAYERS for suffix in ("", "-alone")]
TEMPERATURE = 2.0
PLANS = {
    "bert": Plan(steps=3500, learning_rate=1e-3, decay=0.6, log_every=100, save_every=500),
    "vit": Plan(steps=3000, learning_rate=1e-3, decay=0.6, log_every=100, save_every=500),
}
TOKENS, PICTURES = 8192, 256  # of a batch

LossAt = Callable[[int], Tensor]


def main() -> None:
    """Train the students of `--only`, or all; each resumes from its checkpoint."""
    arguments = command_line().read()
    for name in arguments.only or NAMES:
        kind, size, alone = (*name.split("-"), "")[:3]
        teacher = teacher_of(kind).to(arguments.device)
        torch.manual_seed(arguments.seed)
        student = make_student(teacher, LAYERS[size]).to(arguments.device)
        distilled_from = None if alone else teacher
        make = masked_words if kind == "bert" else classes
        loss_at = make(student, distilled_from, arguments.data, arguments.run, arguments.device, arguments.seed)
        plan = PLANS[kind]
        if arguments.steps:
            plan = Plan(**(asdict(plan) | {"steps": arguments.steps}))
        seconds = train(student, loss_at, plan, arguments.run / name)
        save_weights(student, arguments.run / f"{name}.safetensors")
        record = {
            "plan": asdict(plan),
            "taught": not alone,
            "layers": LAYERS[size],
            "batch": TOKENS if kind == "bert" else PICTURES,
            "seconds": round(seconds),
            "seed": arguments.seed,
            "hardware": torch.cuda.get_device_name() if "cuda" in arguments.device else hardware(),
            "torch": torch.__version__,
        }
        (arguments.run / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
        print(name, "done", flush=True)


def teacher_of(kind: str) -> nn.Module:
    """The teacher, which is not trained."""
    return (load_embedded_text("bert-books") if kind == "bert" else load_embedded_image("vit-tiny-imagenet")).network


def masked_words(
    student: nn.Module, teacher: nn.Module | None, data: Path, run: Path, device: str, seed: int
) -> LossAt:
    """The loss of masked words; with a teacher also of its predictions there, and of the direction of its vectors.

    The three parts of Sanh et al. 2019, section 2; one text a row, since students have no next-sentence task.
    """
    assert isinstance(student, PretrainingBERT) and isinstance(teacher, PretrainingBERT | None)  # noqa: PT018
    tokenizer = load_embedded_text("bert-books").tokenizer
    run.mkdir(parents=True, exist_ok=True)
    books = read_sentences(read_books(data / "lm_text", held_out=False), tokenizer)
    batches = Batches(books, tokenizer, tokens=TOKENS, seed=seed)

    def loss_at(step: int) -> Tensor:
        batch = batches.batch(step, pairs=False)
        tokens, hidden = batch.read.to(device), batch.targets.to(device)
        is_target = hidden >= 0
        with torch.autocast(torch.device(device).type, torch.bfloat16):
            features = student.bert(tokens)
            logits = student.words(features[is_target])
            hard = F.cross_entropy(logits.float(), hidden[is_target])
            if teacher is None:
                return hard
            with torch.no_grad():
                teacher_features = teacher.bert(tokens)
                expected = teacher.words(teacher_features[is_target])
        cosine_target = torch.ones(int(is_target.sum()), device=device)
        same = F.cosine_embedding_loss(features[is_target].float(), teacher_features[is_target].float(), cosine_target)
        return (distillation_loss(logits, expected) + hard) / 2 + same

    return loss_at


def classes(student: nn.Module, teacher: nn.Module | None, data: Path, run: Path, device: str, seed: int) -> LossAt:
    """The loss of the class; with a teacher also of its predictions for the same crop."""
    pictures, labels = read_pictures(data / "tiny_imagenet", "train", run / "tiny-imagenet")
    pictures, labels = pictures.to(device), labels.to(device)

    def loss_at(step: int) -> Tensor:
        chosen = batch_at(step, len(pictures), PICTURES, seed).to(device)
        pixels = normalise(vary(pictures[chosen].float() / 255))
        with torch.autocast(torch.device(device).type, torch.bfloat16):
            logits = student(pixels)
            hard = F.cross_entropy(logits.float(), labels[chosen], label_smoothing=0.1)
            if teacher is None:
                return hard
            with torch.no_grad():
                expected = teacher(pixels)
        return (distillation_loss(logits, expected) + hard) / 2

    return loss_at


def distillation_loss(logits: Tensor, expected: Tensor) -> Tensor:
    """KL divergence of the student's softmax from the teacher's at TEMPERATURE (Hinton et al. 2015, section 2)."""
    student_log_probabilities, teacher_log_probabilities = (
        (logits_of_one.float() / TEMPERATURE).log_softmax(dim=-1) for logits_of_one in (logits, expected)
    )
    return TEMPERATURE**2 * F.kl_div(
        student_log_probabilities, teacher_log_probabilities, log_target=True, reduction="batchmean"
    )


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__,
        data=[BOOKS.below("lm_text"), TINY_IMAGENET.below("tiny_imagenet")],
        run=Path("runs/shrinking"),
        only=NAMES,
        steps="plan",
        seed=True,
        device=True,
        threads="all",
        helps={"only": "train these only"},
    )


if __name__ == "__main__":
    main()
