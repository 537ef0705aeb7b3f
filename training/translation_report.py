"""Measure the three translators on sentences they never read, and write their weights and card."""

import json
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from sacrebleu.metrics import BLEU, CHRF
from tokenizers import Tokenizer
from torch import Tensor, nn

from core.half_precision import save_weights
from core.models.bahdanau import Bahdanau
from core.models.seq2seq import Seq2Seq
from core.models.transformer import Transformer
from core.sizes import count_flops
from core.translation.decoding import END, PAD, beam_search, padded
from core.zoo import TRANSLATION
from core.zoo.embedded import WEIGHTS
from training import pairs
from training.card import save_card, table, write_card
from training.loss import smoothed_cross_entropy

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


def report(trained: dict[str, Trained], tokenizer: Tokenizer, split: pairs.Split, story: dict) -> None:
    """Write weights/translation/: weights, config, tokenizer, results, length curve, card."""
    folder = WEIGHTS / "translation"
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    for name, model in trained.items():
        save_weights(model.network, folder / f"{name}.safetensors")
    sizes = {name: asdict(model.network.config) for name, model in trained.items()}
    (folder / "config.json").write_text(json.dumps(sizes, indent=1) + "\n")
    found = {name: model.measured for name, model in trained.items()}
    lengths = pd.DataFrame([{"model": name} | row for name, model in trained.items() for row in model.lengths])
    lengths.to_csv(folder / "length.csv", index=False)
    references = [french for _, french in split.test]
    copied = scores([english for english, _ in split.test], references)
    results = story | {
        "models": found,
        "baselines": {"copy the source": copied},
        "sentences": len(split.test),
        "references": sum(map(len, references)),
        "signature": signatures(references),
    }
    save_card(folder, CARD, results, tables_of(results, lengths, folder))


def write_translation_card(folder: Path) -> None:
    """The card anew, from what was measured and lies in the folder; where nothing was, nothing is written."""
    if (folder / "results.json").exists():
        results, lengths = json.loads((folder / "results.json").read_text()), pd.read_csv(folder / "length.csv")
        write_card(folder, CARD, tables_of(results, lengths, folder))


def tables_of(results: dict, lengths: pd.DataFrame, folder: Path) -> dict[str, str]:
    """What stands in the card as tables."""
    found = results["models"]
    return {
        "quality": quality_table(found, results["baselines"]["copy the source"]),
        "by_length": length_table(lengths),
        "cost": cost_table(found),
        "alignments": alignment_table(folder / "alignment.json"),
        "bleu_signature": results["signature"]["bleu"],
        "chrf_signature": results["signature"]["chrf"],
    }


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


def quality_table(found: dict[str, dict], copied: dict[str, float]) -> str:
    """For the card."""
    rows = [
        [TRANSLATION[name], f"{of['parameters']:,}", of["bleu"], of["chrf"], of["bleu_greedy"], of["loss"]]
        for name, of in found.items()
    ]
    return table(
        ["model", "parameters", f"BLEU, beam {BEAM}", "chrF", "BLEU, greedy", "validation loss (nats a token)"],
        [*rows, ["the English sentence, copied", "–", copied["bleu"], copied["chrf"], "–", "–"]],
    )


def length_table(lengths: pd.DataFrame) -> str:
    """For the card: BLEU by words of the source."""
    names = list(dict.fromkeys(lengths.model))
    head = [f"{low}–{high}" for low, high in BUCKETS]
    return table(
        ["words", *head], [[TRANSLATION[name], *lengths[lengths.model == name].bleu.tolist()] for name in names]
    )


def alignment_table(file: Path) -> str:
    """For the card: alignment error rates on both test sets, from what training/translation_alignment.py wrote."""
    if not file.exists():
        return "(not measured yet)"
    found = json.loads(file.read_text())
    rows = []
    for name, title in TRANSLATION.items():
        best = found[name]
        way = "influence by the gradient" if name == "seq2seq" else "its one map"
        if name == "transformer":
            way = f"layer {best['layer']}, head {best['head']}, shift {best['shift']}"
            mean = found[name]["mean"]
            which = "all layers" if mean["layer"] == "mean" else f"layer {mean['layer']}"
            rows.append([title, f"mean of {which}, shift {mean['shift']}", mean["direction"], *_rates(mean)])
        rows.append([title, way, best["direction"], *_rates(best)])
    for name, title in (("IBM model 1", "IBM model 1, same pairs"), ("diagonal", "the diagonal")):
        rows.append([title, "–", "target", *_rates(found["baselines"][name])])
    return table(["model", "map", "links from", "AER, Hansards", "AER, stories"], rows)


def _rates(found: dict) -> list[str]:
    cells = []
    for text in ("hansards_enfr_test447", "alibi_enfr_stories"):
        of = found["agreement"][text]
        cells.append(f"{of['aer']:.3f} ({of['pairs']} pairs)")
    return cells


def cost_table(found: dict[str, dict]) -> str:
    """For the card: what training took."""
    return table(
        ["model", "training FLOPs", "seconds", "pairs a second"],
        [
            [TRANSLATION[name], f"{of['train_flops']:.2g}", of["seconds"], of["pairs_per_second"]]
            for name, of in found.items()
        ],
    )


CARD = """# translation

Three models that translate English into French, of three generations and one size: `core/models/seq2seq.py` (one fixed
vector, no attention), `core/models/bahdanau.py` (additive attention), `core/models/transformer.py` (encoder-decoder,
3 + 3 layers of 4 heads). They are here to be compared, and to be looked at while they write.

## Data and licence
Tatoeba's English-French sentence pairs (www.manythings.org/anki and tatoeba.org, CC BY 2.0): {learnt:,} pairs to learn
from; 2,000 English sentences each for validation and test, with all their French translations. The split is by English
sentence, capitals and signs aside, so that none is on two sides. Two different English sentences ("I'm late.", "I am
late.") may still have the same French one. The weights are released under the project's licence, with attribution to
Tatoeba's contributors.

## Held-out results
{sentences} English sentences, {references} French references; sacrebleu ({bleu_signature}; chrF: {chrf_signature}).

{quality}

Most sentences are short (6 words on average). BLEU by the number of words in the source, greedy; from 16 words on the
texts are test sentences joined to one ({texts} of each length):

{by_length}

## Alignments made by people
The models are made to write the given translation; pieces are merged to words. Map, shift (1: the row of the step that
has just read the word) and direction were chosen on 37 pairs of the Hansards; 0 is perfect. Parliament and tales are
far from Tatoeba's everyday sentences. `make bench-alignment DATA=...` recomputes it; `alignment.csv` has every layer
and head.

{alignments}

## What it cost, and how fair the comparison is
{cost}

The same pairs in the same order and batches, the same vocabulary (byte-pair encoding, {vocabulary} pieces for both
languages), the same number of steps, label smoothing of 0.1, parameters alike within 2 %; a quarter of the pairs are
read joined to texts of two to six sentences, so that length is not new to any of them. Not alike: dropout (0.1 in the
transformer, 0.2 in the others), the learning rate (0.0015 and 0.002), and the optimiser: the matrices inside the
transformer's blocks are trained by Muon, all else by AdamW. The seconds are those of a machine that did other work at
the same time; the FLOPs are counted.

## How it was made
`make train-translation DATA=...` (`python -m training.translation`), seed {seed}: {steps} steps ({epochs} epochs) of up
to {tokens} tokens, bfloat16 autocast, on {hardware}. torch {torch}.
"""
