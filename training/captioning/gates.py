"""Measure the gate of the LSTM that captions photographs, word by word.

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
from training.captioning.cards import CARD, tables_of
from training.captioning.report import BEAM
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
    """The gate's values (0 shut, 1 open) at each occurrence of each word in the captions, without the end token."""
    gates_by_word: dict[str, list[float]] = {}
    for picture in pictures:
        pixels = writer.prepare(Image.fromarray(picture.transpose(1, 2, 0))).pixels
        words = writer.tokens(writer.write(pixels, beam=BEAM).best.tokens)
        gates = writer.look(pixels, words).gates
        assert gates is not None
        for label, special, gate in zip(words.labels, words.special, gates, strict=True):
            if not special:
                gates_by_word.setdefault(label.strip(), []).append(float(gate))
    return gates_by_word


def summary(gates: Mapping[str, Sequence[float]], photographs: int) -> dict[str, object]:
    """Mean and count of the gates over all words and for each of OPEN_FOR, and the number of gates below 0.5."""
    every = [gate for gates_of_word in gates.values() for gate in gates_of_word]
    of = {"all words": every} | {word: list(gates.get(word, ())) for word in OPEN_FOR}
    return {
        "photographs": photographs,
        "less than half open": sum(gate < 0.5 for gate in every),
        "open": {
            name: {"mean": round(float(np.mean(gates_of_word)), 4), "words": len(gates_of_word)}
            for name, gates_of_word in of.items()
            if gates_of_word
        },
    }


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(__doc__, data=[FLICKR8K], threads="one")


if __name__ == "__main__":
    main()
