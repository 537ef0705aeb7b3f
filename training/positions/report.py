"""Measure each kind of positions beyond the training length, and write weights and card."""

import pandas as pd
from torch import Tensor

from core.models.character import Alphabet, CharacterModel, load_characters, save_characters
from core.zoo.embedded import WEIGHTS
from training.common import shakespeare
from training.common.card import save_card, table

LONGEST = 512  # characters before the one that is predicted: eight times the training length
RANGES = ((32, 64), (64, 128), (128, 256), (256, 512))  # ranges of lengths in the card


def report(
    alphabet: Alphabet, models: dict[str, CharacterModel], *, context: int, held_out: Tensor, record: dict
) -> None:
    """Write weights/positions/: weights, config, results, bits by length, card.

    `context`: the training length; `held_out`: the ids of the held-out characters; `record`: that of the training.
    """
    folder = WEIGHTS / "positions"
    save_characters(folder, alphabet, models)
    in_half_precision = bits_by_length(load_characters(folder)[1], held_out, context)
    save_characters(folder, alphabet, models, eight_bits=True)
    lengths = bits_by_length(load_characters(folder)[1], held_out, context)
    lengths.to_csv(folder / "lengths.csv", index=False)
    parameters = {name: sum(parameter.numel() for parameter in model.parameters()) for name, model in models.items()}
    results = record | {"context": context, "parameters": parameters, "bits": bits_by_range(lengths)}
    results |= {"weights_stored_in": "8 bits", "half_precision": bits_by_range(in_half_precision)}
    save_card(folder, CARD, results, tables_of(results))


def bits_by_length(models: dict[str, CharacterModel], held_out: Tensor, context: int) -> pd.DataFrame:
    """Mean bits of each model after 1, 2, 3 ... characters of windows of the held-out text."""
    rows = []
    for name, model in models.items():
        # Learned positions end where training ended; all others are read on.
        longest = context if name == "learned" else LONGEST
        bits = shakespeare.bits_by_position(model, held_out, longest)
        rows += [(name, length, round(float(value), 4)) for length, value in enumerate(bits, start=1)]
    return pd.DataFrame(rows, columns=["positions", "length", "bits"])


def tables_of(results: dict) -> dict[str, str]:
    """The tables of the card."""
    return {
        "bits_table": bits_table(results["bits"]),
        "half_precision_table": bits_table(results["half_precision"]),
    }


def bits_by_range(lengths: pd.DataFrame) -> dict[str, dict[str, float | None]]:
    """Mean bits of each model in each range of lengths."""
    return {str(name): ranges(rows) for name, rows in lengths.groupby("positions", sort=False)}


def ranges(lengths: pd.DataFrame) -> dict[str, float | None]:
    """Mean bits in each of the RANGES; None where there is no measurement."""
    means = {
        f"{low} to {high}": lengths[(lengths.length > low) & (lengths.length <= high)].bits.mean()
        for low, high in RANGES
    }
    return {name: None if pd.isna(mean) else round(float(mean), 4) for name, mean in means.items()}


def bits_table(bits_by_name: dict[str, dict]) -> str:
    """The table of the card."""
    header = ["positions", *(f"bits at {low} to {high} characters" for low, high in RANGES)]
    return table(
        header,
        [[name, *("–" if bits is None else bits for bits in row.values())] for name, row in bits_by_name.items()],
    )


CARD = """# positions

One small causal transformer (`core/models/self_attention.py`: 2 layers of 4 heads, width 128), trained six times on
windows of {context} characters, told the order of its tokens in six ways, all else being equal. It is here to show what
each way does beyond the length it was trained on.

## Data and licence
Tiny Shakespeare (Karpathy 2015; public domain), the first nine tenths to learn from, the last to measure on. The
weights are released under the project's licence.

## Held-out results
Mean bits for the next character, by how many stand before it:

{bits_table}

The weights are stored in 8 bits and were measured so. In half precision:

{half_precision_table}

`lengths.csv` holds the mean for each length from 1 to 512. Learned positions have no vector beyond {context}.

## How it was made
`make train-positions DATA=...` (`python -m training.positions.train`), seed {seed}: {epochs} epochs each ({steps} steps
of {batch} windows), AdamW, learning rate 0.002, float32; {minutes} minutes in all
on {hardware}, shared with other work. torch {torch}.
"""
