"""Measure `gpt-books-long` on texts it has not seen, as far as 16,384 tokens, and write its weights and card."""

import gzip
import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import get_args

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from core.models.gpt_rotary import Extension, RotaryGPT, RotarySelfAttention
from core.zoo.embedded import WEIGHTS, save_text
from training.common.card import save_card, table
from training.common.language import bits
from training.common.stored import as_stored
from training.gpt_books.report import heads_table, score_heads

NAME = "gpt-books-long"
LENGTH = 16_384
EDGES = (0, 256, 1024, 2048, 4096, 8192, 16_384)  # of the ranges of positions
WINDOWED = "windows of 1,024"


def report(model: RotaryGPT, tokenizer: Tokenizer, book: str, data: Path, run: dict) -> None:
    """Write weights/gpt-books-long/. `book`: the held-out book; `data`: the folder with WikiText-2's test split."""
    folder = WEIGHTS / NAME
    model.eval()
    texts = {
        "The Time Machine (H. G. Wells), whole": book,
        "WikiText-2, test split": gzip.decompress((data / "wikitext2_test.txt.gz").read_bytes()).decode(),
    }
    half_precision = as_stored(model, folder / "model.safetensors", eight_bits=False)
    model = as_stored(model, folder / "model.safetensors", eight_bits=True)
    tokens = np.array(tokenizer.encode(book).ids)
    losses = by_position(model, tokens)
    best = min(get_args(Extension), key=lambda kind: losses[kind][-1])
    extend(model, best)
    save_text(model, tokenizer, folder, eight_bits=True)
    results = run | {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "minutes": round(run["seconds"] / 60),
        "tokens_seen": run["plan"]["steps"] * run["batch"] * model.config.trained,
        "held_out": {name: compare(model, tokenizer, text) for name, text in texts.items()},
        "weights_stored_in": "8 bits",
        "half_precision": {name: compare(half_precision, tokenizer, text) for name, text in texts.items()},
        "by_position": {
            "edges": EDGES,
            "windows": len(tokens) // (LENGTH + 1),
            "weights": "8 bits",
            "bits_per_token": losses,
        },
        "extension": best,
        "heads": score_heads(model),
    }
    sibling = json.loads((WEIGHTS / "gpt-books" / "results.json").read_text())["held_out"]
    tables = {
        "held_out_table": held_out_table(results, sibling),
        "position_table": position_table(losses),
        "heads_table": heads_table(results["heads"]),
    }
    save_card(folder, CARD, results, tables)


@torch.inference_mode()
def by_position(model: RotaryGPT, tokens: np.ndarray) -> dict[str, list[float]]:
    """Mean bits a token in each range of positions of windows of 16,384 tokens, for every extension.

    For WINDOWED of the same tokens in windows of 1,024 tokens, each predicted from at least 512.
    """
    count = len(tokens) // (LENGTH + 1)
    windows = torch.from_numpy(tokens[: count * (LENGTH + 1)].astype(np.int64)).view(count, LENGTH + 1)
    losses = {}
    for kind in get_args(Extension):
        extend(model, kind)
        losses[kind] = torch.stack([losses_of(model, window) for window in windows])
    losses[WINDOWED] = torch.stack([losses_of_windows(model, window) for window in windows])
    spans = list(pairwise(EDGES))
    return {kind: [round(of_windows[:, a:b].mean().item(), 4) for a, b in spans] for kind, of_windows in losses.items()}


def losses_of(model: RotaryGPT, window: torch.Tensor) -> torch.Tensor:
    """Bits of each token after the first, in one forward pass."""
    hidden = model.read(window[None, :-1])[0]
    # The scores of the whole vocabulary, 1,024 places at a time: all at once would be a quarter of a gigabyte.
    parts = [
        F.cross_entropy(F.linear(vectors, model.token_embedding.weight), following, reduction="none")
        for vectors, following in zip(hidden.split(1024), window[1:].split(1024), strict=True)
    ]
    return torch.cat(parts) / math.log(2)


def losses_of_windows(model: RotaryGPT, window: torch.Tensor) -> torch.Tensor:
    """Bits of each token after the first, with a new window every 512 tokens."""
    length, losses = model.config.trained, []
    for start in range(0, LENGTH, length // 2):
        part = losses_of(model, window[start : start + length + 1]) if start + length <= LENGTH else None
        if part is not None:
            losses.append(part if start == 0 else part[length // 2 :])
    return torch.cat(losses)


def extend(model: RotaryGPT, kind: Extension) -> None:
    """Set how the model extends its positions beyond the training length."""
    model.config = replace(model.config, extension=kind)
    for module in model.modules():
        if isinstance(module, RotarySelfAttention):
            module.extension = kind


def compare(model: RotaryGPT, tokenizer: Tokenizer, text: str) -> dict[str, float]:
    """Bits per byte, each token predicted from 512 to 1,023 others, and the perplexity per token."""
    tokens = np.array(tokenizer.encode(text).ids)
    size, total_bits = len(text.encode()), bits(model, tokens, model.config.trained)
    return {
        "bits_per_byte": round(total_bits / size, 4),
        "perplexity_per_token": round(2 ** (total_bits / (len(tokens) - 1)), 2),
        "bytes": size,
    }


def held_out_table(results: dict, sibling: dict) -> str:
    """The table of the card: beside `gpt-books` and the trigram model on the same texts."""
    rows = [
        [
            name,
            row["bits_per_byte"],
            results["half_precision"][name]["bits_per_byte"],
            sibling[name]["bits_per_byte"],
            sibling[name]["trigram_bits_per_byte"],
            row["perplexity_per_token"],
        ]
        for name, row in results["held_out"].items()
    ]
    header = ["text, never seen in training", f"{NAME}, bits per byte", "in half precision", "gpt-books", "trigram"]
    return table([*header, "perplexity per token"], rows)


def position_table(losses: dict[str, list[float]]) -> str:
    """The table of the card: a row for each extension, a column for each range of positions."""
    names = {"none": "rotary, as trained", "ntk": "NTK-aware", "yarn": "YaRN"}
    header = ["bits a token at", *(f"{a:,} to {b - 1:,}" for a, b in pairwise(EDGES))]
    return table(header, [[names.get(kind, kind), *(f"{value:.2f}" for value in row)] for kind, row in losses.items()])


CARD = """# gpt-books-long

A small GPT with rotary positions (`core/models/gpt_rotary.py`): {parameters:,} parameters, 6 layers of 6 heads, width
288, byte-level BPE with 4,096 pieces, the sibling of `gpt-books`. It was trained on 1,024 tokens at once and takes
up to 131,072 (measured below up to 16,384), for which the rotation is slowed down as far as a text needs it
({extension}). It is the model that long texts use here.

## Data and licence
39 books of Standard Ebooks (CC0; the texts are in the public domain in the United States), {tokens:,} tokens, the
same as for `gpt-books`, from whose weights it started (without the learned positions). Held out: *The Time Machine*.
The weights are released under the project's licence.

## Held-out results
{held_out_table}

The weights are stored in 8 bits, and were measured so where nothing else is said.

## Long texts
Bits a token by position, in whole windows of 16,384 tokens of *The Time Machine*, the same tokens in each row; the last
row reads at most 1,024 tokens at once. The weights were those in {by_position[weights]}.

{position_table}

## Heads
Previous-token share / induction score, on 64 random tokens said twice (chance is about 0.01):

{heads_table}

## How it was made
`make train-gpt-books-long DATA=...` (`python -m training.gpt_books_long.train`), seed {plan[seed]}: {plan[steps]:,}
steps of {batch} x 1,024 tokens ({tokens_seen:,} tokens in all, after those of `gpt-books`), Muon and AdamW,
learning rate {plan[learning_rate]}, bfloat16 autocast, {minutes} minutes on {hardware}, shared with other
work. torch {torch}.
"""
