"""Train `translation`: English to French without attention, with Bahdanau's attention, and with the transformer.

All three learn from the same sentence pairs, for the same number of steps.

    python -m training.translation.train --data PATH
    python -m training.translation.train --data PATH --only bahdanau --steps 3000      # train one, write nothing yet
"""

import argparse
import contextlib
from collections.abc import Callable
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.models.bahdanau import Bahdanau, BahdanauConfig
from core.models.seq2seq import Seq2Seq, Seq2SeqConfig
from core.models.transformer import Transformer, TransformerConfig
from core.translation.decoding import PAD
from training.common import pairs
from training.common.command_line import CommandLine
from training.common.data_sets import TATOEBA
from training.common.loop import Plan, train
from training.common.loss import smoothed_cross_entropy
from training.translation.quality import TEXTS, Network, measure_once
from training.translation.report import report

VOCABULARY = 8000
TOKENS = 6000  # of a batch, padding included, on the longer side
SMOOTHING = 0.1  # of the labels (Szegedy et al. 2016; Vaswani et al. 2017, section 5.4)


def make_network(name: str, vocabulary: int, seed: int) -> Network:
    """A model with seeded random weights; all three have about 7.5 million parameters."""
    makers: dict[str, Callable[[], Network]] = {
        "seq2seq": lambda: Seq2Seq(Seq2SeqConfig(vocabulary)),
        "bahdanau": lambda: Bahdanau(BahdanauConfig(vocabulary)),
        "transformer": lambda: Transformer(
            TransformerConfig(vocabulary, vocabulary, width=256, layers=3, heads=4, hidden=1024)
        ),
    }
    torch.manual_seed(seed)
    model = makers[name]()
    print(f"{name}: {sum(parameter.numel() for parameter in model.parameters()):,} parameters", flush=True)
    return model


def main() -> None:
    """Train the models, measure them, write the weights."""
    arguments = command_line().read()
    split = pairs.read(arguments.data, arguments.seed)
    tokenizer = read_tokenizer(arguments.run / "tokenizer.json", split)
    batches = pairs.Batches(tokenizer, split.learnt, tokens=TOKENS, seed=arguments.seed)
    steps = arguments.steps or round(arguments.epochs * batches.per_epoch)
    print(f"{len(split.learnt):,} pairs, {batches.per_epoch} batches an epoch, {steps:,} steps", flush=True)
    trained = {}
    for name in arguments.only or RATES:
        model = make_network(name, tokenizer.get_vocab_size(), arguments.seed)
        plan = Plan(steps=steps, learning_rate=RATES[name], warm_up=300, decay=0.5, seed=arguments.seed)
        folder = arguments.run / name
        seconds = learn(model, batches, plan, folder, bfloat16=arguments.bfloat16)
        file = folder / "measured.json"
        trained[name] = measure_once(model, tokenizer, split, batches, steps=steps, seconds=seconds, file=file)
    if arguments.only is None:
        record = {
            "seed": arguments.seed,
            "steps": steps,
            "epochs": round(steps / batches.per_epoch, 1),
            "tokens": TOKENS,
        }
        record |= {"learnt": len(split.learnt), "vocabulary": tokenizer.get_vocab_size(), "texts": TEXTS}
        report(trained, tokenizer, split, record)


# Found on the first few hundred steps. The loop gives the transformer's matrices to Muon, all else to AdamW.
RATES = {"seq2seq": 2e-3, "bahdanau": 2e-3, "transformer": 1.5e-3}


def learn(model: Network, batches: pairs.Batches, plan: Plan, folder: Path, *, bfloat16: bool) -> float:
    """Train a model to predict the next token of the French text; returns the seconds that it took."""

    def loss_at(step: int) -> torch.Tensor:
        source, target, following = batches.batch(step)
        precision = torch.autocast("cpu", torch.bfloat16) if bfloat16 else contextlib.nullcontext()
        with precision, sdpa_kernel(SDPBackend.MATH):  # its backward is faster than that of the fused kernel here
            logits = model(source, target, source == PAD)
        return smoothed_cross_entropy(logits.flatten(0, 1), following.flatten(), smoothing=SMOOTHING, ignore=PAD)

    return train(model, loss_at, plan, folder)


def read_tokenizer(file: Path, split: pairs.Split) -> Tokenizer:
    """The tokenizer that all models share; trained on the training sentences if `file` does not exist."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        pairs.train_tokenizer(split.learnt, VOCABULARY).save(str(file))
    return Tokenizer.from_file(str(file))


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        data=[TATOEBA],
        run=Path("runs/translation"),
        steps="plan",
        seed=True,
        threads="all",
        only=RATES,
        helps={"steps": "instead of --epochs", "only": "train these, write nothing yet"},
    )
    parser.add_argument("--epochs", type=float, default=5)
    parser.add_argument("--bfloat16", action=argparse.BooleanOptionalAction, default=True, help="in the forward pass")
    return parser


if __name__ == "__main__":
    main()
