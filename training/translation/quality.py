"""Measure the translators on held-out sentences: quality, quality by length, and cost of the training."""

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
from training.common.stored import as_stored

BEAM = 5
TOGETHER = 1500  # source tokens that are translated at once, padding and beam aside
BUCKETS = ((1, 5), (6, 10), (11, 15), (16, 20), (21, 30), (31, 40), (41, 60))  # words of the source
JOINED_FROM = 16  # words: Tatoeba has few such sentences, so these texts are test sentences read one after another
TEXTS = 120  # of each bucket, at most
RESAMPLES = 1000  # of the test sentences, for the standard error of BLEU
REFERENCES = 4  # French versions of each text, at most

TextsWithReferences = list[tuple[str, list[str]]]
Network = Seq2Seq | Bahdanau | Transformer


@dataclass(frozen=True)
class Trained:
    """A trained model as it is stored, its quality and cost (`measured`), and its quality by length of the source."""

    network: Network
    measured: dict[str, float]
    half_precision: dict[str, float]  # its quality with weights in half precision
    lengths: list[dict[str, float]]  # a row for each of BUCKETS


def measure_once(
    network: Network,
    tokenizer: Tokenizer,
    split: pairs.Split,
    batches: pairs.Batches,
    *,
    steps: int,
    seconds: float,
    file: Path,
) -> Trained:
    """Measure a model in 8 bits, as it is stored, and in half precision.

    Results are cached in `file`: where it holds some of the same number of steps, nothing is measured.
    """
    weights = file.with_name("stored.safetensors")
    half_precision = as_stored(network, weights, eight_bits=False)
    stored = as_stored(network, weights, eight_bits=True)
    results = json.loads(file.read_text()) if file.exists() else {}
    if "half_precision" not in results or results["measured"]["steps"] != steps:
        measured = {
            "parameters": sum(parameter.numel() for parameter in network.parameters()),
            **measure(stored, tokenizer, split),
            **costs(network, batches, steps, seconds),
        }
        print(measured, flush=True)
        results = {
            "measured": measured,
            "half_precision": measure(half_precision, tokenizer, split),
            "lengths": length_curve(stored, tokenizer, split.test),
        }
        file.write_text(json.dumps(results, indent=1) + "\n")
    return Trained(stored, **results)


def measure(network: Network, tokenizer: Tokenizer, split: pairs.Split) -> dict[str, float]:
    """BLEU, chrF and loss on the held-out sentences."""
    sources, references = [english for english, _ in split.test], [french for _, french in split.test]
    validation = split.validation
    validation_translations = translate(network, tokenizer, [english for english, _ in validation], beam=1)
    greedy = translate(network, tokenizer, sources, beam=1)
    return {
        **scores(translate(network, tokenizer, sources, beam=BEAM), references),
        "bleu_greedy": scores(greedy, references)["bleu"],
        "bleu_greedy_error": bleu_error(greedy, references),
        "validation_bleu": scores(validation_translations, [french for _, french in validation])["bleu"],
        "loss": round(loss(network, tokenizer, validation), 4),
    }


def costs(network: Network, batches: pairs.Batches, steps: int, seconds: float) -> dict[str, float]:
    """The cost of a training of `steps` steps that took `seconds`."""
    return {
        "steps": steps,
        "epochs": round(steps / batches.per_epoch, 2),
        "seconds": round(seconds),
        "train_flops": float(f"{training_flops(network, batches) * steps:.3g}"),
        "pairs_per_second": round(len(batches.sources) * steps / batches.per_epoch / seconds, 1),
    }


def translate(network: Network, tokenizer: Tokenizer, texts: Sequence[str], *, beam: int) -> list[str]:
    """Translate texts to French with a beam of `beam`, in batches of like lengths."""
    sources = [[*encoding.ids, END] for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False)]
    order = sorted(range(len(sources)), key=lambda place: len(sources[place]))
    translations = [""] * len(texts)
    while order:
        room = max(1, TOGETHER // len(sources[order[0]]))
        places, order = order[:room], order[room:]
        decoded = beam_search(network, *padded([sources[place] for place in places]), beam=beam)
        for place, result in zip(places, decoded, strict=True):
            translations[place] = tokenizer.decode(list(result.best.tokens))
    return translations


def scores(translations: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
    """BLEU and chrF of a corpus, with all references of each sentence."""
    scores_by_metric = {
        name: metric.corpus_score(translations, _streams(references)).score for name, metric in _metrics().items()
    }
    return {name: round(score, 2) for name, score in scores_by_metric.items()}


def bleu_error(translations: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """The standard error of BLEU, from RESAMPLES bootstrap samples of the sentences (Koehn 2004)."""
    sentences = [
        BLEU().corpus_score([french], _streams([of_sentence]))
        for french, of_sentence in zip(translations, references, strict=True)
    ]
    counts = torch.tensor([[*s.counts, *s.totals, s.sys_len, s.ref_len] for s in sentences], dtype=torch.float64)
    chosen = torch.randint(len(counts), (RESAMPLES, len(counts)), generator=torch.Generator().manual_seed(0))
    bleu = [
        BLEU.compute_bleu(sums[:4], sums[4:8], int(sums[8]), int(sums[9])).score
        for sums in (counts[sample].sum(dim=0).tolist() for sample in chosen)
    ]
    return round(statistics.stdev(bleu), 2)


def signatures(references: Sequence[Sequence[str]]) -> dict[str, str]:
    """The signatures of sacrebleu's metrics with these references (Post 2018)."""
    signatures_by_metric = {}
    for name, metric in _metrics().items():
        metric.corpus_score([french[0] for french in references], _streams(references))
        signatures_by_metric[name] = str(metric.get_signature())
    return signatures_by_metric


def _metrics() -> dict[str, BLEU | CHRF]:
    """New metrics: each keeps the signature of its last call."""
    return {"bleu": BLEU(), "chrf": CHRF()}


def _streams(references: Sequence[Sequence[str]]) -> list[list[Any]]:
    """A list of the first references, one of the second ...; None where a sentence has fewer references."""
    most = max(map(len, references))
    return [[french[number] if number < len(french) else None for french in references] for number in range(most)]


@torch.no_grad()
def loss(network: Network, tokenizer: Tokenizer, texts: TextsWithReferences) -> float:
    """Mean loss in nats for each token of the first references, without label smoothing."""
    batches = pairs.Batches(
        tokenizer, [(english, french[0]) for english, french in texts], tokens=3000, seed=0, joined=0
    )
    total, count = 0.0, 0
    for step in range(batches.per_epoch):
        source, target, following = batches.batch(step)
        logits = network(source, target, source == PAD)
        tokens = int((following != PAD).sum())
        mean_loss = smoothed_cross_entropy(logits.flatten(0, 1), following.flatten(), smoothing=0.0, ignore=PAD)
        total, count = total + mean_loss.item() * tokens, count + tokens
    return total / count


def training_flops(network: Network, batches: pairs.Batches, sample: int = 12) -> float:
    """Mean FLOPs of a training step: three times the forward pass (Kaplan et al. 2020, section 2.1)."""
    flops = []
    for step in range(0, batches.per_epoch, max(1, batches.per_epoch // sample)):
        source, target, _ = batches.batch(step)
        flops.append(sum(count_flops(network, _reading(source, target)).values()))
    return 3 * statistics.mean(flops)


def _reading(source: Tensor, target: Tensor) -> Callable[[nn.Module], Tensor]:
    return lambda model: model(source, target, source == PAD)


def length_curve(network: Network, tokenizer: Tokenizer, test: TextsWithReferences) -> list[dict[str, float]]:
    """BLEU and chrF by the number of words in the source, the same texts for all models; greedy, to save time."""
    rows = []
    for low, high in BUCKETS:
        texts = bucket(test, low, high)
        words = statistics.mean(len(english.split()) for english, _ in texts)
        translations = translate(network, tokenizer, [english for english, _ in texts], beam=1)
        row = {"low": low, "high": high, "words": round(words, 1), "sentences": len(texts)}
        rows.append(row | scores(translations, [french for _, french in texts]))
        print(rows[-1], flush=True)
    return rows


def bucket(test: TextsWithReferences, low: int, high: int) -> TextsWithReferences:
    """Texts of `low` to `high` words: single sentences, or from JOINED_FROM words on joined sentences."""
    rng = random.Random(low)
    if low < JOINED_FROM:
        fitting = [pair for pair in test if low <= len(pair[0].split()) <= high]
        return rng.sample(fitting, min(TEXTS * 3, len(fitting)))
    texts: TextsWithReferences = []
    while len(texts) < TEXTS:
        goal = rng.randint(low, high)
        chosen: TextsWithReferences = []
        while sum(len(english.split()) for english, _ in chosen) < goal:
            chosen.append(rng.choice(test))
        if sum(len(english.split()) for english, _ in chosen) <= high:
            texts.append(_join(chosen))
    return texts


def _join(sentences: TextsWithReferences) -> tuple[str, list[str]]:
    """Join sentences; reference r takes the r-th reference of each sentence, modulo their number."""
    most = min(REFERENCES, max(len(french) for _, french in sentences))
    versions = [" ".join(french[number % len(french)] for _, french in sentences) for number in range(most)]
    return " ".join(english for english, _ in sentences), versions
