"""Measure `gpt-books` on texts it has not seen, and write its weights and card."""

import gzip
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Int
from tokenizers import Tokenizer
from torch import Tensor

from core.capture import record_attention
from core.heads import measures
from core.models.gpt import GPT
from core.models.gpt_rotary import RotaryGPT
from core.zoo.embedded import WEIGHTS, save_text
from training.common.card import save_card, table
from training.common.language import Trigram, bits
from training.common.stored import as_stored

PERIOD, PASSAGES = 64, 8  # repeated random tokens for the induction score


def report(
    model: GPT, books_alone: GPT, tokenizer: Tokenizer, tokens: np.ndarray, texts: dict[str, str], run: dict
) -> None:
    """Write weights/gpt-books/.

    `books_alone`: the model before the second part of its training; `tokens`: those of the training books, for the
    trigram baseline; `texts`: the held-out texts by name; `run`: the record of the training.
    """
    folder = WEIGHTS / "gpt-books"
    model.eval()
    half_precision = as_stored(model, folder / "model.safetensors", eight_bits=False)
    model = as_stored(model, folder / "model.safetensors", eight_bits=True)
    save_text(model, tokenizer, folder, eight_bits=True)
    trigram = Trigram(tokens, model.config.vocabulary)
    held_out, in_half_precision, of_books_alone = (
        {name: compare(network, trigram, tokenizer, text) for name, text in texts.items()}
        for network in (model, half_precision, books_alone.eval())
    )
    results = run | {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "held_out": held_out,
        "weights_stored_in": "8 bits",
        "half_precision": in_half_precision,
        "heads": score_heads(model),
        "copying": copying(model),
        "books_alone": {
            "held_out": of_books_alone,
            "heads": score_heads(books_alone),
            "copying": copying(books_alone),
        },
        "minutes": round(run["seconds"] / 60),
        "tokens_seen": run["plan"]["steps"] * run["batch"] * model.config.context,
    }
    tables = {
        "held_out_table": held_out_table(results),
        "heads_table": heads_table(results["heads"]),
        "copying_table": copying_table(results),
    }
    save_card(folder, CARD, results, tables)


def compare(model: GPT, trigram: Trigram, tokenizer: Tokenizer, text: str) -> dict[str, float]:
    """Bits per byte of the model and of the trigram baseline, and the model's perplexity per token."""
    tokens = np.array(tokenizer.encode(text).ids)
    size, total_bits = len(text.encode()), bits(model, tokens, model.config.context)
    return {
        "bits_per_byte": round(total_bits / size, 4),
        "trigram_bits_per_byte": round(trigram.bits(tokens) / size, 4),
        "perplexity_per_token": round(2 ** (total_bits / (len(tokens) - 1)), 2),
        "bytes": size,
    }


@torch.inference_mode()
def score_heads(model: GPT | RotaryGPT) -> list[dict]:
    """Previous-token and induction score of each head, on repeated random tokens."""
    with record_attention(model) as record:
        model(repeated_tokens(model.config.vocabulary))
    scores = []
    for layer, call in enumerate(record.calls):
        for head in range(call.heads):
            weights = torch.stack([call.weights(head=head, item=item) for item in range(PASSAGES)])
            scores.append(
                {
                    "layer": layer,
                    "head": head,
                    "previous_token": round(measures.previous_token(weights).mean().item(), 3),
                    "induction": round(measures.induction(weights, PERIOD).mean().item(), 3),
                }
            )
    return scores


@torch.inference_mode()
def copying(model: GPT) -> dict[str, float]:
    """The loss in nats a token of random tokens said twice, the first and the second time."""
    tokens = repeated_tokens(model.config.vocabulary)
    losses = F.cross_entropy(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:], reduction="none")
    return {
        "first": round(losses[:, : PERIOD - 1].mean().item(), 3),
        "second": round(losses[:, PERIOD:].mean().item(), 3),
    }


def repeated_tokens(vocabulary: int) -> Int[Tensor, "batch token"]:
    """Random tokens, each row said twice."""
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(1, vocabulary, (PASSAGES, PERIOD), generator=generator)
    return torch.cat([tokens, tokens], dim=1)


def held_out_table(results: dict) -> str:
    """The table of the card with the held-out texts."""
    header = [
        "text, never seen in training",
        "gpt-books, bits per byte",
        "in half precision",
        "taught by books alone",
        "trigram, bits per byte",
        "perplexity per token",
    ]
    rows = [
        [
            name,
            row["bits_per_byte"],
            results["half_precision"][name]["bits_per_byte"],
            results["books_alone"]["held_out"][name]["bits_per_byte"],
            row["trigram_bits_per_byte"],
            row["perplexity_per_token"],
        ]
        for name, row in results["held_out"].items()
    ]
    return table(header, rows)


def heads_table(heads: list[dict]) -> str:
    """The table of the card with the scores of all heads, one row a layer."""
    columns = 1 + max(score["head"] for score in heads)
    layers = [heads[start : start + columns] for start in range(0, len(heads), columns)]
    rows = [
        [number, *(f"{score['previous_token']:.2f} / {score['induction']:.2f}" for score in layer)]
        for number, layer in enumerate(layers)
    ]
    return table(["layer", *(f"head {head}" for head in range(columns))], rows)


def copying_table(results: dict) -> str:
    """The table of the card with what a repetition changes, before and after the second part of the training."""
    rows = []
    for name, figures in {"taught by books alone": results["books_alone"], "as it is now": results}.items():
        best = max(figures["heads"], key=lambda score: score["induction"])
        head = f"{best['induction']:.2f} (layer {best['layer']}, head {best['head']})"
        rows.append([name, head, figures["copying"]["first"], figures["copying"]["second"]])
    return table(["", "best induction score", "nats a token, said first", "said again"], rows)


def read_held_out(data: Path, book: str) -> dict[str, str]:
    """The held-out texts by name: the book, and the test split of WikiText-2."""
    return {
        "The Time Machine (H. G. Wells), whole": book,
        "WikiText-2, test split": gzip.decompress((data / "wikitext2_test.txt.gz").read_bytes()).decode(),
    }


CARD = """# gpt-books

A small GPT (`core/models/gpt.py`): {parameters:,} parameters, 6 layers of 6 heads, width 288, a context of 256 tokens,
byte-level BPE with 4,096 pieces. It continues English prose of the nineteenth century. It is small: it has learned
spelling, grammar and some style, and knows nothing of the world.

## Data and licence
39 books of Standard Ebooks (CC0; the texts are in the public domain in the United States), 44 million characters,
{tokens:,} tokens. Held out: *The Time Machine*. The weights are released under the project's licence.

## Held-out results
{held_out_table}

The weights are stored in 8 bits; all figures but those in half precision are of the stored ones.

The trigram model was trained on the same tokens, with Witten-Bell smoothing. WikiText-2 is modern encyclopedia text
in a tokenised spelling (` @-@ `, `<unk>`): far from the books, and shown to say so.

## Heads
Books alone gave so small a model no induction heads (Olsson et al. 2022). It then went on with windows of which a
quarter was random tokens said again and again, and another quarter held a piece of a book twice. On 64 random tokens
said twice:

{copying_table}

Previous-token share / induction score of all heads, on the same tokens (chance is about 0.01):

{heads_table}

## How it was made
`make train-gpt-books DATA=...` (`python -m training.gpt_books.train`), seed {plan[seed]}: {plan[steps]:,} steps of
{batch} x 256 tokens ({tokens_seen:,} tokens in all), Muon and AdamW, learning rate {plan[learning_rate]}, bfloat16
autocast, {minutes} minutes on {hardware}, shared with other work. Then {repeating[plan][steps]} steps of as many tokens
with repetitions, AdamW, learning rate {repeating[plan][learning_rate]}. torch {torch}.

The tables of Shrinking and of grammar (`core/results/shrinking_*.csv`, `grammar_heads.csv`), `gpt-books-long`, which
began with these weights, and the benchmarks are of the model before it learned repetitions.
"""
