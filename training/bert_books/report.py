"""Measure `bert-books` on a book that it has not seen, and write its weights and card."""

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from core.models.bert import PretrainingBERT
from core.zoo.embedded import WEIGHTS, save_text
from training.bert_books.data import Batches, Sentences
from training.common.card import save_card, table
from training.common.language import TwoSided
from training.common.masking import Hidden, Masking, number_of

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
    """Write weights/<name>/: `books` are those of the training (for the baselines), `run` is what it said of itself."""
    folder = WEIGHTS / name
    model.eval()
    save_text(model, tokenizer, folder)
    words, baselines = guess(model, tokenizer, books, held_out)
    results = run | {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "hidden_words": words,
        "baselines": baselines,
        "next_sentence": next_sentence(model, tokenizer, held_out),
        "minutes": round(run["seconds"] / 60),
        "tokens_seen": run["plan"]["steps"] * run["batch"],
    }
    save_card(folder, CARD, results, {"words_table": words_table(words, baselines), "name": name})


@torch.inference_mode()
def guess(
    model: PretrainingBERT, tokenizer: Tokenizer, books: Sentences, held_out: Sentences
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """How well hidden tokens are guessed: by the model everywhere, and beside the baselines where these can.

    The book is read in windows; a word in seven is hidden, whatever is asked for becomes [MASK]. The baselines look at
    the token on the left and the token on the right, so they are asked where both of them can be seen.
    """
    masking, (tokens, hidden) = Masking(tokenizer), questions(tokenizer, held_out)
    said = torch.cat([model(part) for part in hidden.tokens.split(16)])[hidden.asked]
    true, whole = tokens[hidden.asked], masking.words(tokens)[hidden.asked]
    losses, right = F.cross_entropy(said.float(), true, reduction="none"), said.argmax(dim=-1) == true
    row = hidden.asked.nonzero()[:, 0]
    words = (row * WINDOW + whole).unique(return_inverse=True)[1]
    all_right = torch.ones(int(words.max()) + 1).scatter_reduce(0, words, right.float(), "amin")
    seen = ~hidden.asked & ~masking.special[tokens]
    alone = torch.zeros_like(seen)
    alone[:, 1:-1] = seen[:, :-2] & seen[:, 2:]
    between = alone[hidden.asked]
    left, right_of_it = (tokens.roll(shift, 1)[hidden.asked][between].numpy() for shift in (1, -1))
    two_sided = TwoSided(books.tokens, masking.vocabulary)
    chances, best = two_sided.guess(left, right_of_it, true[between].numpy())
    frequent = int(np.bincount(books.tokens).argmax())
    figures = {
        "tokens": len(true),
        "accuracy": round(right.float().mean().item(), 4),
        "words": len(all_right),
        "words_accuracy": round(all_right.mean().item(), 4),
        "perplexity": round(losses.mean().exp().item(), 2),
    }
    return figures, {
        "the model": _figures(right[between].numpy(), losses[between].numpy()),
        "trigram with both neighbours": _figures(best == true[between].numpy(), -np.log(chances)),
        "most frequent token": _figures(
            true[between].numpy() == frequent, -np.log(two_sided.alone[true[between].numpy()])
        ),
    }


def questions(tokenizer: Tokenizer, held_out: Sentences) -> tuple[Tensor, Hidden]:
    """The book in windows, special tokens included, and the same with a word in seven hidden."""
    masking, begin, separator = Masking(tokenizer), number_of(tokenizer, "[CLS]"), number_of(tokenizer, "[SEP]")
    room = WINDOW - 2
    rows = held_out.tokens[: len(held_out.tokens) // room * room].reshape(-1, room).astype(np.int64)
    edge = np.ones((len(rows), 1), np.int64)
    tokens = torch.from_numpy(np.concatenate([begin * edge, rows, separator * edge], axis=1))
    hidden = masking.hide(tokens, torch.Generator().manual_seed(SEED), always_masked=True)
    return tokens, hidden


def _figures(right: np.ndarray, losses: np.ndarray) -> dict[str, float]:
    return {
        "tokens": len(right),
        "accuracy": round(float(right.mean()), 4),
        "perplexity": round(math.exp(float(losses.mean())), 2),
    }


@torch.inference_mode()
def next_sentence(model: PretrainingBERT, tokenizer: Tokenizer, held_out: Sentences) -> dict[str, float]:
    """How often it is right whether a text follows another one, of pairs of which half do."""
    batches, right, asked = Batches(held_out, tokenizer, tokens=2048, seed=SEED), 0, 0
    for step in range(10_000):
        batch = batches.batch(step, pairs=True)
        assert batch.another is not None
        if batch.read.shape[1] < WINDOW:
            continue
        whole = torch.where(batch.hidden >= 0, batch.hidden, batch.read)  # nothing is hidden here
        guessed = model.next_sentence(model.bert(whole, batch.segments)).argmax(dim=-1)
        right, asked = right + int((guessed == batch.another).sum()), asked + len(guessed)
        if asked >= PAIRS:
            break
    return {"pairs": asked, "accuracy": round(right / asked, 4)}


def words_table(words: dict[str, float], baselines: dict[str, dict[str, float]]) -> str:
    """The comparison for the card."""
    rows = [
        [f"{name}, tokens between two that are seen", figures["tokens"], figures["accuracy"], figures["perplexity"]]
        for name, figures in baselines.items()
    ]
    rows.append(["the model, all hidden tokens", words["tokens"], words["accuracy"], words["perplexity"]])
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

## How it was made
`make train-bert-books DATA=...` (`python -m training.bert_books.train`), seed {plan[seed]}: {plan[steps]:,} steps of
about {batch:,} tokens ({tokens_seen:,} in all), in rows of 16 to 128 tokens; three of four batches are pairs of texts.
Whole words are hidden with the probability 15 %: 80 % of their tokens become [MASK], 10 % any other. Muon
and AdamW, learning rate {plan[learning_rate]}, bfloat16 autocast, {minutes} minutes on {hardware}, shared
with other work. torch {torch}. """
