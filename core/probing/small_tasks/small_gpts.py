"""The GPTs of the two tasks: loaded, and run with all heads or with some of them silenced."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ...capture import edit_attention, record_attention
from ...errors import ModelError
from ...models.gpt import GPT, GPTConfig
from ...models.stored_weights import load_weights, save_weights
from ...zoo.embedded import WEIGHTS
from .tasks import ALPHABET, Task

FOLDER = WEIGHTS / "small-tasks"
TRAINED = "make train-small-tasks"

Head = tuple[int, int]  # (layer, head), both counted from 0


@dataclass(frozen=True, eq=False)
class WrittenAnswer:
    """A model's answer, decoded greedily, beside the right one, with probabilities and attention weights.

    `probabilities`: of all tokens of ALPHABET for each digit of the answer. `weights`: of each head, from the token
    that predicts a digit to all tokens of the problem and of the answer but its last digit.
    """

    text: str
    right: str
    probabilities: Float[Tensor, "answer vocabulary"]
    weights: Float[Tensor, "layer head answer key"]


@torch.inference_mode()
def write(network: GPT, task: Task, problem: Int[Tensor, " digit"], silenced: Collection[Head] = ()) -> WrittenAnswer:
    """The model's own answer to one problem, with some heads silenced; each digit is written knowing those before."""
    tokens = task.tokens(problem[None])
    with _silencing(network, silenced):
        for _ in task.answers[:-1]:
            tokens = torch.cat([tokens, network(tokens)[:, -1:].argmax(dim=-1)], dim=1)
        # What a token reads does not depend on later ones: the last pass shows what each of them read.
        with record_attention(network) as record:
            logits = network(tokens)[0, task.prompt - 1 :]
    weights = [torch.cat([*call.weights_by_heads()])[:, task.prompt - 1 :] for call in record.calls]
    return WrittenAnswer(
        text="".join(ALPHABET[number] for number in logits.argmax(dim=-1).tolist()),
        right="".join(map(str, task.solve(problem[None])[0].tolist())),
        probabilities=logits.softmax(dim=-1),
        weights=torch.stack(weights),
    )


@torch.inference_mode()
def right_digits(
    network: GPT, task: Task, problems: Int[Tensor, "batch digit"], silenced: Collection[Head] = ()
) -> Bool[Tensor, "batch answer"]:
    """Whether each digit is predicted right, given the right digits before it.

    All digits of a row are right exactly if the model also writes the right answer by itself.
    """
    read, answers = with_answers(task, problems)
    with _silencing(network, silenced):
        return network(read)[:, task.prompt - 1 :].argmax(dim=-1) == answers


def with_answers(
    task: Task, problems: Int[Tensor, "batch digit"]
) -> tuple[Int[Tensor, "batch token"], Int[Tensor, "batch answer"]]:
    """The tokens of problem and right answer, without the answer's last digit; and the right answers."""
    answers = task.solve(problems)
    return torch.cat([task.tokens(problems), answers[:, :-1]], dim=1), answers


def load_small_gpt(name: str, folder: Path = FOLDER) -> GPT:
    """The model of one of TASKS; ModelError where it is missing."""
    if not (folder / f"{name}.safetensors").exists():
        raise ModelError(f"The model that learned to {name} is not there: fetch the project again, or run {TRAINED}.")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))["models"][name]
    return load_weights(lambda: GPT(GPTConfig(**config)), folder / f"{name}.safetensors")


def save_small_gpts(networks: Mapping[str, GPT], folder: Path = FOLDER) -> None:
    """Write what `load_small_gpt` reads: the weights in half precision, and config.json."""
    for name, network in networks.items():
        save_weights(network, folder / f"{name}.safetensors")
    config = {"alphabet": ALPHABET, "models": {name: asdict(network.config) for name, network in networks.items()}}
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


@contextmanager
def _silencing(network: GPT, heads: Collection[Head]) -> Iterator[None]:
    if not heads:
        yield
        return
    with edit_attention(network, {(f"blocks.{layer}.attention", head): "silence" for layer, head in heads}):
        yield
