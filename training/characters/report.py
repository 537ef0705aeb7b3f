"""Measure the five character models and their copying twins, and write their weights and card."""

import statistics
import time

import pandas as pd
import torch
from torch import Tensor

from core.models.character import Alphabet, CharacterModel, load_characters, save_characters
from core.reach import copy_task
from core.reach.gradient_reach import by_distance, reach
from core.zoo.embedded import WEIGHTS
from training.common import shakespeare
from training.common.card import save_card, table
from training.common.language import Trigram

WINDOW = 128  # held-out text is read in windows of so many characters, as in training
MIN_CONTEXT = 32  # characters that stand before, at least, where bits are counted
PASSAGES, PASSAGE = 512, 128  # for the mean reach
QUESTIONS = 1000  # at each distance of the copy task

Models = dict[str, CharacterModel]


def report(alphabet: Alphabet, text: Models, copies: Models, *, held_out: Tensor, learnt: Tensor, record: dict) -> None:
    """Write weights/characters/: weights, config, results, reach and copy tables, card.

    `held_out` and `learnt`: the ids of the characters of the held-out and of the training text; `record`: that of the
    training.
    """
    folder = WEIGHTS / "characters"
    for model in (*text.values(), *copies.values()):
        model.eval().requires_grad_(False)
    save_characters(folder, alphabet, text)
    half_precision = held_out_bits(load_characters(folder)[1], held_out)
    save_characters(folder, alphabet, text, eight_bits=True)
    save_characters(folder / "copy", copy_task.ALPHABET, copies, eight_bits=True)
    # Measured as they are stored: in 8 bits they are not quite what was trained.
    text, copies = load_characters(folder)[1], load_characters(folder / "copy")[1]
    bits = held_out_bits(text, held_out)
    seconds = seconds_per_epoch(text, record["steps_per_epoch"], record["batch"], record["context"])
    models = {
        name: {
            "parameters": sum(parameter.numel() for parameter in model.parameters()),
            "bits": bits[name],
            "bits_half_precision": half_precision[name],
            "seconds_per_epoch": round(seconds[name], 1),
        }
        for name, model in text.items()
    }
    accuracies = copy_accuracy(copies)
    mean_reach(text, held_out).to_csv(folder / "reach.csv", index=False)
    accuracies.to_csv(folder / "copy.csv", index=False)
    trigram = Trigram(learnt.numpy(), len(alphabet)).bits(held_out.numpy()) / (len(held_out) - 1)
    results = record | {
        "weights_stored_in": "8 bits",
        "models": models,
        "baseline": {"trigram_bits": round(trigram, 4)},
    }
    save_card(folder, CARD, results, tables_of(results, accuracies))


def tables_of(results: dict, accuracies: pd.DataFrame) -> dict[str, str]:
    """The tables of the card."""
    text = text_table(results["models"], results["baseline"]["trigram_bits"])
    return {"text_table": text, "copy_table": copy_table(accuracies)}


def held_out_bits(models: Models, held_out: Tensor) -> dict[str, float]:
    """Bits per character of each model on the held-out text."""
    return {
        name: round(float(shakespeare.bits_by_position(model, held_out, WINDOW)[MIN_CONTEXT:].mean()), 4)
        for name, model in models.items()
    }


def seconds_per_epoch(models: Models, steps: int, batch: int, context: int, repeats: int = 5) -> dict[str, float]:
    """Seconds of an epoch, forward and backward: medians of steps, with the models timed in turns for comparison."""
    durations: dict[str, list[float]] = {name: [] for name in models}
    characters = torch.randint(0, 65, (batch, context))
    for _ in range(repeats):
        for name, model in models.items():
            model.train().requires_grad_(True)
            started = time.perf_counter()
            model(characters).logsumexp(dim=-1).mean().backward()
            durations[name].append(time.perf_counter() - started)
            model.zero_grad(set_to_none=True)
            model.eval().requires_grad_(False)
    return {name: steps * statistics.median(seconds) for name, seconds in durations.items()}


def mean_reach(models: Models, held_out: Tensor) -> pd.DataFrame:
    """The norm of the gradient at each distance (1 at the last character), averaged over held-out passages."""
    starts = torch.linspace(0, len(held_out) - PASSAGE, PASSAGES).long()
    passages = torch.stack([held_out[start : start + PASSAGE] for start in starts.tolist()])
    rows = []
    for name, model in models.items():
        norms = torch.cat([by_distance(reach(model, part)) for part in passages.split(64)]).mean(dim=0)
        rows += [(name, distance, f"{norm:.4g}") for distance, norm in enumerate(norms.tolist())]
    return pd.DataFrame(rows, columns=["model", "distance", "norm"])


@torch.inference_mode()
def copy_accuracy(models: Models) -> pd.DataFrame:
    """Accuracy on the digits of the copy task at distances 5 to 100."""
    rows = []
    for distance in range(5, copy_task.LONGEST + 1, 5):
        sequences, digits = copy_task.pose_many(QUESTIONS, distance, torch.Generator().manual_seed(distance))
        for name, model in models.items():
            answers = model(sequences)[:, -copy_task.REMEMBERED :].argmax(dim=-1)
            rows.append((name, distance, round((answers == digits).float().mean().item(), 4)))
    return pd.DataFrame(rows, columns=["model", "distance", "accuracy"])


def text_table(models: dict[str, dict], trigram: float) -> str:
    """The table of the card for Shakespeare."""
    rows = [
        [name, f"{row['parameters']:,}", row["bits"], row["bits_half_precision"], row["seconds_per_epoch"]]
        for name, row in models.items()
    ]
    return table(
        ["model", "parameters", "held-out bits per character", "in half precision", "seconds per epoch"],
        [*rows, ["trigram (Witten-Bell)", "–", round(trigram, 3), "–", "–"]],
    )


def copy_table(accuracy: pd.DataFrame) -> str:
    """The table of the card for the copy task."""
    chosen = accuracy[accuracy.distance.isin([5, 10, 20, 40, 60, 80, 100])]
    by_distance = chosen.pivot(index="model", columns="distance", values="accuracy").loc[accuracy.model.unique()]
    return table(
        ["distance", *map(str, by_distance.columns)],
        [[name, *row] for name, row in zip(by_distance.index, by_distance.values.tolist(), strict=True)],
    )


CARD = """# characters

Five models that read one character at a time, of about the same size, one of each kind that processed sequences before
attention, and one with attention: `core/models/rnn.py`, `lstm.py`, `gru.py`, `convolution.py`, `self_attention.py`.
They continue Shakespeare's plays, badly; they are here to be compared. In `copy/`, five smaller ones of the same kinds
(about 100,000 parameters each) that learned one task: to repeat five digits after a distance
(`core/reach/copy_task.py`).

## Data and licence
Tiny Shakespeare (Karpathy 2015; public domain): 1,115,394 characters, the first nine tenths to learn from, the last to
measure on. The copy task makes its own data. The weights are released under the project's licence.

## Held-out results
{text_table}

The weights are stored in 8 bits and were measured so; beside it, what they have in half precision. Bits per character
on the last tenth, each character predicted from 33 to 128 others. Seconds per epoch: forward and
backward passes only, taken in turn.

Share of digits repeated right (1,000 questions each; guessing: 0.1), by distance; training drew distances from 5 to
100, evenly on a logarithmic scale:

{copy_table}

`reach.csv` holds the mean norm of the gradient by distance (`core/reach/gradient_reach.py`), over 512 held-out
passages of 128 characters; `copy.csv` the accuracies at all distances.

## How it was made
`make train-characters DATA=...` (`python -m training.characters.train`), seed {seed}: {epochs} epochs ({steps} steps of
{batch} windows of {context} characters) and {copy_steps} steps of 128 questions, AdamW, learning rate 0.002 for all
of them, float32; {minutes} minutes in all on {hardware}, shared with other work. torch {torch}.
"""
