"""How well the translators translate sentences that they never read, how it falls with length, and what it cost."""

import json
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from sacrebleu.metrics import BLEU, CHRF
from tokenizers import Tokenizer
from torch import Tensor, nn

from core.costs import count_flops
from core.models.bahdanau import Bahdanau
from core.models.seq2seq import Seq2Seq
from core.models.transformer import Transformer
from core.translation.decoding import END, PAD, beam_search, padded
from training.common import pairs
from training.common.loss import smoothed_cross_entropy

BEAM = 5
TOGETHER = 1500  # source tokens that are translated at once, padding and beam aside
BUCKETS = ((1, 5), (6, 10), (11, 15), (16, 20), (21, 30), (31, 40), (41, 60))  # words of the source
JOINED_FROM = 16  # words: Tatoeba has few such sentences, so these texts are test sentences read one after another
TEXTS = 120  # of each bucket, at most
REFERENCES = 4  # French versions of each text, at most

Held = list[tuple[str, list[str]]]
Network = Seq2Seq | Bahdanau | Transformer


@dataclass(frozen=True)
class Trained:
    """A model, what its training said of itself, and how well it translates."""

    network: Network
    measured: dict[str, float]
    lengths: list[dict[str, float]]  # a row for each of BUCKETS


def measured(
    network: Network,
    tokenizer: Tokenizer,
    split: pairs.Split,
    batches: pairs.Batches,
    *,
    steps: int,
    seconds: float,
    file: Path,
) -> Trained:
    """Measure a model once: what was found is kept in `file`, for a run that is resumed after it."""
    network.eval().requires_grad_(False)
    kept = json.loads(file.read_text()) if file.exists() else {}
    if kept.get("measured", {}).get("steps") != steps:
        found = measure(network, tokenizer, split, batches, steps, seconds)
        kept = {"measured": found, "lengths": length_curve(network, tokenizer, split.test)}
        file.write_text(json.dumps(kept, indent=1) + "\n")
    return Trained(network, **kept)


def measure(
    network: Network, tokenizer: Tokenizer, split: pairs.Split, batches: pairs.Batches, steps: int, seconds: float
) -> dict[str, float]:
    """BLEU and chrF on the held-out sentences, the loss, and what training cost."""
    sources, references = [english for english, _ in split.test], [french for _, french in split.test]
    validation = split.validation
    others = translate(network, tokenizer, [english for english, _ in validation], beam=1)
    found = {
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        **scores(translate(network, tokenizer, sources, beam=BEAM), references),
        "bleu_greedy": scores(translate(network, tokenizer, sources, beam=1), references)["bleu"],
        "validation_bleu": scores(others, [french for _, french in validation])["bleu"],
        "loss": round(loss(network, tokenizer, validation), 4),
        "steps": steps,
        "epochs": round(steps / batches.per_epoch, 2),
        "seconds": round(seconds),
        "train_flops": float(f"{training_flops(network, batches) * steps:.3g}"),
        "pairs_per_second": round(len(batches.sources) * steps / batches.per_epoch / seconds, 1),
    }
    print(found, flush=True)
    return found


def translate(network: Network, tokenizer: Tokenizer, texts: Sequence[str], *, beam: int) -> list[str]:
    """Each text in French, in batches of like lengths."""
    sources = [[*encoding.ids, END] for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False)]
    order = sorted(range(len(sources)), key=lambda place: len(sources[place]))
    written = [""] * len(texts)
    while order:
        room = max(1, TOGETHER // len(sources[order[0]]))
        chosen, order = order[:room], order[room:]
        decoded = beam_search(network, *padded([sources[place] for place in chosen]), beam=beam)
        for place, found in zip(chosen, decoded, strict=True):
            written[place] = tokenizer.decode(list(found.best.tokens))
    return written


def scores(written: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
    """BLEU and chrF of a corpus, with all references that each sentence has."""
    found = {name: metric.corpus_score(written, _streams(references)).score for name, metric in _metrics().items()}
    return {name: round(score, 2) for name, score in found.items()}


def signatures(references: Sequence[Sequence[str]]) -> dict[str, str]:
    """What sacrebleu did with these references, in its own words (Post 2018)."""
    said = {}
    for name, metric in _metrics().items():
        metric.corpus_score([french[0] for french in references], _streams(references))
        said[name] = str(metric.get_signature())
    return said


def _metrics() -> dict[str, BLEU | CHRF]:
    """Fresh ones: each keeps a signature of what it was last given."""
    return {"bleu": BLEU(), "chrf": CHRF()}


def _streams(references: Sequence[Sequence[str]]) -> list[list[Any]]:
    """One list for the first references, one for the second, ...; None where a sentence has no such one."""
    most = max(map(len, references))
    return [[french[number] if number < len(french) else None for french in references] for number in range(most)]


@torch.no_grad()
def loss(network: Network, tokenizer: Tokenizer, held: Held) -> float:
    """Nats for each token of the first reference, without smoothing."""
    alone = pairs.Batches(tokenizer, [(english, french[0]) for english, french in held], tokens=3000, seed=0, joined=0)
    total, count = 0.0, 0
    for step in range(alone.per_epoch):
        source, target, following = alone.batch(step)
        logits = network(source, target, source == PAD)
        real = int((following != PAD).sum())
        found = smoothed_cross_entropy(logits.flatten(0, 1), following.flatten(), smoothing=0.0, ignore=PAD)
        total, count = total + found.item() * real, count + real
    return total / count


def training_flops(network: Network, batches: pairs.Batches, sample: int = 12) -> float:
    """Of a step, on average: three times the forward pass (Kaplan et al. 2020, section 2.1)."""
    counted = []
    for step in range(0, batches.per_epoch, max(1, batches.per_epoch // sample)):
        source, target, _ = batches.batch(step)
        counted.append(sum(count_flops(network, _reading(source, target)).values()))
    return 3 * statistics.mean(counted)


def _reading(source: Tensor, target: Tensor) -> Callable[[nn.Module], Tensor]:
    return lambda model: model(source, target, source == PAD)


def length_curve(network: Network, tokenizer: Tokenizer, test: Held) -> list[dict[str, float]]:
    """BLEU and chrF by the number of words in the source, the same texts for all models; greedy, to save time."""
    rows = []
    for low, high in BUCKETS:
        texts = bucket(test, low, high)
        words = statistics.mean(len(english.split()) for english, _ in texts)
        written = translate(network, tokenizer, [english for english, _ in texts], beam=1)
        row = {"low": low, "high": high, "words": round(words, 1), "sentences": len(texts)}
        rows.append(row | scores(written, [french for _, french in texts]))
        print(rows[-1], flush=True)
    return rows


def bucket(test: Held, low: int, high: int) -> Held:
    """Texts of so many words: sentences as they are, or sentences joined until they are long enough."""
    dice = random.Random(low)
    if low < JOINED_FROM:
        fitting = [pair for pair in test if low <= len(pair[0].split()) <= high]
        return dice.sample(fitting, min(TEXTS * 3, len(fitting)))
    texts: Held = []
    while len(texts) < TEXTS:
        goal = dice.randint(low, high)
        chosen: Held = []
        while sum(len(english.split()) for english, _ in chosen) < goal:
            chosen.append(dice.choice(test))
        if sum(len(english.split()) for english, _ in chosen) <= high:
            texts.append(_join(chosen))
    return texts


def _join(chosen: Held) -> tuple[str, list[str]]:
    """The sentences one after the other; reference r takes the r-th version of each, beginning again at the first."""
    most = min(REFERENCES, max(len(french) for _, french in chosen))
    versions = [" ".join(french[number % len(french)] for _, french in chosen) for number in range(most)]
    return " ".join(english for english, _ in chosen), versions
