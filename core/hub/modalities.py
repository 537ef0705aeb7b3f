"""The modalities that a model of transformers reads, by its class: texts, pictures, sound, videos, time series."""

import inspect
from typing import Any

# The modality of each argument of a model's forward pass.
INPUTS = {
    "input_ids": "texts",
    "pixel_values": "pictures",
    "flattened_patches": "pictures",
    "pixel_values_videos": "videos",
    "input_values": "sound",
    "input_features": "sound",
    "audio_values": "sound",
    "audio_mel": "sound",
    "past_values": "time series",
    "states": "states and actions",
}
_ORDER = ("pictures", "videos", "sound", "time series", "states and actions", "texts")  # in a sentence


def modalities_of(architecture: str, config: Any) -> frozenset[str]:
    """The modalities of an architecture of transformers, some of the values of INPUTS; empty where they are unknown.

    `architecture` is the name of its class; where the library has none of that name, it is the class of the model that
    the library makes from a configuration like `config`.
    """
    model = _class_of(architecture, config)
    if model is None:
        return frozenset()
    arguments = inspect.signature(model.forward).parameters
    if "inputs" in arguments:  # Perceiver takes anything
        return frozenset()
    modalities = {INPUTS[name] for name in arguments if name in INPUTS}
    declared = getattr(model, "input_modalities", "text")
    if "texts" in modalities and "text" not in ((declared,) if isinstance(declared, str) else declared):
        modalities = modalities - {"texts"} or {"pictures"}  # image-GPT reads colours as tokens
    if modalities == {"pictures"} and hasattr(config, "num_frames"):
        modalities = {"videos"}
    return frozenset(modalities)


def join_names(modalities: frozenset[str]) -> str:
    """The names of modalities, joined for a sentence: "pictures and texts"."""
    *first, last = [name for name in _ORDER if name in modalities]
    return f"{', '.join(first)} and {last}" if first else last


def _class_of(architecture: str, config: Any) -> Any:
    """The class of transformers of that name, or the one for such a configuration; None if there is neither."""
    import transformers
    from transformers import MODEL_MAPPING, PreTrainedModel

    try:
        model = getattr(transformers, architecture, None)
        if not (isinstance(model, type) and issubclass(model, PreTrainedModel)):
            model = MODEL_MAPPING.get(type(config), None)
    except Exception:  # a dependency is not installed: the model cannot be built either
        return None
    return model[0] if isinstance(model, list | tuple) else model
