"""Train `bert-pairs`: `bert-books` once more, on English sentences with their French translations in one input.

Words are hidden on both sides, so that what is hidden in one language can be read off the other (translation language
model, Lample and Conneau 2019, "Cross-lingual Language Model Pretraining", section 3.4; as there, the second sentence
counts its places anew). The vocabulary is that of `translation`, for both languages.

The links that people made (see training/translation/alignment.py) are only to measure.

    python -m training.bert_pairs.train --data PATH
"""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Int
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.models.bert import BERTConfig, PretrainingBERT
from core.models.stored_weights import load_weights
from core.zoo.embedded import WEIGHTS
from training.bert_pairs.report import report
from training.common import pairs
from training.common.command_line import CommandLine
from training.common.data_sets import TATOEBA, WORD_ALIGNMENTS
from training.common.loop import Plan, train
from training.common.masking import Masking, add_special_tokens, number_of

TOKENS = 5000  # of a batch: rows times the longer of the two sides, as in training/common/pairs.py
JOINED = 0.25  # of the pairs stand two to six in a row


def main() -> None:
    """Train, measure, write the weights."""
    arguments = command_line().read()
    arguments.run.mkdir(parents=True, exist_ok=True)
    tokenizer = add_special_tokens(Tokenizer.from_file(str(WEIGHTS / "translation" / "tokenizer.json")))
    split = pairs.read(arguments.data / "tatoeba", seed=0)  # as for `translation`: the same sentences are held out
    batches = Batches(tokenizer, split.learnt, tokens=TOKENS, seed=arguments.seed, joined=JOINED)
    steps = arguments.steps or round(arguments.epochs * batches.per_epoch)
    print(f"{len(split.learnt):,} pairs, {batches.per_epoch} batches an epoch, {steps:,} steps", flush=True)
    model = with_vocabulary(tokenizer, arguments.weights, arguments.seed)
    plan = Plan(steps=steps, learning_rate=1.5e-3, warm_up=300, decay=0.5, seed=arguments.seed)
    record = learn(model, batches, plan, arguments.run)
    record |= {"learnt": len(split.learnt), "epochs": round(steps / batches.per_epoch, 1)}
    report(model, tokenizer, split, record, arguments.data)


def with_vocabulary(tokenizer: Tokenizer, folder: Path, seed: int) -> PretrainingBERT:
    """`bert-books` with another vocabulary: tokens that are spelled the same in both keep their vectors."""
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    del settings["architecture"]
    config = BERTConfig(**settings)
    weights = load_weights(lambda: PretrainingBERT(config), folder / "model.safetensors").state_dict()
    source_vocabulary = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab()
    torch.manual_seed(seed)
    model = PretrainingBERT(replace(config, vocabulary=tokenizer.get_vocab_size(), restarts=True))
    state = model.state_dict()
    for token, number in tokenizer.get_vocab().items():
        if (source_number := source_vocabulary.get(token.replace("▁", "Ġ"))) is not None:
            for name in ("bert.token_embedding.weight", "masked_words.bias"):
                state[name][number] = weights[name][source_number]
    model.load_state_dict(
        state | {name: tensor for name, tensor in weights.items() if tensor.shape == state[name].shape}
    )
    return model


class Batches(pairs.Batches):
    """English, then French, in one row; half of the time the other way round, so that either can be read first."""

    def __init__(self, tokenizer: Tokenizer, learnt: list[pairs.Pair], **settings: Any):
        self.masking = Masking(tokenizer)
        self.begin, self.separator, self.padding = (number_of(tokenizer, name) for name in ("[CLS]", "[SEP]", "[PAD]"))
        super().__init__(tokenizer, learnt, **settings)

    def both(self, step: int) -> tuple[Int[Tensor, "batch token"], Int[Tensor, "batch token"]]:
        """The tokens of a step and their segments, padded at the end."""
        epoch, place = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            self._epoch, self._batches = epoch, self._cut(epoch)
        return self.rows(self._batches[place % len(self._batches)], french_first=bool(step % 2))

    def rows(
        self, chosen: list[tuple[list[int], list[int]]], *, french_first: bool = False
    ) -> tuple[Int[Tensor, "batch token"], Int[Tensor, "batch token"]]:
        """The tokens of pairs of sentences and their segments, padded at the end."""
        rows, segments = [], []
        for sides in chosen:
            first, second = reversed(sides) if french_first else sides
            rows.append(torch.tensor([self.begin, *first, self.separator, *second, self.separator]))
            segments.append(torch.tensor([0] * (len(first) + 2) + [1] * (len(second) + 1)))
        pad = torch.nn.utils.rnn.pad_sequence
        return (
            pad(rows, batch_first=True, padding_value=self.padding),
            pad(segments, batch_first=True, padding_value=1),
        )

    def is_padding(self, tokens: Int[Tensor, "batch token"]) -> Bool[Tensor, "batch token"]:
        """True for padding."""
        return tokens.eq(self.padding)


def learn(model: PretrainingBERT, batches: Batches, plan: Plan, run: Path) -> dict[str, Any]:
    """Train on masked words; returns the record of the training, which is also written into `run`."""
    context = model.config.context

    def loss_at(step: int) -> Tensor:
        tokens, segments = (rows[:, :context] for rows in batches.both(step))
        generator = torch.Generator().manual_seed(plan.seed * 1_000_003 + step)
        hidden = batches.masking.mask_words(tokens, generator)
        with torch.autocast("cpu", torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
            features = model.bert(hidden.tokens, segments, batches.is_padding(tokens))
            return F.cross_entropy(model.words(features[hidden.is_target]).float(), tokens[hidden.is_target])

    seconds = train(model, loss_at, plan, run)
    record = {"plan": asdict(plan), "batch": batches.tokens, "seconds": seconds}
    (run / "run.json").write_text(json.dumps(record))
    return record


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        data=[TATOEBA.below("tatoeba"), WORD_ALIGNMENTS],
        run=Path("runs/bert-pairs"),
        steps="plan",
        seed=True,
        threads="all",
        helps={"steps": "instead of --epochs"},
    )
    parser.add_argument("--weights", type=Path, default=WEIGHTS / "bert-books", help="the model to begin with")
    parser.add_argument("--epochs", type=float, default=6)
    return parser


if __name__ == "__main__":
    main()
