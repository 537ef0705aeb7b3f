"""Queries that lead to every control of every page, and what is made light on the way: bounds, and tiny networks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import nn

from core.models.bert import BERTConfig
from core.shrinking import students
from core.zoo import embedded, sentiment_classifiers
from dashboard.cache import memo
from dashboard.contents import Page
from tests.core.saved_models import save_captioner, save_text_model, save_translator, save_vilt
from tests.pages.tiny_drawers import patch_image_gpts, randomise, tiny_coders, tiny_dalles


@dataclass(frozen=True)
class Way:
    """A query that leads to controls of a page, where a value of the code may have to be another."""

    query: dict[str, Any]
    patches: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Saved:
    """A tiny random model in a folder of its own, which stands in a query for its path."""

    save: Callable[[str, Path], Path]
    kind: str


TRAINED = {"captioning", "clip"}  # pages whose networks were built around trained encoders of images
CHANNELS = 4  # of a head, and of the middle of an MLP

# By the address of the page: choices that show controls which a section does not have at first, and models that
# somebody names.
WAYS: dict[str, tuple[Way, ...]] = {
    "steps": (
        Way({"begin": "Your sentence"}),  # without a section, as links were before the page had any
        Way({"example": "The classic: scores 112 and 96"}),
        Way({"show": "Geometry", "begin": "Your sentence"}),
        Way({"show": "Geometry", "example": "The classic: scores 112 and 96"}),
    ),
    "heads": (
        Way({"show": "Measured", "input": "Picture", "network": "vit-tiny-imagenet"}),
        Way({"show": "Ablated heads", "silenced": "0.0"}),
    ),
    "order": (
        Way({"show": "Shuffle", "shuffled": "A photograph"}),
        Way({"show": "Learned", "learner": "An image model"}),
        Way({"show": "Learned", "model": Saved(save_text_model, "bart")}),
        Way({"show": "Relative", "way": "T5"}),
        Way({"show": "Relative", "way": "Swin", "network": "swin-tiny-imagenet"}),
    ),
    "inside": (
        Way({"show": "Walk", "machine": "Encoder", "network": "vit-tiny-imagenet"}),
        Way({"show": "Walk", "machine": "Encoder-decoder"}),
        Way({"show": "Walk", "part": "token_embedding"}),
        Way({"show": "Walk", "part": "blocks.0.mlp"}),
        Way({"show": "Walk", "part": "output"}),
        Way({"show": "Stream", "machine": "Encoder-decoder"}),
    ),
    "translation": (
        Way({"show": "Word by word", "steps_model": "Transformer"}),
        Way({"show": "Cut a link", "change_model": "Transformer"}),
        Way({"show": "Any model", "translator": Saved(save_translator, "nllb"), "text": "Who?"}),
        Way({"show": "Any model", "translator": Saved(save_translator, "t5"), "text": "Who?"}),
        Way(
            {"show": "Any model", "translator": Saved(save_translator, "bart"), "text": "Who?"},
            {"pages.language.translation.any_model.MOST": 1},
        ),
    ),
    "long-text": (
        Way({"show": "How far", "book": "Your own"}),
        Way({"show": "Forgetting", "forget_text": "Your own"}),
    ),
    "next-word": (Way({"show": "Tokens", "tokens_look": "One sentence, many scripts"}),),
    "missing-word": (
        Way({"show": "Fill in", "hide": "1.3"}),
        Way({"show": "Grammar", "grammar_from": "annotated"}),
        Way({"show": "Grammar", "grammar_heads": "one head"}),
        Way({"show": "Grammar", "text": "The dog that had seen the cat slept. It rained."}),
        Way({"show": "Grammar", "text": "The dog and the cat and the bird and " * 5 + "the fish slept."}),
        Way({"show": "Across languages", "hide_english": "1.2"}),
        Way({"show": "Across languages", "across_head": "any head"}),
        Way({"show": "Inference across languages", "infer_when": "before"}),
    ),
    # A button stands before what takes longer than PATIENCE; here before everything.
    "sentiment": (Way({"show": "Faithful?"}, {"pages.language.sentiment.faithful.PATIENCE": -1}),),
    "vit": (Way({"show": "Explanations"}, {"pages.vision.vision_transformer.faithful.PATIENCE": -1}),),
    "swin": (Way({"show": "Maps", "maps_of": "the difference of two heads"}),),
    "captioning": (Way({"show": "Any model", "captioner": Saved(save_captioner, "blip")}),),
    "clip": (Way({"show": "Agreement", "world": "Photographs"}), Way({"show": "Agreement", "world": "Emoji"})),
    "joint": (Way({"show": "Any model", "vilt": Saved(save_vilt, "ForMaskedLM")}),),
    "generation": (
        Way({"show": "Go on", "way_on": "half a picture"}),
        Way({"show": "Painted in stages", "painted_view": "another word"}),
        Way({"show": "Painted in stages", "painted_view": "another word", "drawn_world": "Emoji"}),
    ),
    "efficient": (
        Way({"show": "Maps", "source": "Your own"}),
        Way({"show": "Maps", "maps_method": "Linformer", "maps_projection": "random"}),
        Way(
            {"show": "Maps", "model": Saved(save_text_model, "llama")},
            {f"pages.scale.efficient_attention.reading.{name}": size for name, size in (("FEWEST", 16), ("USUAL", 32))},
        ),
    ),
    "shrinking": (
        Way({"show": "Heads", "shrunk": "Vision transformer"}),
        Way({"show": "Distilled", "distilled_of": "Vision transformer"}),
    ),
}


def ways_into(visit: Callable[..., AppTest], page: Page, folders: pytest.TempPathFactory) -> list[Way]:
    """Ways that show all of a page: each of its sections, and then what else has to be chosen."""
    rows = visit(page.folder).get("button_group")
    names = [option.content for row in rows if row.proto.label == "What to look at" for option in row.proto.options]
    sections = [Way({"show": name}) for name in names] or [Way({})]
    return [*sections, *(_saved(way, folders) for way in WAYS.get(page.url, ()))]


def _saved(way: Way, folders: pytest.TempPathFactory) -> Way:
    query = {
        name: str(value.save(value.kind, folders.mktemp(value.kind))) if isinstance(value, Saved) else value
        for name, value in way.query.items()
    }
    return Way(query, way.patches)


def lighten(page: Page, patch: pytest.MonkeyPatch) -> None:
    """Put narrow random networks in the place of those that take long; what is kept of those is forgotten."""
    memo.clear()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        if page.url not in TRAINED:
            narrow_embedded(patch)
        if light := LIGHTER.get(page.url):
            light(patch)


def narrow_embedded(patch: pytest.MonkeyPatch) -> None:
    """Models of texts and of images that come with the atlas, and students of few channels a head."""
    read = embedded._read_config

    def read_narrow(folder: Path, *known: str) -> dict[str, Any]:
        config = read(folder, *known)
        if "heads" in config:
            config |= {"width": CHANNELS * config["heads"]}
        if "hidden" in config:
            config |= {"hidden": CHANNELS}
        if "embed_dim" in (sizes := config.get("sizes", {})):
            heads = sizes["num_heads"]
            config |= {"sizes": sizes | {"embed_dim": CHANNELS * (heads if isinstance(heads, int) else heads[0])}}
        return config

    def narrow_bert(**sizes: Any) -> BERTConfig:
        return BERTConfig(**sizes | {"width": CHANNELS * sizes["heads"], "hidden": CHANNELS})

    patch.setattr(embedded, "_read_config", read_narrow)
    patch.setattr(sentiment_classifiers, "BERTConfig", narrow_bert)
    for module in (embedded, students, sentiment_classifiers):
        patch.setattr(module, "load_weights", lambda make, _file, **_elsewhere: randomised(make()))


def randomised(network: nn.Module) -> nn.Module:
    randomise(network, 0.2)
    return network.eval().requires_grad_(False)


def tiny_drawers(patch: pytest.MonkeyPatch) -> None:
    """DALL-E and its discrete VAEs."""
    coders = tiny_coders()
    patch.setattr("dashboard.cache.models.load_coder", coders.__getitem__)
    patch.setattr("dashboard.cache.models.load_dalle", tiny_dalles(coders).__getitem__)


def short_sentences(patch: pytest.MonkeyPatch) -> None:
    """Fields for sentences to be translated take no more than the longest example needs."""
    patch.setattr("pages.language.translation.inputs.LONGEST", 80)


def short_books(patch: pytest.MonkeyPatch) -> None:
    """Books of which hundreds of tokens are read; the longest needle and question fit in the shortest haystack."""
    page = "pages.explore.long_text"
    patch.setattr(f"{page}.inputs.LENGTHS", (256, 512, 1024))
    patch.setattr(f"{page}.inputs.FIRST_LENGTH", 512)
    patch.setattr(f"{page}.compute_needles.LENGTHS", (512, 640))
    patch.setattr(f"{page}.compute_needles.DEPTHS", (0, 100))
    patch.setattr(f"{page}.forgetting.LENGTHS", (256, 512))
    patch.setattr(f"{page}.forgetting.FIRST_LENGTH", 512)


LIGHTER: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "long-text": short_books,
    "translation": short_sentences,
    "reconstruction": patch_image_gpts,
    "generation": tiny_drawers,
}
