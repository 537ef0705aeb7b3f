"""How good captions are: of photographs against five references, of scenes by whether they are true.

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
from training.captioning.train import NAMES, WORLDS, Given, make, places_to_learn
from training.common.card import install, save_card, table
from training.common.command_line import TRAINED, CommandLine
from training.common.data_sets import FLICKR8K
from training.common.scenes import normalise, told_scene
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
            given = WORLDS[name.partition("-")[0]](arguments.data, arguments.run)
            network = load_weights(lambda given=given, name=name: make(name, given), folder / "model.safetensors")  # type: ignore[misc]
            found = scenes(network, given) if name.startswith("scenes") else photographs(network, given, arguments)
            results[name] = json.loads((folder / "run.json").read_text()) | {"results": found}
            if name == GATED and (known := measured_gates(arguments.out)):
                results[name]["gates"] = known
            print(name, found, flush=True)
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
    """What `training.captioning.gates` has measured before."""
    file = folder / "results.json"
    return json.loads(file.read_text()).get(GATED, {}).get("gates") if file.exists() else None


def tables_of(results: dict[str, Any]) -> dict[str, str]:
    """What the card shows of the results."""
    told = {CAPTIONERS[name]: results[name]["results"] for name in NAMES if name in results}
    of_photographs = {name: each for name, each in told.items() if "BLEU-4" in each} | results["baselines"]
    measures = ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "chrF", "CIDEr"]
    rows = [[name, *(f"{each[measure]:.1f}" for measure in measures)] for name, each in of_photographs.items()]
    for each in caption_results():
        found = (each.bleu_1, each.bleu_2, each.bleu_3, each.bleu_4)
        rows.append([f"{each.model} ({each.source})", *(f"{value:.1f}" for value in found), "", ""])
    scenes_rows = [
        [name, split, f"{each['true']:.1%}", *(f"{each[kind]:.1%}" if kind in each else "" for kind in SHOWN)]
        for name, splits in told.items()
        if "test" in splits
        for split, each in splits.items()
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


def gates_in_words(found: dict[str, Any] | None) -> str:
    """What `training.captioning.gates` measured."""
    if not found:
        return "How far the LSTM's gate stands open was not measured (`python -m training.captioning.gates`)."
    means = ", ".join(f'{each["mean"]:.1%} for "{word}"' for word, each in found["open"].items() if word in OPEN_FOR)
    every = found["open"]["all words"]
    told = (
        f"The gate of the LSTM for photographs stands open nearly always: while it describes {found['photographs']} "
        f"test photographs, {every['mean']:.1%} on average over {every['words']:,} words, {means}; for "
        f"{found['less than half open']} words it is less than half open (`python -m training.captioning.gates`)."
    )
    return textwrap.fill(told, 120)


# Photographs.


def photographs(network: nn.Module, given: Given, arguments: argparse.Namespace) -> dict[str, float]:
    """The test photographs, described by beam search."""
    told = read_flickr(arguments.data, "test", arguments.run)
    return scores(written(network, seen(told), given), references_of(told))


def baselines(arguments: argparse.Namespace) -> dict[str, dict[str, float]]:
    """The caption that is most frequent in training for every photograph; and one of the most similar photograph's."""
    learned, told = (read_flickr(arguments.data, part, arguments.run) for part in ("train", "test"))
    every = Counter(" ".join(caption) for each in learned.captions for caption in each)
    places = seen(told), places_to_learn(learned, arguments.run)[0].float()
    ours, theirs = (nn.functional.normalize(each.mean(dim=1), dim=-1) for each in places)
    nearest = (ours @ theirs.t()).argmax(dim=-1).tolist()
    copied = [" ".join(learned.captions[number][0]) for number in nearest]
    references = references_of(told)
    return {
        "most frequent": scores([every.most_common(1)[0][0]] * len(references), references),
        "nearest neighbour": scores(copied, references),
    }


def seen(told: Captioned) -> Float[Tensor, "batch patch width"]:
    """The places of photographs, as the captioners see them."""
    body = load_embedded_image("resnet-tiny-imagenet").network
    parts = torch.from_numpy(told.pictures).split(250)
    return torch.cat([places_of(body, normalise_photographs(part.float() / 255)) for part in parts])


def references_of(told: Captioned) -> References:
    """All captions of each photograph, as texts."""
    return [[" ".join(caption) for caption in each] for each in told.captions]


def written(network: nn.Module, places: Float[Tensor, "batch patch width"], given: Given) -> list[str]:
    """A caption for each picture."""
    found = []
    for part in places.split(TOGETHER):
        state = network.read(part)  # type: ignore[operator]
        source = torch.zeros(len(part), 1, dtype=torch.long)  # nobody reads it: the state is there
        decoded = beam_search(network, source, beam=BEAM, longest=LONGEST, state=state)  # type: ignore[arg-type]
        found += [given.tokenizer.decode(list(each.best.tokens)) for each in decoded]
    return found


def scores(captions: Sequence[str], references: References) -> dict[str, float]:
    """BLEU-1 to BLEU-4, chrF and CIDEr (times 100), over all photographs."""
    turned = [list(each) for each in zip(*references, strict=True)]
    bleu = BLEU(tokenize="none", force=True).corpus_score(list(captions), turned)
    found = {}
    for order in range(1, 5):
        logs = [math.log(max(precision, 1e-9)) for precision in bleu.precisions[:order]]
        found[f"BLEU-{order}"] = round(bleu.bp * math.exp(sum(logs) / order), 2)
    found["chrF"] = round(CHRF().corpus_score(list(captions), turned).score, 2)
    numbered = {number: [caption] for number, caption in enumerate(captions)}
    cider, _ = Cider().compute_score(dict(enumerate(references)), numbered)
    return found | {"CIDEr": round(100 * float(cider), 2)}


# Scenes.


def scenes(network: nn.Module, given: Given) -> dict[str, dict[str, float]]:
    """For each split the share of captions that are sentences of the grammar, and that are true of their scene.

    By kind of word: of the true captions that have such a word, and of all that have one.
    """
    assert isinstance(network, Captioner)
    found = {}
    for split in HELD_OUT:
        told = [told_scene(split, number)[0] for number in range(SCENES)]
        pixels = normalise([draw(scene) for scene in told])
        with torch.inference_mode():
            places = torch.cat([network.places(part) for part in pixels.split(TOGETHER)])
            captions = written(network.decoder, places, given)
        true, read = [], 0
        by_kind: dict[str, list[bool]] = {}
        for caption, scene in zip(captions, told, strict=True):
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
        found[split] = {"true": share(true), "sentences": read / SCENES, "different": len(set(captions)) / SCENES}
        found[split] |= {kind: share(values) for kind, values in sorted(by_kind.items())}
        found[split] |= {f"{kind}, captions": len(values) for kind, values in sorted(by_kind.items())}
    return found


def share(values: Sequence[bool]) -> float:
    """Of those that are true."""
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
