"""Measure captioners: captions of photographs against five references, captions of scenes by whether they are true.

BLEU is sacrebleu's corpus score with one to four words (words of `training.captioning.data.words_of`, no other
tokenisation), chrF sacrebleu's, CIDEr pycocoevalcap's.

    python -m training.captioning.report --data PATH
"""

import argparse
import json
import math
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
from core.results.captioning_results import GATED, GREEDY
from core.scenes.draw import draw
from core.scenes.sentences import parse
from core.scenes.things import HELD_OUT
from core.scenes.truth import is_true, meanings
from core.translation.decoding import UNKNOWN, beam_search
from core.zoo.embedded import WEIGHTS
from training.captioning.cards import CARD, tables_of
from training.captioning.data import LONGEST, SIDE, Captioned, photograph_places, read_flickr
from training.captioning.train import NAMES, WORLDS, TrainingSetup, make_network
from training.common.card import install, save_card
from training.common.command_line import TRAINED, CommandLine
from training.common.data_sets import FLICKR8K
from training.common.scenes import normalise, scene_with_sentence
from training.common.stored import as_stored

BEAM, SCENES, TOGETHER = 3, 500, 50
OUT = WEIGHTS / "captioning"

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
            trained = load_weights(untrained, folder / "model.safetensors")
            network = as_stored(trained, arguments.out / f"{name}.safetensors", eight_bits=True)
            scores = scenes(network, setup) if name.startswith("scenes") else photographs(network, setup, arguments)
            results[name] = json.loads((folder / "run.json").read_text()) | {"results": scores}
            if name.startswith("scenes"):
                results[name]["half_precision"] = scenes(trained, setup)
            if name == GATED and (gates := measured_gates(arguments.out)):
                results[name]["gates"] = gates
            print(name, scores, flush=True)
            decoder = network.decoder if isinstance(network, Captioner) else network
            config[name] = asdict(decoder.config)  # type: ignore[call-overload]
            results[name]["parameters"] = sum(weight.numel() for weight in network.parameters())
            install(folder / "tokenizer.json", arguments.out / f"tokenizer-{name.partition('-')[0]}.json")
    results["baselines"] = baselines(arguments)
    print(results["baselines"])
    config_file.write_text(json.dumps(config, indent=1) + "\n")
    save_card(arguments.out, CARD, results, tables_of(results))


def measured_gates(folder: Path) -> dict[str, Any] | None:
    """The results of `training.captioning.gates` in `folder`; None where it has not run."""
    file = folder / "results.json"
    return json.loads(file.read_text()).get(GATED, {}).get("gates") if file.exists() else None


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
