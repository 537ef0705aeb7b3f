"""The card of the captioners: its text, and its tables from results.json."""

import textwrap
from typing import Any

from core.published import caption_results
from core.results.captioning_results import GATED, GREEDY, OPEN_FOR, SCENES
from core.results.result_files import error_of
from core.zoo.captioners import CAPTIONERS
from training.captioning.train import NAMES
from training.common.card import table

KINDS = ("colour", "shape", "size", "texture", "number", "relation", "superlative", "negation")  # in the card

CARD = """# captioning

Captioners: `core/models/show_attend_tell.py` (Xu et al. 2015: an LSTM with soft attention, a gate and the doubly
stochastic term) and `core/models/caption_transformer.py` (a transformer's decoder over the same places). Two for
photographs, two for drawn scenes (`core/scenes/`). Photographs are seen by `efficientnet-lite0`, which others
trained on ImageNet, at 224 x 224 pixels, 14 x 14 places; it did not learn on, and is not in these files. Scenes are
seen by a small convolutional body that learned with its decoder. The doubly stochastic term weighs 0.1, 1 in the paper.
All are stored in 8 bits, and were measured so.

## Data and licence
Flickr8k (Hodosh, Young and Hockenmaier 2013): 6,000 photographs with five captions each, 192 x 192 pixels, for research
and education; no photograph is part of the project. Words of fewer than five captions are unknown. Scenes are drawn
for each step. The weights are released for the same use as the photographs.

## Held-out results
The 1,000 test photographs of Flickr8k with five references each, a beam of 3, or greedily. BLEU by sacrebleu without a
tokenisation of its own: words are what stands between spaces, in lower case, without signs; chrF by sacrebleu; CIDEr by
pycocoevalcap.

{photographs}

Xu et al., too, saw photographs of 224 pixels with a network that had learned on ImageNet. "Nearest neighbour" copies a
caption of the photograph of training whose mean features are most similar.

500 drawn scenes of each split, a beam of 3: the share of captions that are true of their scene, checked by the grammar
(standard error: {scenes_error} at most); then of those that have a word of a kind. "pairs": a colour and a shape that
no scene of training joined; "four": four things, where training had three at most. What the split "relations" holds out
are sentences, not pictures.

{scenes}

{gates}

## Training
{runs}

In their last 150 steps those for photographs also learned from pictures of Tiny ImageNet whose class has a name in the
words of the captions ("a cat"), a sixth of each batch. The features that they learned from were computed before
`efficientnet-lite0` was stored in 8 bits.

    python -m training.captioning.train --data PATH
    python -m training.captioning.report --data PATH

Seed 0, {hardware}; torch {torch}.
"""


def tables_of(results: dict[str, Any]) -> dict[str, str]:
    """The tables of the card."""
    trained = {CAPTIONERS[name]: results[name]["results"] for name in NAMES if name in results}
    of_photographs = {name: scores for name, scores in trained.items() if "BLEU-4" in scores} | results["baselines"]
    measures = ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "chrF", "CIDEr"]
    rows = [
        [name + ending, *(f"{scores[before + measure]:.1f}" for measure in measures)]
        for name, scores in of_photographs.items()
        for before, ending in (("", ""), (GREEDY, ", greedy"))
        if before + "BLEU-4" in scores
    ]
    for published in caption_results():
        bleu = (published.bleu_1, published.bleu_2, published.bleu_3, published.bleu_4)
        rows.append([f"{published.model} ({published.source})", *(f"{value:.1f}" for value in bleu), "", ""])
    scenes_rows = [
        [
            CAPTIONERS[name],
            split,
            f"{shares['true']:.1%}",
            f"{results[name]['half_precision'][split]['true']:.1%}",
            *(f"{shares[kind]:.1%}" if kind in shares else "" for kind in KINDS),
        ]
        for name in NAMES
        if "half_precision" in results.get(name, {})
        for split, shares in results[name]["results"].items()
    ]
    errors = [
        error_of(shares["true"], SCENES)
        for scores in trained.values()
        if "BLEU-4" not in scores
        for shares in scores.values()
    ]
    runs = [
        [CAPTIONERS[name], f"{run['parameters']:,}", run["plan"]["steps"], f"{run['seconds'] / 60:.0f}"]
        for name, run in results.items()
        if "plan" in run
    ]
    return {
        "photographs": table(["", *measures], rows),
        "scenes": table(["", "split", "true", "in half precision", *KINDS], scenes_rows),
        "scenes_error": f"{max(errors):.1%}",
        "runs": table(["", "parameters", "steps", "minutes"], runs),
        "gates": gates_in_words(results.get(GATED, {}).get("gates")),
    }


def gates_in_words(gates: dict[str, Any] | None) -> str:
    """A sentence of the card about the results of `training.captioning.gates`."""
    if not gates:
        return "How far the LSTM's gate stands open was not measured (`python -m training.captioning.gates`)."
    means = ", ".join(
        f'{opening["mean"]:.1%} for "{word}"' for word, opening in gates["open"].items() if word in OPEN_FOR
    )
    every = gates["open"]["all words"]
    text = (
        f"How far the gate of the LSTM stands open while it describes {gates['photographs']} test photographs: "
        f"{every['mean']:.1%} on average over {every['words']:,} words, {means}; for "
        f"{gates['less than half open']} words it is less than half open (`python -m training.captioning.gates`)."
    )
    return textwrap.fill(text, 120)
