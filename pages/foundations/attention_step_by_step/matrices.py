"""Small matrices that a visitor may change; the changed ones are kept in the address, as text."""

import math
from collections.abc import Sequence
from itertools import groupby

import pandas as pd
import streamlit as st
import torch
from torch import Tensor

from core.errors import InputError
from dashboard import typeset
from dashboard.address import parameter

LARGEST = 100  # a number in a cell, in either direction: scores stay small enough to be read


def editor(name: str, default: Tensor, *, rows: Sequence[str], columns: Sequence[str], version: str) -> Tensor:
    """A table in which every number can be changed. Returns the numbers as they are now.

    A cell that is empty or out of bounds is named in a sentence, and its former number is used. `version` tells
    examples apart that have a matrix of the same name.
    """
    stored = _matrix_of_address(name, default)
    # The table must begin with the same numbers at every rerun, or it would forget which cell is being edited. It
    # begins anew only when the address was changed by somebody else: a link, or the browser's back button.
    memory = st.session_state.setdefault(f"_matrix {version} {name}", {"text": None, "start": stored, "turn": 0})
    if memory["text"] != encode(stored):
        memory.update(text=encode(stored), start=stored, turn=memory["turn"] + 1)
    labels = [str(column) for column in columns]
    table = st.data_editor(
        pd.DataFrame(memory["start"].double().numpy(), index=list(rows), columns=labels),
        column_config={
            label: st.column_config.NumberColumn(min_value=-LARGEST, max_value=LARGEST, width="small")
            for label in labels
        },
        key=f"matrix {version} {name} {memory['turn']}",
        alt=f"{name}: {len(rows)} rows and {len(labels)} columns of numbers to change",
    )
    changed = _checked(name, table, stored)
    memory["text"] = encode(changed)
    _keep(name, changed, default)
    return changed


def encode(matrix: Tensor) -> str:
    """Rows joined by ";", numbers by ",", a number that repeats as "1.5x32"."""
    return ";".join(
        ",".join(_repeated(number, len(list(run))) for number, run in groupby(row)) for row in matrix.tolist()
    )


def decode(text: str, shape: Sequence[int]) -> Tensor:
    """What `encode` wrote. Raises InputError unless it is a matrix of this shape with numbers from -100 to 100."""
    rows = [[number for part in row.split(",") for number in _numbers(part, shape[1])] for row in text.split(";")]
    if [len(row) for row in rows] != [shape[1]] * shape[0]:
        widths = " and ".join(str(size) for size in sorted({len(row) for row in rows}))
        raise InputError(f"it needs {shape[0]} rows of {shape[1]} numbers, not {len(rows)} of {widths}")
    return torch.tensor(rows, dtype=torch.float32)


def _repeated(number: float, times: int) -> str:
    return f"{number:g}" if times == 1 else f"{number:g}x{times}"


def _numbers(part: str, most: int) -> list[float]:
    number, _, times = part.partition("x")
    try:
        value, count = float(number), int(times or 1)
    except ValueError:
        raise InputError(f"“{part[:20]}” is not a number") from None
    if not abs(value) <= LARGEST or not 1 <= count <= most:
        raise InputError(f"“{part[:20]}” is not a number from −{LARGEST} to {LARGEST}")
    return [value] * count


def _matrix_of_address(name: str, default: Tensor) -> Tensor:
    """The matrix of the address, or the default if there is none that can be used."""
    try:
        return parameter(name, lambda text: decode(text, default.shape), default)
    except InputError as error:
        reason = typeset.plain(str(error))
        st.warning(f"The link holds numbers for {name} that cannot be used: {reason}. The example's own are shown.")
        return default


def _keep(name: str, matrix: Tensor, default: Tensor) -> None:
    if not torch.equal(matrix, default):
        if st.query_params.get(name) != encode(matrix):
            st.query_params[name] = encode(matrix)
    elif name in st.query_params:
        del st.query_params[name]


def _checked(name: str, table: pd.DataFrame, former: Tensor) -> Tensor:
    matrix = former.clone()
    for row, (label, numbers) in enumerate(table.iterrows()):
        for column, number in enumerate(numbers):
            if number is None or math.isnan(number) or abs(number) > LARGEST:
                st.warning(
                    f"In {name}, row “{label}”, column “{table.columns[column]}”, a number from −{LARGEST} to "
                    f"{LARGEST} is needed. Until you type one, {former[row, column]:g} is used."
                )
            else:
                matrix[row, column] = number
    return matrix
