"""Measure networks of two streams and of one on held-out scenes: masked words, and matching pairs.

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
from core.results.joint_results import ALL, ANOTHER, COUNT_SUFFIX, EXCHANGED, ITS, NONE, PICTURE_CONDITIONS
from core.results.result_files import error_of
from core.scenes.draw import draw
from core.scenes.sentences import KINDS, Sentence
from core.scenes.telling import exchange_word
from core.scenes.things import HELD_OUT, Scene
from core.scenes.truth import is_true
from core.zoo.embedded import WEIGHTS
from core.zoo.joint import JOINT
from training.common.card import install, save_card, table
from training.common.command_line import TRAINED, CommandLine
from training.common.scenes import normalise, scene_with_sentence
from training.common.stored import as_stored
from training.common.word_tokens import ids_of
from training.vilbert.train import MASK, NETWORKS, PAD, config_of, joint_tokenizer

SCENES = 500  # of each split
BATCH_SIZE = 100

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

The weights are stored in 8 bits, and were measured so. Beside them, in half precision, are all masked words with their
picture, and the true sentences of all kinds together:

{stored}

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
class MaskedWord:
    """A scene, a sentence about it, and the place of the masked word."""

    scene: Scene
    sentence: Sentence
    place: int

    @property
    def text(self) -> str:
        """The sentence with the mask."""
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
            trained: Network = load_weights(partial(kind, config), folder / "model.safetensors")  # type: ignore[assignment]
            stored = as_stored(trained, arguments.out / f"{name}.safetensors", eight_bits=True)
            results_of_network = {split: measure(stored, tokenizer, split) for split in HELD_OUT}
            results[name] = json.loads((folder / "run.json").read_text()) | {"results": results_of_network}
            results[name]["half_precision"] = {split: measure(trained, tokenizer, split) for split in HELD_OUT}
            results[name]["parameters"] = sum(weight.numel() for weight in trained.parameters())
            sizes[name] = asdict(config)
            install(folder / "tokenizer.json", arguments.out / "tokenizer.json")
            print(name, json.dumps(results_of_network, indent=1), flush=True)
    (arguments.out / "config.json").write_text(json.dumps(sizes, indent=1) + "\n")
    save_card(arguments.out, CARD, results, tables_of(results))


def tables_of(results: dict[str, Any]) -> dict[str, str]:
    """The tables of the card."""
    words_rows = [
        [JOINT[name], split, picture, *(f"{kinds[kind]:.1%}" if kind in kinds else "" for kind in (ALL, *KINDS))]
        for name, run in results.items()
        for split, by_picture in run["results"].items()
        for picture, kinds in by_picture.items()
        if picture != "match"
    ]
    match_rows = [
        [
            JOINT[name],
            split,
            *(f"{by_picture['match'][kind]:.1%}" if kind in by_picture["match"] else "" for kind in EXCHANGED),
        ]
        for name, run in results.items()
        for split, by_picture in run["results"].items()
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
        "stored": stored_table(results),
        "match": table(["", "split", *EXCHANGED], match_rows),
        "runs": table(["", "parameters", "steps", "learning rate", "minutes"], runs),
    }


def stored_table(results: Mapping[str, Any]) -> str:
    """For the card: all masked words with their picture, and false sentences of all kinds, in both forms."""
    rows = []
    for name, run in results.items():
        for split, shares in run["results"].items():
            forms = (shares, run["half_precision"][split])
            words, error = (
                [form[ITS][ALL] for form in forms],
                error_of(shares[ITS][ALL], shares[ITS][ALL + COUNT_SUFFIX]),
            )
            matched = [over_all_kinds(form["match"]) for form in forms]
            rows.append([JOINT[name], split, *(f"{value:.1%}" for value in (*words, error, *matched))])
    header = ["", "split", "words", "in half precision", "standard error", "true sentences", "in half precision"]
    return table(header, rows)


def over_all_kinds(shares: Mapping[str, float]) -> float:
    """The share of right answers over all kinds together."""
    counts = {kind: shares[kind + COUNT_SUFFIX] for kind in shares if kind + COUNT_SUFFIX in shares}
    return sum(shares[kind] * count for kind, count in counts.items()) / sum(counts.values())


def measure(network: Network, tokenizer: Tokenizer, split: str) -> dict[str, dict[str, float]]:
    """Accuracy on masked words by kind with each of three pictures, and on telling true from false sentences."""
    examples = [scene_with_sentence(split, number) for number in range(SCENES)]
    masked = masked_words(examples)
    results = {picture: word_accuracy(network, tokenizer, masked, picture) for picture in PICTURE_CONDITIONS}
    return results | {"match": matches(network, tokenizer, examples, split)}


def masked_words(examples: Sequence[tuple[Scene, Sentence]]) -> list[MaskedWord]:
    """Each word of content of each sentence, masked by itself."""
    return [
        MaskedWord(scene, sentence, place)
        for scene, sentence in examples
        for place, word in enumerate(sentence.words)
        if word.kind
    ]


def word_accuracy(
    network: Network, tokenizer: Tokenizer, masked: Sequence[MaskedWord], picture: str
) -> dict[str, float]:
    """Accuracy of the first guess for masked words, by kind and for all; `picture` is one of PICTURE_CONDITIONS."""
    mask = tokenizer.get_vocab()[MASK]
    right: dict[str, list[bool]] = {}
    for start in range(0, len(masked), BATCH_SIZE):
        part = masked[start : start + BATCH_SIZE]
        other_words = [masked[(start + number + len(masked) // 2) % len(masked)] for number in range(len(part))]
        pixels = normalise([draw(case.scene) for case in (other_words if picture == ANOTHER else part)])
        if picture == NONE:
            pixels = torch.zeros_like(pixels)
        ids = ids_of(tokenizer, [word_of_row.text for word_of_row in part], network.config.context)
        with torch.inference_mode():
            guesses = network(pixels, ids, ids == PAD).words.argmax(dim=-1)
        for row, word_of_row in enumerate(part):
            target = word_of_row.sentence.words[word_of_row.place]
            guess = int(guesses[row][ids[row] == mask][0])
            right.setdefault(target.kind, []).append(tokenizer.id_to_token(guess) == target.text)
    all_results = [is_right for values in right.values() for is_right in values]
    return shares({kind: right[kind] for kind in KINDS if kind in right} | {ALL: all_results})


def matches(
    network: Network, tokenizer: Tokenizer, examples: Sequence[tuple[Scene, Sentence]], split: str
) -> dict[str, float]:
    """How often the true sentence matches better than a copy with one word exchanged, by the kind of the word."""
    rng = Random(f"match {split}")
    is_right: dict[str, list[bool]] = {}
    for kind in EXCHANGED:
        changed = [(scene, sentence, exchange_word(sentence, kind, rng)) for scene, sentence in examples]
        pairs = [
            (scene, true_sentence.text, false_sentence.text)
            for scene, true_sentence, false_sentence in changed
            if false_sentence and not is_true(false_sentence, scene)
        ]
        if pairs:
            pixels = normalise([draw(scene) for scene, _, _ in pairs])
            texts = [true_sentence for _, true_sentence, _ in pairs], [false_sentence for _, _, false_sentence in pairs]
            true, false = (logits(network, tokenizer, pixels, side) for side in texts)
            is_right[kind] = (true > false).tolist()
    return shares(is_right)


@torch.inference_mode()
def logits(
    network: Network, tokenizer: Tokenizer, pixels: Float[Tensor, "batch channel row column"], texts: Sequence[str]
) -> Float[Tensor, " batch"]:
    """The matching logit of each picture and text."""
    ids = ids_of(tokenizer, texts, network.config.context)
    parts = zip(pixels.split(BATCH_SIZE), ids.split(BATCH_SIZE), strict=True)
    return torch.cat([network(part, numbers, numbers == PAD).match for part, numbers in parts])


def shares(right: Mapping[str, Sequence[bool]]) -> dict[str, float]:
    """The share of right answers of each kind, and their number under the kind's name with COUNT_SUFFIX."""
    by_kind: dict[str, float] = {kind: round(sum(values) / len(values), 4) for kind, values in right.items()}
    return by_kind | {kind + COUNT_SUFFIX: len(values) for kind, values in right.items()}


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__, run=Path("runs/vilbert"), out=WEIGHTS / "vilbert", threads="one", helps={"run": TRAINED}
    )


if __name__ == "__main__":
    main()
