"""Downloads of all heads of a view: arrays in one file for numpy, the view in one for a browser."""

import io
from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
import streamlit as st

from core.capture import by_layer
from core.images import Patches
from core.text import Tokens
from core.view import Scene, html_file
from dashboard import theme
from dashboard.recordings.watched import Watched


def download_all_heads(watched: Watched) -> None:
    """Draw a button for an NPZ file with the weights of every head and the labels, computed at a click."""
    download_arrays(
        "All heads (NPZ)",
        lambda: all_heads(watched),
        name=watched.model.title,
        about="Every layer and head as float16, with the labels",
    )


def download_arrays(label: str, file: Callable[[], bytes], *, name: str, about: str) -> None:
    """Draw a button for an NPZ file, computed at a click; `about` describes it. Nothing on a projector."""
    if theme.is_presented():
        return
    st.download_button(
        label,
        data=file,
        file_name=f"attention-atlas-{name}.npz",
        mime="application/octet-stream",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
        help=f"{about}: numpy.load(file, allow_pickle=False)",
    )


def download_view(scene: Scene, *, start: tuple[int, int], view: str | None = None, token: int | None = None) -> None:
    """Draw a button for the view as an HTML file with all heads, computed at a click. Nothing on a projector.

    `start` is the layer and the head that the file opens with; `view` and `token` as for the view on the page.
    """
    if theme.is_presented():
        return
    st.download_button(
        "This view as a file",
        data=lambda: html_file(scene, start=start, view=view, token=token).content,
        file_name=f"attention-atlas-{scene.title}.html",
        mime="text/html",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
        help="One HTML file with all heads: opens in any browser, without a network",
    )


def npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of an NPZ file with these arrays by their names."""
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def all_heads(watched: Watched) -> bytes:
    """The bytes of an NPZ file: `weights_<layer>` (head, query, key) float16, `path_<layer>`, `labels_<sequence>`."""
    arrays: dict[str, np.ndarray] = {}
    for layer, call in by_layer(watched.record.calls).items():
        heads = [call.weights(head=head).numpy().astype(np.float16) for head in range(call.heads)]
        arrays[f"weights_{layer}"] = np.stack(heads)
        arrays[f"path_{layer}"] = np.array(call.path)
    for name, sequence in watched.run.sequences.items():
        arrays[f"labels_{name}"] = np.array(_labels(sequence))
    return npz(arrays)


def _labels(sequence: Tokens | Patches) -> tuple[str, ...]:
    """A label for each token; patches are named by row and column."""
    if isinstance(sequence, Tokens):
        return sequence.labels
    places = product(range(sequence.rows), range(sequence.columns))
    return (*sequence.prefix, *(f"row {row}, column {column}" for row, column in places))
