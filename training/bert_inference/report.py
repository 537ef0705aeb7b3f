"""Measure `bert-inference` on held-out sentence pairs in two languages, beside baselines; write weights and card."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from core.models.bert import PretrainingBERT
from core.models.bert_inference import InferenceBERT
from core.models.stored_weights import load_weights
from core.probing.fine_tuning.inference import COMBINATIONS, pad_pairs
from core.results.bert_inference_results import BILINGUAL, ENGLISH
from core.results.result_files import error_of
from core.zoo import TextModel
from core.zoo.embedded import save_text
from training.bert_inference.baselines import logistic, majority
from training.bert_inference.data import SentencePair, Sick, encode_pairs
from training.common.card import save_card, table
from training.common.stored import as_stored

BATCH_SIZE = 64  # pairs
LEARNED = ("en-en",)


def measure(
    network: InferenceBERT, tokenizer: Tokenizer, pairs: Sequence[SentencePair], file: Path, *, eight_bits: bool
) -> dict[str, Any]:
    """Write the weights to a file, and measure those that stand there.

    Of weights in 8 bits those in half precision are measured too, in the languages of the training.
    """
    if not eight_bits:
        return {"test": right_shares(as_stored(network, file, eight_bits=False), tokenizer, pairs)}
    half_precision = right_shares(as_stored(network, file, eight_bits=False), tokenizer, pairs, LEARNED)
    stored = right_shares(as_stored(network, file, eight_bits=True), tokenizer, pairs)
    return {"test": stored, "half_precision": half_precision}


def right_shares(
    network: InferenceBERT,
    tokenizer: Tokenizer,
    pairs: Sequence[SentencePair],
    combinations: Sequence[str] = tuple(COMBINATIONS),
) -> dict[str, float]:
    """The share of pairs whose relation is predicted, for each combination of languages."""
    shares = {}
    for combination in combinations:
        predictions = predicted_relations(network, encode_pairs(pairs, tokenizer, combination))
        right = sum(prediction == pair.relation for prediction, pair in zip(predictions, pairs, strict=True))
        shares[combination] = round(right / len(pairs), 4)
    return shares


@torch.inference_mode()
def predicted_relations(network: InferenceBERT, encoded: Sequence[tuple[list[int], list[int]]]) -> list[int]:
    """The number of the most probable relation of each pair."""
    order = sorted(range(len(encoded)), key=lambda place: len(encoded[place][0]))
    predictions = [0] * len(encoded)
    for start in range(0, len(order), BATCH_SIZE):
        places = order[start : start + BATCH_SIZE]
        batch = pad_pairs([encoded[place] for place in places])
        numbers = network(batch.tokens, batch.segments, batch.padding).argmax(dim=-1)
        for place, number in zip(places, numbers.tolist(), strict=True):
            predictions[place] = number
    return predictions


def report(data: Sick, start: TextModel, run: Path, folder: Path) -> None:
    """Write weights/bert-inference/ from the results of each body that was trained, `bert-pairs` among them."""
    files = {body: run / body / "results.json" for body in (BILINGUAL, ENGLISH)}
    variants = {body: json.loads(file.read_text()) for body, file in files.items() if file.exists()}
    assert isinstance(start.network, PretrainingBERT)
    config = start.network.config
    network = load_weights(lambda: InferenceBERT(config), run / BILINGUAL / "model.safetensors")
    folder.mkdir(parents=True, exist_ok=True)
    save_text(network, start.tokenizer, folder, eight_bits=True)
    results = {
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "variants": variants,
        "logistic": logistic(data.train, data.test),
        "majority": majority(data.train, data.test),
        "pairs": len(data.test),
        "learned_pairs": len(data.train),
        "trial_pairs": len(data.trial),
        "weights_stored_in": "8 bits",
    }
    save_card(folder, CARD, results, texts_of(results))


def texts_of(results: Mapping[str, Any]) -> dict[str, str]:
    """The table of the card, and its texts about the trainings."""
    bilingual, english = (results["variants"].get(body) for body in (BILINGUAL, ENGLISH))
    return {
        "results_table": results_table(results),
        "majority_error": f"{error_of(results['majority'], results['pairs']):.1%}",
        "bilingual_run": run_text(bilingual),
        "english_run": f"From the weights of `bert-books`:\n{run_text(english)}.\n" if english else "",
        "english_text": ENGLISH_TEXT if english else "",
        "plan": f"{bilingual['plan']['steps']:,} steps, learning rate {bilingual['plan']['learning_rate']}",
        "seed": str(bilingual["plan"]["seed"]),
        "batch": str(bilingual["batch"]),
        "stopped": stopped_text(bilingual),
    }


def results_table(results: Mapping[str, Any]) -> str:
    """The table of the card: each network and baseline in the four combinations of languages."""
    variants, count = results["variants"], results["pairs"]
    rows = {
        "**fine-tuned `bert-pairs`**": variants[BILINGUAL]["test"],
        "the same, in half precision": variants[BILINGUAL]["half_precision"],
        "fine-tuned from the weights with which `bert-pairs` began": variants.get(ENGLISH, {}).get("test", {}),
        "logistic regression, shared words and negations": results["logistic"],
    }
    cells = [
        [
            name,
            *(
                f"{shares[key]:.1%} ± {error_of(shares[key], count):.1%}" if key in shares else ""
                for key in COMBINATIONS
            ),
        ]
        for name, shares in rows.items()
        if shares
    ]
    cells.append(["the most frequent relation, neutral", *[f"{results['majority']:.1%}"] * len(COMBINATIONS)])
    return table(["first and second sentence", *COMBINATIONS], cells)


def run_text(record: Mapping[str, Any]) -> str:
    """The chosen epoch of a training, with its accuracy on the trial split, and the minutes."""
    accuracies = ", ".join(f"{accuracy:.1%}" for accuracy in record["trial_by_epoch"])
    return f"epoch {record['epoch']} (after each epoch: {accuracies}), {record['seconds'] / 60:.0f} minutes"


ENGLISH_TEXT = """
The third row is the network of `bert-pairs` before it read English beside French: the weights of `bert-books`, with
random vectors for the tokens that `bert-books` does not have. It was tuned in the same way and measured in half
precision; its weights are not kept.
"""


def stopped_text(record: Mapping[str, Any]) -> str:
    """A sentence about a training that was stopped before the end of its plan; "" for others."""
    epochs, trained = record["epochs"], len(record["trial_by_epoch"])
    if trained >= epochs:
        return ""
    return f"The training was stopped after epoch {trained} of the {epochs} of its plan (`--until {trained}`).\n"


CARD = """# bert-inference

`bert-pairs` fine-tuned for natural language inference (`core/models/bert_inference.py`, {parameters:,} parameters):
does the second of two sentences follow from the first (entailment), contradict it, or neither (neutral)? The answer is
read off [CLS] (Devlin et al. 2018, section 4.1). It learned from English pairs alone and is asked in English, in
French, and with one sentence in each language.

## Data and licence
SICK (Marelli et al. 2014), CC BY-NC-SA 3.0: {learned_pairs:,} pairs to learn from, {trial_pairs} to choose the epoch,
{pairs:,} to test. French translations of the same pairs by Skandalis et al. 2024, with small errors; no French sentence
was learned from here. SICK is not part of the project. The weights are for non-commercial use, as SICK is.

Sentences of SICK end without a full stop, so that of a sentence is dropped before the model reads it.

## Held-out results
Right among the {pairs:,} test pairs, with standard errors, by the languages of the first and of the second sentence:

{results_table}

The share of the most frequent relation has a standard error of {majority_error}. The logistic regression was fitted on
the English pairs: shares of shared words, lengths, and whether there is a negation.
{english_text}
The weights are stored in 8 bits, and the first row was measured so.

## How it was made
`make train-bert-inference DATA=...` (`python -m training.bert_inference.train`), seed {seed}: {plan},
AdamW, batches of {batch} pairs; the epoch with the best accuracy on the English pairs of the trial split is kept.
{stopped}`bert-pairs`:
{bilingual_run}.
{english_run}On {hardware}, shared with other work. torch {torch}.
"""
