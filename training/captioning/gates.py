"""Measure how far the gate of the LSTM that captions photographs stands open, word by word.

Test photographs of Flickr8k are captioned as on the page, with a beam of 3. Writes into the results of the captioners
and their card.

    python -m training.captioning.gates --data PATH
"""

import json
from collections.abc import Mapping, Sequence

import numpy as np
from PIL import Image

from core.results.captioning_results import FOLDER, GATED, OPEN_FOR
from core.zoo.captioners import PictureWriter, load_captioner
from training.captioning.report import BEAM, CARD, tables_of
from training.common.card import write_card
from training.common.command_line import CommandLine
from training.common.data_sets import FLICKR8K
from training.common.pictures import decode

EVERY = 5  # of the 1,000 test photographs


def main() -> None:
    """Measure, then write the results and the card."""
    arguments = command_line().read()
    with np.load(arguments.data / "flickr8k" / "flickr8k_192.npz") as archive:
        pictures = decode(archive["test_jpeg"], archive["test_offsets"], side=192)[::EVERY]
    gates = gates_of(load_captioner(GATED), pictures)
    file = FOLDER / "results.json"
    results = json.loads(file.read_text())
    results[GATED]["gates"] = summary(gates, len(pictures))
    file.write_text(json.dumps(results, indent=1) + "\n")
    write_card(FOLDER, CARD, tables_of(results))


def gates_of(writer: PictureWriter, pictures: np.ndarray) -> dict[str, list[float]]:
    """By word how far the gate stood open each time the word was written, the end left out."""
    found: dict[str, list[float]] = {}
    for picture in pictures:
        pixels = writer.prepare(Image.fromarray(picture.transpose(1, 2, 0))).pixels
        words = writer.tokens(writer.write(pixels, beam=BEAM).best.tokens)
        gates = writer.look(pixels, words).gates
        assert gates is not None
        for label, special, gate in zip(words.labels, words.special, gates, strict=True):
            if not special:
                found.setdefault(label.strip(), []).append(float(gate))
    return found


def summary(gates: Mapping[str, Sequence[float]], photographs: int) -> dict[str, object]:
    """The mean over all words and over OPEN_FOR, with how many there were, and how many gates were less than half open.

    0 is shut, 1 is open.
    """
    every = [gate for several in gates.values() for gate in several]
    of = {"all words": every} | {word: list(gates.get(word, ())) for word in OPEN_FOR}
    return {
        "photographs": photographs,
        "less than half open": sum(gate < 0.5 for gate in every),
        "open": {
            name: {"mean": round(float(np.mean(several)), 4), "words": len(several)}
            for name, several in of.items()
            if several
        },
    }


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(__doc__, data=[FLICKR8K], threads="one")


if __name__ == "__main__":
    main()
