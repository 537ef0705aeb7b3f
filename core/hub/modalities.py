"""What a model of transformers reads, told from its class: texts, pictures, sound, videos, time series."""

import inspect
from typing import Any

# The arguments of a model's forward pass that say what it reads.
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
    """What an architecture of transformers reads, some of the values of INPUTS; empty where nobody knows.

    `architecture` is the name of its class; where the library has none of that name, the model that the library makes
    from a configuration like `config` is taken.
    """
    model = _class_of(architecture, config)
    if model is None:
        return frozenset()
    arguments = inspect.signature(model.forward).parameters
    if "inputs" in arguments:  # Perceiver takes anything
        return frozenset()
    reads = {INPUTS[name] for name in arguments if name in INPUTS}
    named = getattr(model, "input_modalities", "text")
    if "texts" in reads and "text" not in ((named,) if isinstance(named, str) else named):
        reads = reads - {"texts"} or {"pictures"}  # image-GPT reads colours as tokens
    if reads == {"pictures"} and hasattr(config, "num_frames"):
        reads = {"videos"}
    return frozenset(reads)


def listed(modalities: frozenset[str]) -> str:
    """Modalities in a sentence: "pictures and texts"."""
    *first, last = [name for name in _ORDER if name in modalities]
    return f"{', '.join(first)} and {last}" if first else last


def _class_of(architecture: str, config: Any) -> Any:
    """The class of transformers of that name, or the one that is made from such a configuration; None if neither is."""
    import transformers
    from transformers import MODEL_MAPPING, PreTrainedModel

    try:
        model = getattr(transformers, architecture, None)
        if not (isinstance(model, type) and issubclass(model, PreTrainedModel)):
            model = MODEL_MAPPING.get(type(config), None)
    except Exception:  # what it needs is not installed: it cannot be built either
        return None
    return model[0] if isinstance(model, list | tuple) else model
