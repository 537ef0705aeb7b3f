"""How good a network is after something was taken away: four networks of ours, each on data that it has not seen.

Data: a folder with `lm_text` (as for training/gpt_books.py), `sst2` (training/bert_tasks.py), `tiny_imagenet`
(training/tiny_imagenet.py) and `tatoeba` (training/translation.py).
"""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from core.translation.decoding import PAD
from core.zoo.embedded import load_embedded_image, load_embedded_text
from core.zoo.translators import load_translator
from training import pairs
from training.bert_tasks_data import batch_of, judged_examples
from training.gpt_books import read_books
from training.language import bits
from training.sst2 import read_phrases
from training.tiny_imagenet import normalise, read_pictures
from training.translation_quality import scores, translate

TOKENS, PICTURES, SENTENCES = 8_000, 1_000, 200  # that quality is measured on
ASKED = 32  # inputs by which heads are ranked; none of them is among those above
ROUNDS = 15

Losses = Callable[[nn.Module], Float[Tensor, " batch"]]


@dataclass(frozen=True)
class Subject:
    """A network, and how good one that is put in its place is.

    `quality` is a share of right answers, BLEU, or bits a token (`measure` says which); `losses` one loss for each of
    ASKED inputs, in nats; `once` a single input, for taking the time.
    """

    name: str
    network: nn.Module
    measure: str
    quality: Callable[[nn.Module], float]
    losses: Losses
    once: Callable[[nn.Module], Any]


def gpt(data: Path, _run: Path) -> Subject:
    """`gpt-books`: bits for each token of a book that it has not read."""
    model = load_embedded_text("gpt-books")
    (book,) = read_books(data / "lm_text", held_out=True)
    tokens = np.array(model.tokenizer.encode(book).ids)
    context = 128
    asked = torch.from_numpy(tokens[-ASKED * context :].reshape(ASKED, context))

    def losses(network: nn.Module) -> Tensor:
        logits = network(asked[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), asked[:, 1:], reduction="none").mean(dim=1)

    def quality(network: nn.Module) -> float:
        return bits(network, tokens[:TOKENS], model.context) / (TOKENS - 1)

    return Subject("gpt-books", model.network, "bits", quality, losses, lambda network: network(asked[:1, :64]))


def bert(data: Path, _run: Path) -> Subject:
    """`bert-tasks`: praise or blame, the share of right verdicts on the sentences of SST-2's dev part."""
    model = load_embedded_text("bert-tasks")
    texts, praise = read_phrases(data / "sst2" / "glue_dev.tsv.gz")
    examples = sorted(judged_examples(texts, praise, model.tokenizer, model.context), key=lambda each: len(each.ids))
    batches = [batch_of(examples[start : start + 32]) for start in range(0, len(examples), 32)]
    learned, learned_praise = read_phrases(data / "sst2" / "glue_train.tsv.gz")
    long = [place for place, text in enumerate(learned) if len(text.split()) > 8][:ASKED]
    asked = batch_of(
        list(
            judged_examples(
                [learned[place] for place in long], [learned_praise[place] for place in long], model.tokenizer, 128
            )
        )
    )

    def losses(network: nn.Module) -> Tensor:
        assert asked.verdicts is not None
        return F.cross_entropy(network(asked.ids, asked.padding)[1], asked.verdicts, reduction="none")

    def quality(network: nn.Module) -> float:
        right = [network(batch.ids, batch.padding)[1].argmax(dim=-1) == batch.verdicts for batch in batches]
        return float(torch.cat(right).float().mean())

    once = torch.tensor([examples[len(examples) // 2].ids])
    return Subject("bert-tasks", model.network, "accuracy", quality, losses, lambda network: network(once))


def vit(data: Path, run: Path) -> Subject:
    """`vit-tiny-imagenet`: the share of pictures whose class is the first guess."""
    model = load_embedded_image("vit-tiny-imagenet")
    pictures, labels = read_pictures(data / "tiny_imagenet", "val", run / "tiny-imagenet")
    shown = normalise(pictures[: PICTURES + ASKED].float() / 255)

    def losses(network: nn.Module) -> Tensor:
        return F.cross_entropy(network(shown[PICTURES:]), labels[PICTURES : PICTURES + ASKED], reduction="none")

    def quality(network: nn.Module) -> float:
        said = torch.cat([network(part).argmax(dim=-1) for part in shown[:PICTURES].split(100)])
        return float((said == labels[:PICTURES]).float().mean())

    return Subject("vit-tiny-imagenet", model.network, "accuracy", quality, losses, lambda network: network(shown[:1]))


def translator(data: Path, _run: Path) -> Subject:
    """The translation transformer: BLEU of greedy translations, with all references that a sentence has."""
    model = load_translator("transformer")
    tokenizer = model.tokenizer
    split = pairs.read(data / "tatoeba", seed=0)
    test = split.test[:SENTENCES]
    batches = pairs.Batches(
        tokenizer, [(english, french[0]) for english, french in split.validation[:400]], tokens=600, seed=0, joined=0
    )
    source, target, following = batches.batch(0)
    source, target, following = source[:ASKED], target[:ASKED], following[:ASKED]

    def losses(network: nn.Module) -> Tensor:
        logits = network(source, target, source == PAD)
        each = F.cross_entropy(logits.transpose(1, 2), following, ignore_index=PAD, reduction="none")
        return each.sum(dim=1) / (following != PAD).sum(dim=1)

    def quality(network: Any) -> float:
        written = translate(network, tokenizer, [english for english, _ in test], beam=1)
        return scores(written, [french for _, french in test])["bleu"]

    network = model.network
    return Subject("translation", network, "BLEU", quality, losses, lambda each: each(source[:1], target[:1]))


SUBJECTS: dict[str, Callable[[Path, Path], Subject]] = {
    "gpt-books": gpt,
    "bert-tasks": bert,
    "vit-tiny-imagenet": vit,
    "translation": translator,
}


@torch.inference_mode()
def milliseconds(
    once: Callable[[nn.Module], Any], networks: Mapping[str, nn.Module], rounds: int = ROUNDS
) -> dict[str, float]:
    """The median time of `once` with each network, taken in turns."""
    taken: dict[str, list[float]] = {name: [] for name in networks}
    for turn in range(rounds + 2):
        for name, network in networks.items():
            begin = time.perf_counter()
            once(network)
            if turn >= 2:
                taken[name].append(1000 * (time.perf_counter() - begin))
    return {name: statistics.median(each) for name, each in taken.items()}


def parameters_of(network: nn.Module) -> int:
    """The numbers of a network; shared ones count once."""
    return sum(weight.numel() for weight in network.parameters())
