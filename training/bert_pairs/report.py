"""Measure `bert-pairs` on sentences that it has not seen, and write its weights and card."""

import itertools
from pathlib import Path
from typing import Any, get_args

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from core.models.bert import PretrainingBERT
from core.models.stored_weights import load_weights
from core.translation.alignment import NO_LINKS, Agreement, Direction, agreement
from core.translation.both_languages import read_both
from core.translation.given_words import Pieces, between_words, cut_words, links_between
from core.translation.spelling import normalise_english, normalise_french
from core.zoo.embedded import WEIGHTS, save_text
from training.common.card import save_card, table
from training.common.masking import Masking, number_of
from training.common.pairs import Split
from training.translation.alignment import CHOSEN_ON, SETS, Found, Way, read_gold, summary, with_means

SEED = 17  # of the words that are hidden


def report(model: PretrainingBERT, tokenizer: Tokenizer, split: Split, run: dict[str, Any], data: Path) -> None:
    """Write weights/bert-pairs/; `data` has the word_alignments, `run` is what the training said of itself."""
    save_text(model, tokenizer, WEIGHTS / "bert-pairs", eight_bits=True)
    # Measured as it is stored: in 8 bits it is not quite what was trained.
    load_weights(lambda: model, WEIGHTS / "bert-pairs" / "model.safetensors")
    guesses = guess(model, tokenizer, split)
    aligned = align(model, tokenizer, data)
    results = run | {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "guesses": guesses,
        "alignment": aligned,
        "minutes": round(run["seconds"] / 60),
    }
    tables = {"guesses_table": guesses_table(guesses), "alignment_table": alignment_table(aligned)}
    save_card(WEIGHTS / "bert-pairs", CARD, results, tables)


@torch.inference_mode()
def guess(model: PretrainingBERT, tokenizer: Tokenizer, split: Split) -> dict[str, dict[str, float]]:
    """How well hidden tokens of the test sentences are guessed, with the other language beside them and without it.

    15 % of the words of one language are hidden, the same ones both times; the other one is whole.
    """
    masking, ids = Masking(tokenizer), {name: number_of(tokenizer, name) for name in ("[CLS]", "[SEP]")}
    found: dict[str, dict[str, float]] = {}
    for language in ("English", "French"):
        generator = torch.Generator().manual_seed(SEED)
        sums = {"with the other language": [0, 0.0], "alone": [0, 0.0]}
        asked_of = 0
        for english, french in split.test:
            sides = [tokenizer.encode(text, add_special_tokens=False).ids for text in (english, french[0])]
            own, other = sides if language == "English" else sides[::-1]
            hidden = masking.hide(torch.tensor([own]), generator, always_masked=True)
            if not hidden.asked.any() or len(own) + len(other) + 3 > model.config.context:
                continue
            asked, true = hidden.asked[0].nonzero()[:, 0], torch.tensor(own)[hidden.asked[0]]
            asked_of += len(true)
            row = [ids["[CLS]"], *hidden.tokens[0].tolist(), ids["[SEP]"]]
            # What is hidden stands first: so its places are the same with the other language and without it.
            rows = {"with the other language": [*row, *other, ids["[SEP]"]], "alone": row}
            for way, tokens in rows.items():
                segments = [0] * len(row) + [1] * (len(tokens) - len(row))
                logits = model(torch.tensor([tokens]), torch.tensor([segments]))[0, 1 + asked].float()
                sums[way][0] += int((logits.argmax(dim=-1) == true).sum())
                sums[way][1] += F.cross_entropy(logits, true, reduction="sum").item()
        for way, (right, loss) in sums.items():
            found[f"{language}, {way}"] = {
                "tokens": asked_of,
                "accuracy": round(right / asked_of, 4),
                "perplexity": round(torch.tensor(loss / asked_of).exp().item(), 2),
            }
    return found


def align(model: PretrainingBERT, tokenizer: Tokenizer, data: Path) -> dict[str, Any]:
    """The head whose strongest links between the languages agree best with people's, by the protocol of Translation:
    chosen on the 37 pairs, reported on the others (training/translation/alignment.py)."""
    found: dict[str, tuple[Found, int]] = {}
    for name in SETS:
        used, agreements = 0, dict[Way, Agreement]()
        for pair in read_gold(data / "word_alignments" / f"{name}.jsonl"):
            source = cut_words(tokenizer, pair.source, normalise_english, french=False)
            target = cut_words(tokenizer, pair.target, normalise_french, french=True)
            if max(len(source.ids) + 1, len(target.ids)) > model.config.context:  # each counts its places anew
                continue
            used += 1
            for way, links in _links(model, tokenizer, source, target).items():
                agreements[way] = agreements.get(way, NO_LINKS) + agreement(links, pair.sure, pair.possible)
        found[name] = agreements, used
    return {"chosen_on": CHOSEN_ON} | summary(found)


def _links(model: PretrainingBERT, tokenizer: Tokenizer, source: Pieces, target: Pieces) -> dict[Way, set]:
    words = between_words(read_both(model, tokenizer, [(source, target)])[0], source, target)
    return {
        Way(layer, head, 0, direction): links_between(map_, source, target, direction)
        for (layer, head, map_), direction in itertools.product(with_means(words), get_args(Direction))
    }


def guesses_table(guesses: dict[str, dict[str, float]]) -> str:
    """The comparison for the card."""
    rows = [[name, row["tokens"], row["accuracy"], row["perplexity"]] for name, row in guesses.items()]
    return table(["hidden words", "tokens", "right", "perplexity"], rows)


def alignment_table(aligned: dict[str, Any]) -> str:
    """Error rates on each text."""
    rows = [[text, part["pairs"], part["aer"]] for text, part in aligned["agreement"].items()]
    return table(["text", "pairs", "alignment error rate"], rows)


CARD = """# bert-pairs

`bert-books` trained once more (`core/models/bert.py`, {parameters:,} parameters): an English sentence and its French
translation stand in one input, words are hidden on both sides, and what is hidden in one language can be read off the
other (translation language model, Lample and Conneau 2019, section 3.4). Its vocabulary is that of `translation`. The
weights are stored in 8 bits, and were measured so.

## Data and licence
Sentence pairs of Tatoeba (tatoeba.org, CC BY 2.0, as collected by www.manythings.org/anki): {learnt:,} pairs; 2,000
English sentences with their translations held out, the same as for `translation`. The weights are released under the
project's licence.

## Held-out results
15 % of the words of one language are hidden; the other language stands beside them, or does not:

{guesses_table}

What is guessed alone is a lower bound: in this training no sentence stood alone, so part of the difference is that one
sentence is strange to the model.

Alignment: the strongest links of layer {alignment[layer]}, head {alignment[head]}, from the French words to the English
ones, chosen on the first text (protocol of `translation`, training/translation/alignment.py):

{alignment_table}

## How it was made
`make train-bert-pairs DATA=...` (`python -m training.bert_pairs.train`), seed {plan[seed]}: {plan[steps]:,} steps
({epochs} epochs) from the weights of `bert-books`, Muon and AdamW, learning rate {plan[learning_rate]}, bfloat16
autocast, {minutes} minutes on {hardware}, shared with other work. torch {torch}.
"""
