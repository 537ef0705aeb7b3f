"""Measure `bert-pairs` on held-out sentences, and write its weights and card."""

import itertools
from pathlib import Path
from typing import Any, get_args

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from core.models.bert import PretrainingBERT
from core.models.stored_weights import load_weights
from core.translation.alignment import NO_LINKS, Agreement, Direction, agreement
from core.translation.both_languages import bert_alignment_maps
from core.translation.given_words import Pieces, links_between_words, maps_between_words, tokenize_words
from core.translation.spelling import normalise_english, normalise_french
from core.zoo.embedded import WEIGHTS, save_text
from training.common.card import save_card, table
from training.common.masking import Masking, number_of
from training.common.pairs import Split
from training.translation.alignment import CHOSEN_ON, SETS, Agreements, Way, read_gold, summary, with_means

SEED = 17  # of the words that are hidden


def report(model: PretrainingBERT, tokenizer: Tokenizer, split: Split, run: dict[str, Any], data: Path) -> None:
    """Write weights/bert-pairs/. `data`: the folder with word_alignments; `run`: the record of the training."""
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
    """Accuracy and perplexity on masked tokens of the test sentences, with and without the other language.

    15 % of the words of one language are masked, the same ones both times; none of the other language.
    """
    masking, ids = Masking(tokenizer), {name: number_of(tokenizer, name) for name in ("[CLS]", "[SEP]")}
    results: dict[str, dict[str, float]] = {}
    for language in ("English", "French"):
        generator = torch.Generator().manual_seed(SEED)
        sums = {"with the other language": [0, 0.0], "alone": [0, 0.0]}
        count = 0
        for english, french in split.test:
            sides = [tokenizer.encode(text, add_special_tokens=False).ids for text in (english, french[0])]
            own_ids, other_ids = sides if language == "English" else sides[::-1]
            hidden = masking.mask_words(torch.tensor([own_ids]), generator, always_masked=True)
            if not hidden.is_target.any() or len(own_ids) + len(other_ids) + 3 > model.config.context:
                continue
            places, targets = hidden.is_target[0].nonzero()[:, 0], torch.tensor(own_ids)[hidden.is_target[0]]
            count += len(targets)
            row = [ids["[CLS]"], *hidden.tokens[0].tolist(), ids["[SEP]"]]
            # What is hidden stands first: so its places are the same with the other language and without it.
            rows = {"with the other language": [*row, *other_ids, ids["[SEP]"]], "alone": row}
            for way, tokens in rows.items():
                segments = [0] * len(row) + [1] * (len(tokens) - len(row))
                logits = model(torch.tensor([tokens]), torch.tensor([segments]))[0, 1 + places].float()
                sums[way][0] += int((logits.argmax(dim=-1) == targets).sum())
                sums[way][1] += F.cross_entropy(logits, targets, reduction="sum").item()
        for way, (right, loss) in sums.items():
            results[f"{language}, {way}"] = {
                "tokens": count,
                "accuracy": round(right / count, 4),
                "perplexity": round(torch.tensor(loss / count).exp().item(), 2),
            }
    return results


def align(model: PretrainingBERT, tokenizer: Tokenizer, data: Path) -> dict[str, Any]:
    """The head whose strongest links between the languages agree best with those annotated by people: chosen on the 37
    pairs, reported on the others, as in training/translation/alignment.py."""
    agreements_by_text: dict[str, tuple[Agreements, int]] = {}
    for name in SETS:
        pairs, agreements = 0, dict[Way, Agreement]()
        for pair in read_gold(data / "word_alignments" / f"{name}.jsonl"):
            source = tokenize_words(tokenizer, pair.source, normalise_english, french=False)
            target = tokenize_words(tokenizer, pair.target, normalise_french, french=True)
            if max(len(source.ids) + 1, len(target.ids)) > model.config.context:  # each counts its places anew
                continue
            pairs += 1
            for way, links in _links(model, tokenizer, source, target).items():
                agreements[way] = agreements.get(way, NO_LINKS) + agreement(links, pair.sure, pair.possible)
        agreements_by_text[name] = agreements, pairs
    return {"chosen_on": CHOSEN_ON} | summary(agreements_by_text)


def _links(model: PretrainingBERT, tokenizer: Tokenizer, source: Pieces, target: Pieces) -> dict[Way, set]:
    words = maps_between_words(bert_alignment_maps(model, tokenizer, [(source, target)])[0], source, target)
    return {
        Way(layer, head, 0, direction): links_between_words(weights, source, target, direction)
        for (layer, head, weights), direction in itertools.product(with_means(words), get_args(Direction))
    }


def guesses_table(guesses: dict[str, dict[str, float]]) -> str:
    """The table of the card with the guesses."""
    rows = [[name, row["tokens"], row["accuracy"], row["perplexity"]] for name, row in guesses.items()]
    return table(["hidden words", "tokens", "right", "perplexity"], rows)


def alignment_table(aligned: dict[str, Any]) -> str:
    """The table of the card with the alignment error rates."""
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
