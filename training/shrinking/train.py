"""Train students of `bert-books` and of `vit-tiny-imagenet`: half and a third of the layers, taught or left alone.

A taught one learns from what its teacher says (soft targets; Hinton et al. 2015, Sanh et al. 2019, section 2) besides
the data; one left alone sees the same batches from the same beginning. The teachers have 6 layers, the students 3 and
2: a quarter of 6 is rounded up.

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

NAMES = [f"{kind}-{size}{taught}" for kind in ("bert", "vit") for size in LAYERS for taught in ("", "-alone")]
TEMPERATURE = 2.0
PLANS = {
    "bert": Plan(steps=3500, learning_rate=1e-3, decay=0.6, log_every=100, save_every=500),
    "vit": Plan(steps=3000, learning_rate=1e-3, decay=0.6, log_every=100, save_every=500),
}
TOKENS, PICTURES = 8192, 256  # of a batch

LossAt = Callable[[int], Tensor]


def main() -> None:
    """Train the students that were asked for; each goes on where it stopped."""
    arguments = command_line().read()
    for name in arguments.only or NAMES:
        kind, size, alone = (*name.split("-"), "")[:3]
        teacher = teacher_of(kind).to(arguments.device)
        torch.manual_seed(arguments.seed)
        student = make_student(teacher, LAYERS[size]).to(arguments.device)
        taught = None if alone else teacher
        make = masked_words if kind == "bert" else classes
        loss_at = make(student, taught, arguments.data, arguments.run, arguments.device, arguments.seed)
        plan = PLANS[kind]
        if arguments.steps:
            plan = Plan(**(asdict(plan) | {"steps": arguments.steps}))
        seconds = train(student, loss_at, plan, arguments.run / name)
        save_weights(student, arguments.run / f"{name}.safetensors")
        story = {
            "plan": asdict(plan),
            "taught": not alone,
            "layers": LAYERS[size],
            "batch": TOKENS if kind == "bert" else PICTURES,
            "seconds": round(seconds),
            "seed": arguments.seed,
            "hardware": torch.cuda.get_device_name() if "cuda" in arguments.device else hardware(),
            "torch": torch.__version__,
        }
        (arguments.run / f"{name}.json").write_text(json.dumps(story, indent=1) + "\n")
        print(name, "done", flush=True)


def teacher_of(kind: str) -> nn.Module:
    """The whole network, which only ever says what it thinks."""
    return (load_embedded_text("bert-books") if kind == "bert" else load_embedded_image("vit-tiny-imagenet")).network


def masked_words(
    student: nn.Module, teacher: nn.Module | None, data: Path, run: Path, device: str, seed: int
) -> LossAt:
    """Which words were hidden? Beside them what the teacher expects there, and the direction of its vectors.

    The three parts of Sanh et al. 2019, section 2; one text a row, for only one of BERT's tasks is kept.
    """
    assert isinstance(student, PretrainingBERT) and isinstance(teacher, PretrainingBERT | None)  # noqa: PT018
    tokenizer = load_embedded_text("bert-books").tokenizer
    run.mkdir(parents=True, exist_ok=True)
    books = read_sentences(read_books(data / "lm_text", held_out=False), tokenizer)
    batches = Batches(books, tokenizer, tokens=TOKENS, seed=seed)

    def loss_at(step: int) -> Tensor:
        batch = batches.batch(step, pairs=False)
        read, hidden = batch.read.to(device), batch.hidden.to(device)
        asked = hidden >= 0
        with torch.autocast(torch.device(device).type, torch.bfloat16):
            seen = student.bert(read)
            said = student.words(seen[asked])
            hard = F.cross_entropy(said.float(), hidden[asked])
            if teacher is None:
                return hard
            with torch.no_grad():
                theirs = teacher.bert(read)
                expected = teacher.words(theirs[asked])
        ones = torch.ones(int(asked.sum()), device=device)
        same = F.cosine_embedding_loss(seen[asked].float(), theirs[asked].float(), ones)
        return (soft(said, expected) + hard) / 2 + same

    return loss_at


def classes(student: nn.Module, teacher: nn.Module | None, data: Path, run: Path, device: str, seed: int) -> LossAt:
    """What is on the picture? Beside it what the teacher says of the same crop."""
    pictures, labels = read_pictures(data / "tiny_imagenet", "train", run / "tiny-imagenet")
    pictures, labels = pictures.to(device), labels.to(device)

    def loss_at(step: int) -> Tensor:
        chosen = batch_at(step, len(pictures), PICTURES, seed).to(device)
        varied = normalise(vary(pictures[chosen].float() / 255))
        with torch.autocast(torch.device(device).type, torch.bfloat16):
            said = student(varied)
            hard = F.cross_entropy(said.float(), labels[chosen], label_smoothing=0.1)
            if teacher is None:
                return hard
            with torch.no_grad():
                expected = teacher(varied)
        return (soft(said, expected) + hard) / 2

    return loss_at


def soft(said: Tensor, expected: Tensor) -> Tensor:
    """How far the student is from what the teacher says, at a temperature (Hinton et al. 2015, section 2)."""
    ours, theirs = ((each.float() / TEMPERATURE).log_softmax(dim=-1) for each in (said, expected))
    return TEMPERATURE**2 * F.kl_div(ours, theirs, log_target=True, reduction="batchmean")


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
