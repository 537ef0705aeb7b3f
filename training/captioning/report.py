"""Measure captioners: captions of photographs against five references, captions of scenes by whether they are true.

BLEU is sacrebleu's corpus score with one to four words (words of `training.captioning.data.words_of`, no other
tokenisation), chrF sacrebleu's, CIDEr pycocoevalcap's.

    python -m training.captioning.report --data PATH
"""

import argparse
import json
import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from pycocoevalcap.cider.cider import Cider
from sacrebleu.metrics import BLEU, CHRF
from torch import nn

from core.errors import InputError
from core.models.captioner import Captioner
from core.models.stored_weights import load_weights
from core.published import caption_results
from core.results.captioning_results import GATED, GREEDY, OPEN_FOR
from core.scenes.draw import draw
from core.scenes.sentences import parse
from core.scenes.things import HELD_OUT
from core.scenes.truth import is_true, meanings
from core.translation.decoding import UNKNOWN, beam_search
from core.zoo.captioners import CAPTIONERS
from core.zoo.embedded import WEIGHTS
from training.captioning.data import LONGEST, SIDE, Captioned, photograph_places, read_flickr
from training.captioning.train import NAMES, WORLDS, TrainingSetup, make_network
from training.common.card import install, save_card, table
from training.common.command_line import TRAINED, CommandLine
from training.common.data_sets import FLICKR8K
from training.common.scenes import normalise, scene_with_sentence

BEAM, SCENES, TOGETHER = 3, 500, 50
OUT = WEIGHTS / "captioning"
SHOWN = ("colour", "shape", "size", "texture", "number", "relation", "superlative", "negation")  # in the card

CARD = """# captioning

Captioners: `core/models/show_attend_tell.py` (Xu et al. 2015: an LSTM with soft attention, a gate and the doubly
stochastic term) and `core/models/caption_transformer.py` (a transformer's decoder over the same places). Two for
photographs, two for drawn scenes (`core/scenes/`). Photographs are seen by `efficientnet-lite0`, which others
trained on ImageNet, at 224 x 224 pixels, 14 x 14 places; it did not learn on, and is not in these files. Scenes are
seen by a small convolutional body that learned with its decoder. The doubly stochastic term weighs 0.1, 1 in the paper.
Those for photographs are stored in 8 bits, and were measured so.

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

500 drawn scenes of each split, a beam of 3: the share of captions that are true of their scene, checked by the grammar;
then of those that have a word of a kind. "pairs": a colour and a shape that no scene of training joined; "four": four
things, where training had three at most. What the split "relations" holds out are sentences, not pictures.

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

References = list[list[str]]  # five captions of each photograph


def main() -> None:
    """Measure the networks that are trained, and the baselines; write results.json, which keeps those that are not."""
    arguments = command_line().read()
    file, config_file = arguments.out / "results.json", arguments.out / "config.json"
    results: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    config: dict[str, Any] = json.loads(config_file.read_text()) if config_file.exists() else {}
    for name in arguments.only or NAMES:
        folder = arguments.run / name
        if (folder / "run.json").exists():
            setup = WORLDS[name.partition("-")[0]](arguments.data, arguments.run)
            untrained = partial(make_network, name, setup)
            network = load_weights(untrained, folder / "model.safetensors")
            scores = scenes(network, setup) if name.startswith("scenes") else photographs(network, setup, arguments)
            results[name] = json.loads((folder / "run.json").read_text()) | {"results": scores}
            if name == GATED and (gates := measured_gates(arguments.out)):
                results[name]["gates"] = gates
            print(name, scores, flush=True)
            decoder = network.decoder if isinstance(network, Captioner) else network
            config[name] = asdict(decoder.config)  # type: ignore[call-overload]
            results[name]["parameters"] = sum(weight.numel() for weight in network.parameters())
            install(folder / "model.safetensors", arguments.out / f"{name}.safetensors")
            install(folder / "tokenizer.json", arguments.out / f"tokenizer-{name.partition('-')[0]}.json")
    results["baselines"] = baselines(arguments)
    print(results["baselines"])
    config_file.write_text(json.dumps(config, indent=1) + "\n")
    save_card(arguments.out, CARD, results, tables_of(results))


def measured_gates(folder: Path) -> dict[str, Any] | None:
    """The results of `training.captioning.gates` in `folder`; None where it has not run."""
    file = folder / "results.json"
    return json.loads(file.read_text()).get(GATED, {}).get("gates") if file.exists() else None


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
        [name, split, f"{shares['true']:.1%}", *(f"{shares[kind]:.1%}" if kind in shares else "" for kind in SHOWN)]
        for name, splits in trained.items()
        if "test" in splits
        for split, shares in splits.items()
    ]
    runs = [
        [CAPTIONERS[name], f"{run['parameters']:,}", run["plan"]["steps"], f"{run['seconds'] / 60:.0f}"]
        for name, run in results.items()
        if "plan" in run
    ]
    return {
        "photographs": table(["", *measures], rows),
        "scenes": table(["", "split", "true", *SHOWN], scenes_rows),
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


# Photographs.


def photographs(network: nn.Module, setup: TrainingSetup, arguments: argparse.Namespace) -> dict[str, float]:
    """Scores of captions of the test photographs, written by beam search."""
    photos = read_flickr(arguments.data, "test", arguments.run, side=SIDE)
    places = photograph_places(photos, arguments.run, "test")
    captions = {beam: write_captions(network, places, setup, beam) for beam in (1, BEAM)}
    greedy, searched = (scores(captions[beam], references_of(photos)) for beam in (1, BEAM))
    return searched | {GREEDY + measure: value for measure, value in greedy.items()}


def baselines(arguments: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Scores of two baselines: always the most frequent caption; a caption of the most similar training photograph."""
    training_photos, test_photos = (
        read_flickr(arguments.data, part, arguments.run, side=SIDE) for part in ("train", "test")
    )
    counts = Counter(" ".join(caption) for captions in training_photos.captions for caption in captions)
    test_features, training_features = (
        nn.functional.normalize(torch.from_numpy(places.mean(axis=1, dtype=np.float32)), dim=-1)
        for places in (
            photograph_places(test_photos, arguments.run, "test"),
            photograph_places(training_photos, arguments.run, "train"),
        )
    )
    nearest = (test_features @ training_features.t()).argmax(dim=-1).tolist()
    copied = [" ".join(training_photos.captions[number][0]) for number in nearest]
    references = references_of(test_photos)
    return {
        "most frequent": scores([counts.most_common(1)[0][0]] * len(references), references),
        "nearest neighbour": scores(copied, references),
    }


def references_of(photos: Captioned) -> References:
    """The captions of each photograph, as texts."""
    return [[" ".join(caption) for caption in captions] for captions in photos.captions]


def write_captions(
    network: nn.Module, places: Float[np.ndarray, "batch patch width"], setup: TrainingSetup, beam: int = BEAM
) -> list[str]:
    """A caption for each picture, by beam search; with a `beam` of 1 greedily."""
    captions = []
    for start in range(0, len(places), TOGETHER):
        part = torch.from_numpy(np.array(places[start : start + TOGETHER])).float()
        state = network.read(part)  # type: ignore[operator]
        source = torch.zeros(len(part), 1, dtype=torch.long)  # nobody reads it: the state is there
        decoded = beam_search(
            network,  # type: ignore[arg-type]
            source,
            beam=beam,
            max_tokens=LONGEST,
            state=state,
            excluded=(UNKNOWN,),
            shortest=1,
        )
        captions += [setup.tokenizer.decode(list(result.best.tokens)) for result in decoded]
    return captions


def scores(captions: Sequence[str], references: References) -> dict[str, float]:
    """BLEU-1 to BLEU-4, chrF and CIDEr (times 100), over all photographs."""
    by_reference = [list(captions_of) for captions_of in zip(*references, strict=True)]
    bleu = BLEU(tokenize="none", force=True).corpus_score(list(captions), by_reference)
    measured = {}
    for order in range(1, 5):
        logs = [math.log(max(precision, 1e-9)) for precision in bleu.precisions[:order]]
        measured[f"BLEU-{order}"] = round(bleu.bp * math.exp(sum(logs) / order), 2)
    measured["chrF"] = round(CHRF().corpus_score(list(captions), by_reference).score, 2)
    numbered = {number: [caption] for number, caption in enumerate(captions)}
    cider, _ = Cider().compute_score(dict(enumerate(references)), numbered)
    return measured | {"CIDEr": round(100 * float(cider), 2)}


# Scenes.


def scenes(network: nn.Module, setup: TrainingSetup) -> dict[str, dict[str, float]]:
    """For each split the shares of captions that are sentences of the grammar, that are true, and that are different.

    For each kind of word: the share of true captions among those with such a word, and their number.
    """
    assert isinstance(network, Captioner)
    results = {}
    for split in HELD_OUT:
        split_scenes = [scene_with_sentence(split, number)[0] for number in range(SCENES)]
        pixels = normalise([draw(scene) for scene in split_scenes])
        with torch.inference_mode():
            places = torch.cat([network.places(part) for part in pixels.split(TOGETHER)])
            captions = write_captions(network.decoder, places.numpy(), setup)
        true, read = [], 0
        by_kind: dict[str, list[bool]] = {}
        for caption, scene in zip(captions, split_scenes, strict=True):
            try:
                sentence = parse(caption)
            except InputError:
                true.append(False)
                continue
            read += 1
            true.append(is_true(sentence, scene))
            assert len(meanings(sentence, scene)) == len(sentence.words)
            for kind in {word.kind for word in sentence.words if word.kind}:
                by_kind.setdefault(kind, []).append(true[-1])
        results[split] = {"true": share(true), "sentences": read / SCENES, "different": len(set(captions)) / SCENES}
        results[split] |= {kind: share(values) for kind, values in sorted(by_kind.items())}
        results[split] |= {f"{kind}, captions": len(values) for kind, values in sorted(by_kind.items())}
    return results


def share(values: Sequence[bool]) -> float:
    """The share of True values, rounded to four digits."""
    return round(sum(values) / max(1, len(values)), 4)


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__,
        data=[FLICKR8K],
        run=Path("runs/captioning"),
        only=NAMES,
        out=OUT,
        threads="one",
        helps={"run": TRAINED},
    )


if __name__ == "__main__":
    main()
