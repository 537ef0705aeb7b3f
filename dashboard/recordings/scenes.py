"""Scenes for the attention view, made from recorded runs: which tokens or patches each attention layer connects."""

from dataclasses import replace
from typing import Any

from core.capture import AttentionCall, Record, by_layer, layer_numbers
from core.capture.view_of_record import layer_of_call
from core.errors import CaptureError
from core.images import Patches
from core.view import Layer
from core.zoo import ImageModel, ImageRun, PreparedPicture, TextModel, TextRun
from dashboard.components.attention_view import PatchSequence, Scene, Sequence, TextSequence

Head = tuple[int, int]  # (the model's number of the layer, head), both counted from 0
OwnLayers = tuple[str, dict[int, AttentionCall]]


def text_scene(model: TextModel, run: TextRun, record: Record, start: Head) -> Scene:
    """The scene of all attention layers whose queries and keys are tokens of the text (or of source and target).

    `start` is the head, by its layer's number, that is in view at first.
    """
    sequences = {name: TextSequence(tokens.labels, tokens.special) for name, tokens in run.sequences.items()}
    names = [model.sequences_of(call, run) for call in record.calls]
    return _scene(model.title, sequences, record, names, start)


def image_scene(model: ImageModel, prepared: PreparedPicture, run: ImageRun, record: Record, start: Head) -> Scene:
    """The scene of all attention layers whose queries and keys are patches of the entire picture."""
    names = [model.sequences_of(call, run) for call in record.calls]
    sequences = {
        name: _grid(grid, prepared)
        for name, grid in run.sequences.items()
        if any(sequences_between and name in sequences_between for sequences_between in names)
    }
    return _scene(model.title, sequences, record, names, start)


def _grid(grid: Patches, prepared: PreparedPicture) -> Sequence:
    """The sequence of a grid of patches; in some models (CaiT) the only query is the class token, without a place."""
    if grid.rows * grid.columns == 0:
        return TextSequence(grid.prefix, (False,) * len(grid.prefix))
    return PatchSequence(grid.rows, grid.columns, grid.prefix, prepared.photograph)


def self_attention_layers(model: TextModel | ImageModel, run: TextRun | ImageRun, record: Record) -> OwnLayers:
    """The name of the first sequence with self-attention, and its self-attention layers by their numbers in the model.

    In an encoder-decoder, those of the encoder. ("", {}) if there are none.
    """
    any_model: Any = model  # the union's methods take runs of different types
    calls = {
        number: (call, any_model.sequences_of(call, run))
        for number, call in by_layer(record.calls).items()
        if call.kind == "self"
    }
    self_attention = {
        number: (call, names[0]) for number, (call, names) in calls.items() if names and names[0] == names[1]
    }
    sequence = next((name for _, name in self_attention.values()), "")
    return sequence, {number: call for number, (call, name) in self_attention.items() if name == sequence}


def number_of(scene: Scene, layer: int) -> int:
    """The model's number of a layer of the scene, which may not hold all layers."""
    return int(scene.layers[layer].label)


def layer_of(scene: Scene, number: int) -> int | None:
    """The index in the scene of the layer with that number; None if it is not in the scene."""
    return next((place for place, layer in enumerate(scene.layers) if layer.label == str(number)), None)


def _scene(title: str, sequences: dict, record: Record, names: list, start: Head) -> Scene:
    layers = tuple(
        _layer(number, call, *between)
        for number, call, between in zip(layer_numbers(record.calls), record.calls, names, strict=True)
        if between is not None
    )
    if not layers and all(call.over == "channel" for call in record.calls):
        raise CaptureError(
            f"{title} has {len(record.calls)} attention layers, and in each of them channels look at channels: rows "
            "and columns of their maps are no parts of the picture, so there is nothing to draw over it."
        )
    if not layers and all(call.batch_size == 1 for call in record.calls):
        raise CaptureError(
            f"{title} has {len(record.calls)} attention layers, and none of them connects whole sequences alone: the "
            f"first has {record.calls[0].query_length} queries and {record.calls[0].key_length} keys, tokens of the "
            "model's own among them. Choose another model."
        )
    if not layers:
        raise CaptureError(
            f"{title} has {len(record.calls)} attention layers, and none of them connects whole sequences: its "
            f"attention lives in windows (the first has {record.calls[0].query_length} tokens). Open it in Vision / "
            "Swin."
        )
    scene = Scene(sequences, layers, title=title)
    place = layer_of(scene, start[0])
    return scene if place is None else replace(scene, start=(place, start[1]))


def _layer(number: int, call: AttentionCall, query: str, key: str) -> Layer:
    kinds = {"cross": "cross", "unknown": "self or cross unknown"}
    group = kinds.get(call.kind, query if query in ("source", "target") else "")
    return layer_of_call(number, call, query, key, group=group)
