"""Train `bert-inference`: `bert-pairs` fine-tuned on the English sentence pairs of SICK, and asked in two languages.

Does the second sentence follow from the first, contradict it, or neither (Marelli et al. 2014)? No French sentence is
learned from. Beside it the same network from the weights with which the training of `bert-pairs` began, those of
`bert-books`: what reading sentences beside their translations is worth.

    python -m training.bert_inference.train --data PATH
    python -m training.bert_inference.train --data PATH --only bert-pairs
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.models.bert import PretrainingBERT
from core.models.bert_inference import InferenceBERT, with_classifier
from core.probing.fine_tuning.inference import NAME, PairBatch
from core.results.bert_inference_results import BILINGUAL, ENGLISH
from core.zoo import TextModel
from core.zoo.embedded import WEIGHTS, load_embedded_text
from training.bert_inference.data import Batches, read_data
from training.bert_inference.report import measure, report, right_shares
from training.bert_pairs.train import with_vocabulary
from training.common.command_line import CommandLine
from training.common.data_sets import SICK_FRENCH
from training.common.loop import Plan, mixed_precision, train

BODIES = (BILINGUAL, ENGLISH)
BATCH_SIZE = 16  # pairs


def main() -> None:
    """Train from each body, measure it; write the weights of the bilingual one, and the card."""
    arguments = command_line().read()
    start, data = load_embedded_text(BILINGUAL), read_data(arguments.data)
    batches = Batches(data.train, start.tokenizer, size=BATCH_SIZE, seed=arguments.seed)
    for body in arguments.only or BODIES:
        folder = arguments.run / body
        plan = plan_of(batches.per_epoch, arguments.epochs, arguments.learning_rate, arguments.seed)
        print(f"{body}: {plan}", flush=True)
        network = network_of(body, start, arguments.seed)

        def trial_accuracy(network: InferenceBERT) -> float:
            return right_shares(network, start.tokenizer, data.trial, ("en-en",))["en-en"]

        record = learn(network, batches, plan, folder, trial_accuracy, arguments.until) | {"batch": BATCH_SIZE}
        results = record | measure(
            network, start.tokenizer, data.test, folder / "model.safetensors", eight_bits=body == BILINGUAL
        )
        print(body, results, flush=True)
        (folder / "results.json").write_text(json.dumps(results))
    if (arguments.run / BILINGUAL / "results.json").exists():
        report(data, start, arguments.run, WEIGHTS / NAME)


def plan_of(per_epoch: int, epochs: int, learning_rate: float, seed: int) -> Plan:
    """The plan of a training."""
    return Plan(
        steps=epochs * per_epoch,
        learning_rate=learning_rate,
        decay=0.9,
        optimiser="adamw",
        seed=seed,
        save_every=per_epoch,
    )


def network_of(body: str, start: TextModel, seed: int) -> InferenceBERT:
    """The initial network: a classifier on `bert-pairs`, or on what `bert-pairs` was before it read two languages."""
    pretrained = start.network if body == BILINGUAL else with_vocabulary(start.tokenizer, WEIGHTS / body, seed=0)
    assert isinstance(pretrained, PretrainingBERT)
    torch.manual_seed(seed)
    return with_classifier(pretrained)


def learn(
    network: InferenceBERT,
    batches: Batches,
    plan: Plan,
    folder: Path,
    trial_accuracy: Callable[[InferenceBERT], float],
    until: int | None = None,
) -> dict[str, Any]:
    """Train, and give the network the weights of the epoch with the best accuracy on the trial split.

    `until`: the last epoch to train, by default that of the plan. Returns the record of the training. After each epoch
    `epochs.json` and the best weights are written into `folder`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file, seconds = folder / "epochs.json", 0.0
    accuracies: list[float] = json.loads(file.read_text()) if file.exists() else []
    for epoch in range(len(accuracies) + 1, (until or plan.steps // batches.per_epoch) + 1):
        last = epoch * batches.per_epoch
        seconds = train(network, lambda step: loss_of(network, *batches.batch(step)), plan, folder, until=last)
        accuracy = trial_accuracy(network)
        print(f"epoch {epoch}: {accuracy:.1%} of the trial split", flush=True)
        if accuracy > max(accuracies, default=0):
            torch.save(network.state_dict(), folder / "best.pt")
        accuracies.append(accuracy)
        file.write_text(json.dumps(accuracies))
    network.load_state_dict(torch.load(folder / "best.pt", weights_only=True))
    chosen = accuracies.index(max(accuracies)) + 1
    seconds = seconds or torch.load(folder / "checkpoint.pt", weights_only=True)["seconds"]
    epochs = plan.steps // batches.per_epoch
    return {
        "plan": asdict(plan),
        "epochs": epochs,
        "trial_by_epoch": accuracies,
        "epoch": chosen,
        "seconds": round(seconds),
    }


def loss_of(network: InferenceBERT, batch: PairBatch, relations: Tensor) -> Tensor:
    """The mean cross-entropy of the relations of a batch."""
    with mixed_precision(), sdpa_kernel(SDPBackend.MATH):
        return F.cross_entropy(network(batch.tokens, batch.segments, batch.padding).float(), relations)


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        data=[SICK_FRENCH],
        run=Path("runs/bert-inference"),
        only=BODIES,
        seed=True,
        threads="all",
        helps={"only": "train from these; the others stay as they are there"},
    )
    parser.add_argument("--epochs", type=int, default=8, help="of the plan; the best on the trial split is kept")
    parser.add_argument("--until", type=int, help="the last epoch that is trained, if it is not that of the plan")
    parser.add_argument("--learning-rate", type=float, default=2e-4)
    return parser


if __name__ == "__main__":
    main()
