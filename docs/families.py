"""Every family of models in the installed libraries, built small and with random weights, and run on one input."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from docs.small_configs import FEW, HEADS, LAYERS, SMALL, TOKENS, WIDTH, parts_of, set_own, shrink
from docs.small_inputs import inputs

NO_HEADS = "It has no attention heads."

# What makes a model, a run of it, and the run of its eager twin: that one's output and its own maps.
Eager = Callable[[nn.Module], tuple[Any, list[Tensor]]]
Built = tuple[Callable[[], nn.Module], Callable[[nn.Module], Any], Eager | None]


@dataclass(frozen=True)
class Way:
    """A way of building a family; `note`: what is left out in it."""

    build: Callable[[], Built]
    note: str = ""


@dataclass(frozen=True)
class Family:
    """A library, a name in it, and the ways of building it; the first that runs is used."""

    library: str
    name: str
    ways: tuple[Way, ...]


def families() -> Iterator[Family]:
    """Yield every family of the installed libraries that reads texts, pictures or sound."""
    yield from _of_torch()
    yield from _of_transformers()
    yield from _of_timm()
    yield from _of_torchvision()


# torch


def _of_torch() -> Iterator[Family]:
    text = torch.randn(2, TOKENS, WIDTH)

    def attention() -> Built:
        def eager(model: nn.Module) -> tuple[Any, list[Tensor]]:
            output, weights = model(text, text, text, average_attn_weights=False)
            return (output, model(text, text, text)[1]), [weights]

        return (
            lambda: nn.MultiheadAttention(WIDTH, HEADS, batch_first=True),
            lambda model: model(text, text, text),
            eager,
        )

    def encoder() -> Built:
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 64, batch_first=True)
        return lambda: nn.TransformerEncoder(layer, LAYERS), lambda model: model(text), None

    def decoder() -> Built:
        layer = nn.TransformerDecoderLayer(WIDTH, HEADS, 64, batch_first=True)
        return lambda: nn.TransformerDecoder(layer, LAYERS), lambda model: model(text, text.flip(1)), None

    def both() -> Built:
        return lambda: nn.Transformer(WIDTH, HEADS, 1, 1, 64, batch_first=True), lambda model: model(text, text), None

    for name, build in (
        ("MultiheadAttention", attention),
        ("TransformerEncoder", encoder),
        ("TransformerDecoder", decoder),
        ("Transformer", both),
    ):
        yield Family("torch.nn", name, (Way(build),))


# transformers


def _of_transformers() -> Iterator[Family]:
    from transformers import MODEL_MAPPING
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    supported = set(MODEL_MAPPING.keys())
    for family in sorted(CONFIG_MAPPING):
        with contextlib.suppress(Exception):  # one that a library is missing for
            config_class = CONFIG_MAPPING[family]
            if config_class in supported:
                ways = (
                    Way(
                        partial(_transformer, config_class, narrow=narrow, alone=alone, deep=deep),
                        "words alone" if alone else "",
                    )
                    for deep in (False, True)
                    for alone in (False, True)
                    for narrow in (True, False)
                    if narrow or not deep
                )
                yield Family("transformers", family, tuple(ways))


def _transformer(config_class: Any, *, narrow: bool, alone: bool, deep: bool) -> Built:
    """Functions that make, run and run eagerly a small model of transformers.

    `narrow`: all sizes are small, else only counts such as the number of layers. `alone`: words without a picture.
    `deep`: nested parts of the configuration are made small too.
    """

    from transformers import AutoModel

    def config(form: str) -> Any:
        settings = config_class()
        direct = (settings, *(getattr(settings, name) for name in getattr(settings, "sub_configs", {})))
        for part in parts_of(settings) if deep else direct:
            shrink(part, SMALL if narrow else FEW)
        set_own(settings)
        settings._attn_implementation = form
        return settings

    def make() -> nn.Module:
        torch.manual_seed(0)
        try:
            return AutoModel.from_config(config("sdpa"), attn_implementation="sdpa")
        except ValueError:  # it has an eager form only
            torch.manual_seed(0)
            return AutoModel.from_config(config("eager"), attn_implementation="eager")

    def run(model: nn.Module) -> Any:
        return model(**inputs(model, alone))

    def eager(model: nn.Module) -> tuple[Any, list[Tensor]]:
        twin = AutoModel.from_config(config("eager"), attn_implementation="eager").eval()
        twin.load_state_dict(model.state_dict())
        with torch.no_grad():
            plain, output = run(twin), twin(**inputs(twin, alone), output_attentions=True)
        names = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")
        maps = [map_ for name in names for map_ in (getattr(output, name, None) or ())]
        return plain, [map_ for map_ in maps if isinstance(map_, Tensor) and map_.ndim == 4]

    return make, run, eager


# timm


def _of_timm() -> Iterator[Family]:
    import timm

    from core.models.attention_heads import has_heads

    for module in timm.list_modules():
        names = [name for name in timm.list_models(module=module) if "_in21k" not in name]
        if not names:
            continue
        small = sorted(names, key=lambda name: (_size(name), len(name), name))[0]

        def build(name: str = small) -> Built:
            with torch.device("meta"):
                outline = timm.create_model(name)
            if not has_heads(outline):
                raise LookupError(NO_HEADS)
            size = outline.pretrained_cfg.get("input_size", (3, 224, 224))
            picture = torch.randn(1, *size)
            return lambda: timm.create_model(name, num_classes=3), lambda model: model(picture), None

        yield Family("timm", f"{module} ({small})", (Way(build),))


def _size(name: str) -> int:
    """The rank of a model's size by its name; the smallest comes first."""
    words = (
        "pico",
        "nano",
        "atto",
        "femto",
        "xxt",
        "xxs",
        "xt",
        "xs",
        "tiny",
        "_t",
        "mini",
        "small",
        "_s",
        "_b0",
        "base",
    )
    return next((place for place, word in enumerate(words) if word in name), len(words))


# torchvision


def _of_torchvision() -> Iterator[Family]:
    from torchvision import models

    def of(name: str, side: int, **settings: Any) -> Family:
        picture = torch.randn(1, 3, side, side)

        def build() -> Built:
            return lambda: models.get_model(name, **settings), lambda model: model(picture), None

        return Family("torchvision", name, (Way(build),))

    yield of("vit_b_16", 32, image_size=32)
    yield of("swin_t", 64)
    yield of("swin_v2_t", 64)
    yield of("maxvit_t", 224)
