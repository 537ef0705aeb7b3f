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

import torch
from jaxtyping import Float
from pycocoevalcap.cider.cider import Cider
from sacrebleu.metrics import BLEU, CHRF
from torch import Tensor, nn

from core.errors import InputError
from core.models.captioner import Captioner
from core.models.stored_weights import load_weights
from core.published import caption_results
from core.results.captioning_results import GATED, OPEN_FOR
from core.scenes.draw import draw
from core.scenes.sentences import parse
from core.scenes.things import HELD_OUT
from core.scenes.truth import is_true, meanings
from core.translation.decoding import beam_search
from core.zoo.captioners import CAPTIONERS
from core.zoo.embedded import WEIGHTS, load_embedded_image
from training.captioning.data import LONGEST, Captioned, places_of, read_flickr
from training.captioning.train import NAMES, WORLDS, TrainingSetup, make_network, places_to_learn
from training.common.card import install, save_card, table
from training.common.command_line import TRAINED, CommandLine
from training.common.data_sets import FLICKR8K
from training.common.scenes import normalise, scene_with_sentence
from training.tiny_imagenet.data import normalise as normalise_photographs

BEAM, SCENES, TOGETHER = 3, 500, 50
OUT, BODY = WEIGHTS / "captioning", "resnet-tiny-imagenet"
SHOWN = ("colour", "shape", "size", "texture", "number", "relation", "superlative", "negation")  # in the card

CARD = """# captioning

Captioners: `core/models/show_attend_tell.py` (Xu et al. 2015: an LSTM with soft attention, a gate and the doubly
stochastic term) and `core/models/caption_transformer.py` (a transformer's decoder that looks at the same places). Two
for photographs, two for drawn scenes (`core/scenes/`). Photographs are seen by `resnet-tiny-imagenet` at 128 x 128
pixels, 8 x 8 places, which did not learn on; scenes by a small convolutional body that learned with its decoder. The
doubly stochastic term weighs 1 for photographs, as in the paper, and 0.1 for scenes.

## Data and licence
Flickr8k (Hodosh, Young and Hockenmaier 2013): 6,000 photographs with five captions each, 128 x 128 pixels, for research
and education; no photograph is part of the project. Words of fewer than five captions are unknown. Scenes are drawn
for each step. The weights are released for the same use as the photographs.

## Held-out results
The 1,000 test photographs of Flickr8k with five references each, a beam of 3. BLEU by sacrebleu without a tokenisation
of its own: words are what stands between spaces, in lower case, without signs; chrF by sacrebleu; CIDEr by
pycocoevalcap.

{photographs}

Xu et al. saw photographs of 224 pixels with a network trained on the 1.3 million of ImageNet; these were seen at 128
with one trained on 50,000 of 64 pixels. "Nearest neighbour" copies a caption of the photograph of training whose mean
features are most similar.

500 drawn scenes of each split, a beam of 3: the share of captions that are true of their scene, checked by the grammar;
then of those that have a word of a kind. "pairs": a colour and a shape that no scene of training joined; "four": four
things, where training had three at most. What the split "relations" holds out are sentences, not pictures.

{scenes}

{gates}

## Training
{runs}

    python -m training.captioning.train --data PATH
    python -m training.captioning.report --data PATH

Seed 0, {hardware}; torch {torch}.
"""

References = list[list[str]]  # five captions of each photograph


def main() -> None:
    """Measure the networks that are trained, and the baselines; write results.json."""
    arguments = command_line().read()
    results: dict[str, Any] = {}
    config: dict[str, Any] = {"body": BODY, "side": 128}
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
    (arguments.out / "config.json").write_text(json.dumps(config, indent=1) + "\n")
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
    rows = [[name, *(f"{scores[measure]:.1f}" for measure in measures)] for name, scores in of_photographs.items()]
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
        f"The gate of the LSTM for photographs stands open nearly always: while it describes {gates['photographs']} "
        f"test photographs, {every['mean']:.1%} on average over {every['words']:,} words, {means}; for "
        f"{gates['less than half open']} words it is less than half open (`python -m training.captioning.gates`)."
    )
    return textwrap.fill(text, 120)


# Photographs.


def photographs(network: nn.Module, setup: TrainingSetup, arguments: argparse.Namespace) -> dict[str, float]:
    """Scores of captions of the test photographs, written by beam search."""
    photos = read_flickr(arguments.data, "test", arguments.run)
    return scores(write_captions(network, encoder_features(photos), setup), references_of(photos))


def baselines(arguments: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Scores of two baselines: always the most frequent caption; a caption of the most similar training photograph."""
    training_photos, test_photos = (read_flickr(arguments.data, part, arguments.run) for part in ("train", "test"))
    counts = Counter(" ".join(caption) for captions in training_photos.captions for caption in captions)
    features = encoder_features(test_photos), places_to_learn(training_photos, arguments.run)[0].float()
    test_features, training_features = (
        nn.functional.normalize(of_places.mean(dim=1), dim=-1) for of_places in features
    )
    nearest = (test_features @ training_features.t()).argmax(dim=-1).tolist()
    copied = [" ".join(training_photos.captions[number][0]) for number in nearest]
    references = references_of(test_photos)
    return {
        "most frequent": scores([counts.most_common(1)[0][0]] * len(references), references),
        "nearest neighbour": scores(copied, references),
    }


def encoder_features(photos: Captioned) -> Float[Tensor, "batch patch width"]:
    """The features of photographs that the captioners read."""
    body = load_embedded_image("resnet-tiny-imagenet").network
    parts = torch.from_numpy(photos.pictures).split(250)
    return torch.cat([places_of(body, normalise_photographs(part.float() / 255)) for part in parts])


def references_of(photos: Captioned) -> References:
    """The captions of each photograph, as texts."""
    return [[" ".join(caption) for caption in captions] for captions in photos.captions]


def write_captions(network: nn.Module, places: Float[Tensor, "batch patch width"], setup: TrainingSetup) -> list[str]:
    """A caption for each picture, by beam search."""
    captions = []
    for part in places.split(TOGETHER):
        state = network.read(part)  # type: ignore[operator]
        source = torch.zeros(len(part), 1, dtype=torch.long)  # nobody reads it: the state is there
        decoded = beam_search(network, source, beam=BEAM, max_tokens=LONGEST, state=state)  # type: ignore[arg-type]
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
            captions = write_captions(network.decoder, places, setup)
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
