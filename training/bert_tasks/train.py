"""Train `bert-tasks`: `bert-books` fine-tuned for two tasks at once, with two small heads on one body.

Parts of speech: a tag for each word (UD_English-EWT, 17 universal tags). Sentiment: does a phrase of a film review
praise or blame (SST-2)? Batches of the two take turns. Beside it the same heads on a body that stays as it was
(`frozen`), and the same network from random weights (`scratch`): what fine-tuning and pre-training are worth.

    python -m training.bert_tasks.train --data PATH
    python -m training.bert_tasks.train --data PATH --only tuned frozen
"""

import json
from dataclasses import asdict
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.models.bert import PretrainingBERT
from core.models.bert_tasks import TasksBERT, with_heads
from core.probing.fine_tuning.task_predictions import NAME
from core.zoo.embedded import WEIGHTS, load_embedded_text
from training.bert_tasks.data import IGNORED, Batch, Batches, read_data
from training.bert_tasks.report import measure, report
from training.common.command_line import CommandLine
from training.common.data_sets import PARTS_OF_SPEECH, SST2
from training.common.loop import Plan, train

# Learning rates, at their highest. Heads alone bear, and need, larger steps.
VARIANTS = {"tuned": 1e-3, "frozen": 5e-3, "scratch": 2e-3}


def main() -> None:
    """Train each variant, measure it; write the weights of the fine-tuned one, and the card."""
    arguments = command_line().read()
    start = load_embedded_text("bert-books")
    data = read_data(arguments.data, start, arguments.seed)
    batches = Batches(data.learned, tokens=arguments.tokens, seed=arguments.seed)
    for name in arguments.only or VARIANTS:
        folder = arguments.run / name
        plan = Plan(steps=arguments.steps, learning_rate=VARIANTS[name], decay=0.6, seed=arguments.seed)
        print(f"{name}: {plan}", flush=True)
        torch.manual_seed(arguments.seed)
        network = network_of(name, data.pretrained)
        seconds = learn(network, batches, plan, folder)
        record = {"plan": asdict(plan), "batch": arguments.tokens, "seconds": round(seconds)}
        results = record | measure(network, data, folder / "model.safetensors", eight_bits=name == "tuned")
        print(name, results["tags"], results["verdicts"], flush=True)
        (folder / "results.json").write_text(json.dumps(results))
    if (arguments.run / "tuned" / "results.json").exists():
        report(NAME, data, arguments.run, list(VARIANTS), WEIGHTS / NAME)


def network_of(name: str, pretrained: PretrainingBERT) -> TasksBERT:
    """The initial network of a variant."""
    network = TasksBERT(pretrained.config) if name == "scratch" else with_heads(pretrained)
    network.bert.requires_grad_(name != "frozen")
    return network


def learn(network: TasksBERT, batches: Batches, plan: Plan, folder: Path) -> float:
    """Train on both tasks in turn; returns the seconds it took."""
    return train(network, lambda step: loss_of(network, batches.batch(step)), plan, folder)


def loss_of(network: TasksBERT, batch: Batch) -> Tensor:
    """The mean cross-entropy of the targets: a tag for each word, or a sentiment for each text."""
    # Written-out attention: at this length the fused kernel's bfloat16 backward pass is the slower one on a CPU.
    with torch.autocast("cpu", torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
        features = network.bert(batch.ids, padding=batch.padding)
        if batch.tags is not None:
            is_target = batch.tags != IGNORED
            return F.cross_entropy(network.tags(features[is_target]).float(), batch.tags[is_target])
        assert batch.sentiments is not None
        return F.cross_entropy(network.sentiment(features).float(), batch.sentiments)


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        data=[PARTS_OF_SPEECH, SST2],
        run=Path("runs/bert-tasks"),
        only=VARIANTS,
        steps=1600,
        seed=True,
        threads="all",
        helps={"only": "train these; the others stay as they are there"},
    )
    parser.add_argument("--tokens", type=int, default=2048, help="of a batch, at most")
    return parser


if __name__ == "__main__":
    main()
