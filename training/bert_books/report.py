"""Measure `bert-books` on a book that it has not seen, and write its weights and card."""

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from core.models.bert import PretrainingBERT
from core.results.result_files import error_of
from core.zoo.embedded import WEIGHTS, save_text
from training.bert_books.data import Batches, Sentences
from training.common.card import save_card, table
from training.common.language import TwoSided
from training.common.masking import MaskedBatch, Masking, number_of
from training.common.stored import as_stored

WINDOW, SEED = 128, 17  # tokens that are read at once, special ones included; of the words that are hidden
PAIRS = 1000


def report(
    name: str,
    model: PretrainingBERT,
    tokenizer: Tokenizer,
    books: Sentences,
    held_out: Sentences,
    run: dict[str, Any],
) -> None:
    """Write weights/<name>/. `books`: the training texts, for the baselines; `run`: the record of the training."""
    folder = WEIGHTS / name
    model.eval()
    half_precision = as_stored(model, folder / "model.safetensors", eight_bits=False)
    model = as_stored(model, folder / "model.safetensors", eight_bits=True)
    save_text(model, tokenizer, folder, eight_bits=True)
    words, baselines = guess(model, tokenizer, books, held_out)
    results = run | {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "hidden_words": words,
        "baselines": baselines,
        "next_sentence": next_sentence(model, tokenizer, held_out),
        "weights_stored_in": "8 bits",
        "half_precision": {
            "hidden_words": guess(half_precision, tokenizer, books, held_out)[0],
            "next_sentence": next_sentence(half_precision, tokenizer, held_out),
        },
        "minutes": round(run["seconds"] / 60),
        "tokens_seen": run["plan"]["steps"] * run["batch"],
    }
    save_card(folder, CARD, results, tables_of(results) | {"name": name})


def tables_of(results: dict[str, Any]) -> dict[str, Any]:
    """The table of the card, and the standard error of the share of hidden tokens that are guessed right."""
    words = results["hidden_words"]
    table_of_words = words_table(words, results["baselines"], results["half_precision"]["hidden_words"])
    return {"words_table": table_of_words, "error": error_of(words["accuracy"], words["tokens"])}


@torch.inference_mode()
def guess(
    model: PretrainingBERT, tokenizer: Tokenizer, books: Sentences, held_out: Sentences
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Accuracy and perplexity on masked tokens: of the model on all of them, and of all methods where both neighbours
    are visible.

    The book is read in windows; 15 % of the words are masked. The baselines use the tokens on both sides.
    """
    masking, (tokens, hidden) = Masking(tokenizer), questions(tokenizer, held_out)
    logits = torch.cat([model(part) for part in hidden.tokens.split(16)])[hidden.is_target]
    true, word_numbers = tokens[hidden.is_target], masking.words(tokens)[hidden.is_target]
    losses, right = F.cross_entropy(logits.float(), true, reduction="none"), logits.argmax(dim=-1) == true
    row = hidden.is_target.nonzero()[:, 0]
    words = (row * WINDOW + word_numbers).unique(return_inverse=True)[1]
    all_right = torch.ones(int(words.max()) + 1).scatter_reduce(0, words, right.float(), "amin")
    visible = ~hidden.is_target & ~masking.special[tokens]
    has_visible_neighbours = torch.zeros_like(visible)
    has_visible_neighbours[:, 1:-1] = visible[:, :-2] & visible[:, 2:]
    comparable = has_visible_neighbours[hidden.is_target]
    preceding, following = (tokens.roll(shift, 1)[hidden.is_target][comparable].numpy() for shift in (1, -1))
    two_sided = TwoSided(books.tokens, masking.vocabulary)
    probabilities, best = two_sided.guess(preceding, following, true[comparable].numpy())
    frequent = int(np.bincount(books.tokens).argmax())
    figures = {
        "tokens": len(true),
        "accuracy": round(right.float().mean().item(), 4),
        "words": len(all_right),
        "words_accuracy": round(all_right.mean().item(), 4),
        "perplexity": round(losses.mean().exp().item(), 2),
    }
    return figures, {
        "the model": _figures(right[comparable].numpy(), losses[comparable].numpy()),
        "trigram with both neighbours": _figures(best == true[comparable].numpy(), -np.log(probabilities)),
        "most frequent token": _figures(
            true[comparable].numpy() == frequent, -np.log(two_sided.alone[true[comparable].numpy()])
        ),
    }


def questions(tokenizer: Tokenizer, held_out: Sentences) -> tuple[Tensor, MaskedBatch]:
    """The book in windows, special tokens included, and the same windows with 15 % of the words masked."""
    masking, begin, separator = Masking(tokenizer), number_of(tokenizer, "[CLS]"), number_of(tokenizer, "[SEP]")
    room = WINDOW - 2
    rows = held_out.tokens[: len(held_out.tokens) // room * room].reshape(-1, room).astype(np.int64)
    edge = np.ones((len(rows), 1), np.int64)
    tokens = torch.from_numpy(np.concatenate([begin * edge, rows, separator * edge], axis=1))
    hidden = masking.mask_words(tokens, torch.Generator().manual_seed(SEED), always_masked=True)
    return tokens, hidden


def _figures(right: np.ndarray, losses: np.ndarray) -> dict[str, float]:
    return {
        "tokens": len(right),
        "accuracy": round(float(right.mean()), 4),
        "perplexity": round(math.exp(float(losses.mean())), 2),
    }


@torch.inference_mode()
def next_sentence(model: PretrainingBERT, tokenizer: Tokenizer, held_out: Sentences) -> dict[str, float]:
    """Accuracy of next-sentence prediction on pairs of which half follow each other."""
    batches, right, pairs = Batches(held_out, tokenizer, tokens=2048, seed=SEED), 0, 0
    for step in range(10_000):
        batch = batches.batch(step, pairs=True)
        assert batch.next_sentence_labels is not None
        if batch.read.shape[1] < WINDOW:
            continue
        tokens = torch.where(batch.targets >= 0, batch.targets, batch.read)  # without masks
        predictions = model.next_sentence(model.bert(tokens, batch.segments)).argmax(dim=-1)
        right, pairs = right + int((predictions == batch.next_sentence_labels).sum()), pairs + len(predictions)
        if pairs >= PAIRS:
            break
    return {"pairs": pairs, "accuracy": round(right / pairs, 4)}


def words_table(
    words: dict[str, float], baselines: dict[str, dict[str, float]], half_precision: dict[str, float]
) -> str:
    """The table of the card."""
    rows = [
        [f"{name}, tokens between two that are seen", figures["tokens"], figures["accuracy"], figures["perplexity"]]
        for name, figures in baselines.items()
    ]
    for name, figures in {"": words, ", in half precision": half_precision}.items():
        label = f"the model, all hidden tokens{name}"
        rows.append([label, figures["tokens"], figures["accuracy"], figures["perplexity"]])
    rows.append(["the model, whole words", words["words"], words["words_accuracy"], ""])
    return table(["hidden in *The Time Machine*", "number", "right", "perplexity"], rows)


CARD = """# {name}

A small BERT (`core/models/bert.py`): {parameters:,} parameters, 6 layers of 6 heads, width 288, a context of 128
tokens, and the tokens of `gpt-books` with [PAD], [CLS], [SEP] and [MASK] after them. It guesses hidden words of English
prose of the nineteenth century, and whether a text follows another. It knows nothing of the world.

## Data and licence
39 books of Standard Ebooks (CC0; the texts are in the public domain in the United States), {tokens:,} tokens. Held out:
*The Time Machine*. The weights are released under the project's licence.

## Held-out results
{words_table}

15 % of the words are hidden, whole ones, in windows of 128 tokens. The trigram with both neighbours (left, word, right)
was counted on the same books and falls back, by Witten-Bell smoothing, on the product of what follows the left one and
what comes before the right one. The most frequent token is always the same; its perplexity is that of the shares of all
tokens.

Whether the second of two texts of the same book follows the first ({next_sentence[pairs]} pairs, half of them do):
right in {next_sentence[accuracy]:.1%}, where chance is 50 %. In training the second text came from any book.

The weights are stored in 8 bits, and were measured so except for one row (standard error of the share of hidden tokens:
{error:.1%}). In half precision {half_precision[next_sentence][accuracy]:.1%} of the pairs are right.

## How it was made
`make train-bert-books DATA=...` (`python -m training.bert_books.train`), seed {plan[seed]}: {plan[steps]:,} steps of
about {batch:,} tokens ({tokens_seen:,} in all), in rows of 16 to 128 tokens; three of four batches are pairs of texts.
Whole words are hidden with the probability 15 %: 80 % of their tokens become [MASK], 10 % any other. Muon
and AdamW, learning rate {plan[learning_rate]}, bfloat16 autocast, {minutes} minutes on {hardware}, shared
with other work. torch {torch}.
"""
