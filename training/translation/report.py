"""Write the weights, results and card of the translators."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
from tokenizers import Tokenizer

from core.models.stored_weights import save_weights
from core.results.translator_results import MEAN, alignment
from core.zoo import TRANSLATION
from core.zoo.embedded import WEIGHTS
from training.common import pairs
from training.common.card import save_card, table, write_card
from training.translation.quality import BEAM, BUCKETS, Trained, scores, signatures


def report(trained: dict[str, Trained], tokenizer: Tokenizer, split: pairs.Split, record: dict) -> None:
    """Write weights/translation/: weights, config, tokenizer, results, length curve, card."""
    folder = WEIGHTS / "translation"
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    for name, model in trained.items():
        save_weights(model.network, folder / f"{name}.safetensors", eight_bits=True)
    sizes = {name: asdict(model.network.config) for name, model in trained.items()}
    (folder / "config.json").write_text(json.dumps(sizes, indent=1) + "\n")
    results_by_model = {name: model.measured for name, model in trained.items()}
    lengths = pd.DataFrame([{"model": name} | row for name, model in trained.items() for row in model.lengths])
    lengths.to_csv(folder / "length.csv", index=False)
    references = [french for _, french in split.test]
    copy_scores = scores([english for english, _ in split.test], references)
    results = record | {
        "models": results_by_model,
        "baselines": {"copy the source": copy_scores},
        "sentences": len(split.test),
        "references": sum(map(len, references)),
        "signature": signatures(references),
        "weights_stored_in": "8 bits",
        "half_precision": {name: model.half_precision for name, model in trained.items()},
    }
    save_card(folder, CARD, results, tables_of(results, lengths, folder))


def write_translation_card(folder: Path) -> None:
    """Write the card from the results in the folder; nothing where there are none."""
    if (folder / "results.json").exists():
        results, lengths = json.loads((folder / "results.json").read_text()), pd.read_csv(folder / "length.csv")
        write_card(folder, CARD, tables_of(results, lengths, folder))


def tables_of(results: dict, lengths: pd.DataFrame, folder: Path) -> dict[str, str]:
    """The tables of the card."""
    models = results["models"]
    return {
        "quality": quality_table(models, results["half_precision"], results["baselines"]["copy the source"]),
        "errors": errors_text(models),
        "by_length": length_table(lengths),
        "cost": cost_table(models),
        "alignments": alignment_table(folder),
        "bleu_signature": results["signature"]["bleu"],
        "chrf_signature": results["signature"]["chrf"],
    }


def quality_table(models: dict[str, dict], half_precision: dict[str, dict], copied: dict[str, float]) -> str:
    """The table of the card with the quality of all models."""
    measures = ("bleu", "chrf", "bleu_greedy", "loss")
    rows = [
        [f"{TRANSLATION[name]}{ending}", f"{model['parameters']:,}", *(scores[measure] for measure in measures)]
        for name, model in models.items()
        for ending, scores in {"": model, ", in half precision": half_precision[name]}.items()
    ]
    return table(
        ["model", "parameters", f"BLEU, beam {BEAM}", "chrF", "BLEU, greedy", "validation loss (nats a token)"],
        [*rows, ["the English sentence, copied", "–", copied["bleu"], copied["chrf"], "–", "–"]],
    )


def errors_text(models: dict[str, dict]) -> str:
    """For the card: the smallest and the largest standard error of a greedy BLEU."""
    errors = sorted(model["bleu_greedy_error"] for model in models.values())
    return f"{errors[0]} to {errors[-1]}"


def length_table(lengths: pd.DataFrame) -> str:
    """For the card: BLEU by words of the source."""
    names = list(dict.fromkeys(lengths.model))
    head = [f"{low}–{high}" for low, high in BUCKETS]
    return table(
        ["words", *head], [[TRANSLATION[name], *lengths[lengths.model == name].bleu.tolist()] for name in names]
    )


def alignment_table(folder: Path) -> str:
    """For the card: alignment error rates on both test sets, from what training/translation/alignment.py wrote."""
    if not (folder / "alignment.json").exists():
        return "(not measured yet)"
    alignments = alignment(folder)
    rows = []
    for name, title in TRANSLATION.items():
        best = alignments.models[name]
        way = "influence by the gradient" if name == "seq2seq" else "its one map"
        if name == "transformer":
            way = f"layer {best['layer']}, head {best['head']}, shift {best['shift']}"
            mean = best["mean"]
            which = "all layers" if mean["layer"] == MEAN else f"layer {mean['layer']}"
            rows.append(
                [title, f"mean of {which}, shift {mean['shift']}", mean["direction"], *_rates(mean["agreement"])]
            )
        rows.append([title, way, best["direction"], *_rates(best["agreement"])])
    for name, title in (("IBM model 1", "IBM model 1, same pairs"), ("diagonal", "the diagonal")):
        rows.append([title, "–", "target", *_rates(alignments.baselines[name])])
    return table(["model", "map", "links from", "AER, Hansards", "AER, stories"], rows)


def _rates(agreement: Mapping[str, Mapping[str, Any]]) -> list[str]:
    texts = (agreement[text] for text in ("hansards_enfr_test447", "alibi_enfr_stories"))
    return [f"{agreement_on_text['aer']:.3f} ({agreement_on_text['pairs']} pairs)" for agreement_on_text in texts]


def cost_table(models: dict[str, dict]) -> str:
    """For the card: the cost of the training."""
    return table(
        ["model", "training FLOPs", "seconds", "pairs a second"],
        [
            [TRANSLATION[name], f"{model['train_flops']:.2g}", model["seconds"], model["pairs_per_second"]]
            for name, model in models.items()
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

The weights are stored in 8 bits, and the figures of the models were measured so, except for the rows in half precision.
The standard error of a greedy BLEU is {errors} (1,000 bootstrap samples of the sentences).

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
`make train-translation DATA=...` (`python -m training.translation.train`), seed {seed}: {steps} steps ({epochs} epochs)
of up to {tokens} tokens, bfloat16 autocast, on {hardware}. torch {torch}.
"""
