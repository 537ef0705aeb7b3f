"""Measure two streams and one on scenes that they have not seen: hidden words, and what belongs together.

python -m training.vilbert.report
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import torch
from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor

from core.models.stored_weights import load_weights
from core.models.vilbert import SingleStream, ViLBERT
from core.results.joint_results import ALL, ANOTHER, ASKED, EXCHANGED, NONE, SHOWN
from core.scenes.draw import draw
from core.scenes.sentences import KINDS, Sentence
from core.scenes.telling import with_another
from core.scenes.things import HELD_OUT, Scene
from core.scenes.truth import is_true
from core.zoo.embedded import WEIGHTS
from core.zoo.joint import JOINT
from training.common.card import install, save_card, table
from training.common.command_line import TRAINED, CommandLine
from training.common.scenes import normalise, told_scene
from training.common.word_tokens import ids_of
from training.vilbert.train import MASK, NETWORKS, PAD, config_of, joint_tokenizer

SCENES = 500  # of each split
TOGETHER = 100

CARD = """# vilbert

Networks that read a sentence and a picture together: `core/models/vilbert.py`. Two streams with co-attention (Lu et al.
2019), and one stream (VisualBERT, Li et al. 2019) that is wider, so that both have about as many weights. Pictures have
64 x 64 pixels in 8 x 8 patches, seen by a small convolutional body in place of a detector's regions; it begins as that
of the captioner of scenes, and learns on.

## Data and licence
Scenes of the drawn world (`core/scenes/`), drawn for each step, with a true sentence each; a quarter of them with one
that is false: half of those by one word or by their order, the others of another scene. No data but these. The weights
are released under the project's licence.

Three tasks at once: half of the words of content and a tenth of the others are hidden (and asked where the pair belongs
together), 15 % of the patches, and whether the two belong together. Hidden patches are guessed as pixels, where Lu et
al. guess the class of a region.

## Held-out results
500 scenes of each split. Each word of content hidden by itself: how often the first guess is the word, with its
picture, with another one, and with an even grey.

{words}

The true sentence matches better than the same with one word exchanged so that it is false (chance 50 %), by the kind of
that word; "order": the two groups of a relation change places.

{match}

## Training
{runs}

Two streams learn more slowly, and were given more steps: after 3,000, with the rate falling, they guessed 49 % of the
hidden words of "test" with their picture, where one stream guesses 72 %.

Runs at three times this rate were given up: two streams guessed no shape better than by chance after 1,800 steps (then
without blocks that the picture passes alone), one stream 57 % of all words after 4,000.

    python -m training.vilbert.train
    python -m training.vilbert.report

Seed 0, {hardware}; torch {torch}.
"""

Network = ViLBERT | SingleStream


@dataclass(frozen=True)
class Gap:
    """A scene, a sentence about it, and which of its words is hidden."""

    scene: Scene
    sentence: Sentence
    place: int

    @property
    def text(self) -> str:
        """The sentence with its gap."""
        words = [word.text for word in self.sentence.words]
        words[self.place] = MASK
        return " ".join(words)


def main() -> None:
    """Measure the networks that are trained, and write results.json."""
    arguments = command_line().read()
    tokenizer = joint_tokenizer()
    results: dict[str, Any] = {}
    sizes: dict[str, Any] = {}
    for name, kind in NETWORKS.items():
        folder = arguments.run / name
        if (folder / "run.json").exists():
            config = config_of(tokenizer, name)
            made: Network = load_weights(partial(kind, config), folder / "model.safetensors")  # type: ignore[assignment]
            found = {split: measure(made, tokenizer, split) for split in HELD_OUT}
            results[name] = json.loads((folder / "run.json").read_text()) | {"results": found}
            results[name]["parameters"] = sum(weight.numel() for weight in made.parameters())
            sizes[name] = asdict(config)
            install(folder / "model.safetensors", arguments.out / f"{name}.safetensors")
            install(folder / "tokenizer.json", arguments.out / "tokenizer.json")
            print(name, json.dumps(found, indent=1), flush=True)
    (arguments.out / "config.json").write_text(json.dumps(sizes, indent=1) + "\n")
    save_card(arguments.out, CARD, results, tables_of(results))


def tables_of(results: dict[str, Any]) -> dict[str, str]:
    """What the card shows of the results."""
    words_rows = [
        [JOINT[name], split, shown, *(f"{kinds[kind]:.1%}" if kind in kinds else "" for kind in (ALL, *KINDS))]
        for name, run in results.items()
        for split, found in run["results"].items()
        for shown, kinds in found.items()
        if shown != "match"
    ]
    match_rows = [
        [JOINT[name], split, *(f"{found['match'][kind]:.1%}" if kind in found["match"] else "" for kind in EXCHANGED)]
        for name, run in results.items()
        for split, found in run["results"].items()
    ]
    runs = [
        [
            JOINT[name],
            f"{run['parameters']:,}",
            run["plan"]["steps"],
            run["plan"]["learning_rate"],
            f"{run['seconds'] / 60:.0f}",
        ]
        for name, run in results.items()
    ]
    return {
        "words": table(["", "split", "shown", ALL, *KINDS], words_rows),
        "match": table(["", "split", *EXCHANGED], match_rows),
        "runs": table(["", "parameters", "steps", "learning rate", "minutes"], runs),
    }


def measure(network: Network, tokenizer: Tokenizer, split: str) -> dict[str, dict[str, float]]:
    """How often hidden words are guessed, by kind, with three pictures, how often falsehood is seen."""
    told = [told_scene(split, number) for number in range(SCENES)]
    gaps = gaps_of(told)
    found = {shown: words(network, tokenizer, gaps, shown) for shown in SHOWN}
    return found | {"match": matches(network, tokenizer, told, split)}


def gaps_of(told: Sequence[tuple[Scene, Sentence]]) -> list[Gap]:
    """Every word of content of every sentence, hidden by itself."""
    return [
        Gap(scene, sentence, place)
        for scene, sentence in told
        for place, word in enumerate(sentence.words)
        if word.kind
    ]


def words(network: Network, tokenizer: Tokenizer, gaps: Sequence[Gap], shown: str) -> dict[str, float]:
    """The share of hidden words whose first guess is the word itself, by kind and of all."""
    mask = tokenizer.get_vocab()[MASK]
    right: dict[str, list[bool]] = {}
    for start in range(0, len(gaps), TOGETHER):
        part = gaps[start : start + TOGETHER]
        others = [gaps[(start + number + len(gaps) // 2) % len(gaps)] for number in range(len(part))]
        pixels = normalise([draw(each.scene) for each in (others if shown == ANOTHER else part)])
        if shown == NONE:
            pixels = torch.zeros_like(pixels)
        ids = ids_of(tokenizer, [gap.text for gap in part], network.config.context)
        with torch.inference_mode():
            guesses = network(pixels, ids, ids == PAD).words.argmax(dim=-1)
        for row, gap in enumerate(part):
            word = gap.sentence.words[gap.place]
            guess = int(guesses[row][ids[row] == mask][0])
            right.setdefault(word.kind, []).append(tokenizer.id_to_token(guess) == word.text)
    every = [each for values in right.values() for each in values]
    return shares({kind: right[kind] for kind in KINDS if kind in right} | {ALL: every})


def matches(
    network: Network, tokenizer: Tokenizer, told: Sequence[tuple[Scene, Sentence]], split: str
) -> dict[str, float]:
    """How often the true sentence matches better than one that is false by one word, by the kind of that word."""
    dice = Random(f"match {split}")
    found: dict[str, list[bool]] = {}
    for kind in EXCHANGED:
        changed = [(scene, sentence, with_another(sentence, kind, dice)) for scene, sentence in told]
        pairs = [(scene, one.text, two.text) for scene, one, two in changed if two and not is_true(two, scene)]
        if pairs:
            pixels = normalise([draw(scene) for scene, _, _ in pairs])
            texts = [one for _, one, _ in pairs], [two for _, _, two in pairs]
            true, false = (logits(network, tokenizer, pixels, each) for each in texts)
            found[kind] = (true > false).tolist()
    return shares(found)


@torch.inference_mode()
def logits(
    network: Network, tokenizer: Tokenizer, pixels: Float[Tensor, "batch channel row column"], texts: Sequence[str]
) -> Float[Tensor, " batch"]:
    """How surely each text belongs to its picture."""
    ids = ids_of(tokenizer, texts, network.config.context)
    parts = zip(pixels.split(TOGETHER), ids.split(TOGETHER), strict=True)
    return torch.cat([network(part, numbers, numbers == PAD).match for part, numbers in parts])


def shares(right: Mapping[str, Sequence[bool]]) -> dict[str, float]:
    """Of each kind the share that is right, and how many were asked."""
    found: dict[str, float] = {kind: round(sum(values) / len(values), 4) for kind, values in right.items()}
    return found | {kind + ASKED: len(values) for kind, values in right.items()}


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__, run=Path("runs/vilbert"), out=WEIGHTS / "vilbert", threads="one", helps={"run": TRAINED}
    )


if __name__ == "__main__":
    main()
