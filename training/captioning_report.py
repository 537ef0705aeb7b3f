"""How good captions are: of photographs against five references, of scenes by whether they are true.

BLEU is sacrebleu's corpus score with one to four words (words of `training.captions_data.words_of`, no other
tokenisation), chrF sacrebleu's, CIDEr pycocoevalcap's.

Data: as for training/captioning.py, whose runs are read.

    python -m training.captioning_report --data PATH
"""

import argparse
import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import torch
from jaxtyping import Float
from pycocoevalcap.cider.cider import Cider
from sacrebleu.metrics import BLEU, CHRF
from torch import Tensor, nn

from core.errors import InputError
from core.models.half_precision import load_weights
from core.scenes.draw import draw
from core.scenes.sentences import parse
from core.scenes.things import SPLITS
from core.scenes.truth import is_true, meanings
from core.translation.decoding import beam_search
from core.zoo.embedded import load_embedded_image
from training.captioning import NAMES, WORLDS, Given, SceneCaptioner, make
from training.captions_data import LONGEST, Captioned, places_of, read_flickr
from training.clip_data import normalise, told_scene
from training.tiny_imagenet import normalise as normalise_photographs

BEAM, SCENES, TOGETHER = 3, 500, 50
References = list[list[str]]  # five captions of each photograph


def main() -> None:
    """Measure the networks that are trained, and the baselines; write results.json."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    results: dict[str, object] = {}
    for name in NAMES:
        folder = arguments.run / name
        if (folder / "run.json").exists():
            given = WORLDS[name.partition("-")[0]](arguments.data, arguments.run)
            network = load_weights(lambda given=given, name=name: make(name, given), folder / "model.safetensors")  # type: ignore[misc]
            found = scenes(network, given) if name.startswith("scenes") else photographs(network, given, arguments)
            results[name] = json.loads((folder / "run.json").read_text()) | {"results": found}
            print(name, found, flush=True)
    results["baselines"] = baselines(arguments)
    print(results["baselines"])
    (arguments.run / "results.json").write_text(json.dumps(results, indent=1) + "\n")


# Photographs.


def photographs(network: nn.Module, given: Given, arguments: argparse.Namespace) -> dict[str, float]:
    """The test photographs, described by beam search."""
    told = read_flickr(arguments.data, "test", arguments.run)
    return scores(written(network, seen(told), given), references_of(told))


def baselines(arguments: argparse.Namespace) -> dict[str, dict[str, float]]:
    """The caption that is most frequent in training for every photograph; and one of the most similar photograph's."""
    learned, told = (read_flickr(arguments.data, part, arguments.run) for part in ("train", "test"))
    every = Counter(" ".join(caption) for each in learned.captions for caption in each)
    ours, theirs = (nn.functional.normalize(seen(each).mean(dim=1), dim=-1) for each in (told, learned))
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
    assert isinstance(network, SceneCaptioner)
    found = {}
    for split in SPLITS:
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
    return found


def share(values: Sequence[bool]) -> float:
    """Of those that are true."""
    return round(sum(values) / max(1, len(values)), 4)


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=Path("runs/captioning"), help="where the networks are")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
