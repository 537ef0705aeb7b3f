"""Models that were walked through, part by part, and the numbers of their parts; kept for the next visitor."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st
import torch
from torch import nn

from core.anatomy import Arrays, Lane, Stack, Stream, Walked, arrays_of, stream_of, walk
from core.anatomy.logit_lens import Lens, logit_lens
from core.images import Patches, open_example, open_picture
from core.progress import Progress
from core.text import Cut, encode, read_text
from core.translation.decoding import BEGIN, END
from core.translation.spelling import normalise_english, normalise_french
from core.zoo.text_models import SourceToTarget
from dashboard.kept import Upload, computing
from dashboard.models import image_model, text_model
from dashboard.watched import content_of
from pages.language.translation.compute import translator

LONGEST = 40  # tokens: so many rows can still be told apart
TRANSLATOR = "transformer"  # of those on the page Translation

Identity = tuple


@dataclass(frozen=True, eq=False)
class Walk:
    """A model, one input, and the way through it. Shared by all visitors: never changed.

    `labels` are those of the tokens of each lane ("" where there is one only); `label` names what a number of the
    output stands for. `cut` says where the text was cut.
    """

    identity: Identity
    title: str
    network: nn.Module
    walked: Walked
    labels: dict[str, tuple[str, ...]]
    label: Callable[[int], str]
    patches: Patches | None = None
    cut: Cut | None = None

    def labels_of(self, lane: Lane, count: int) -> tuple[str, ...]:
        """A label for each of `count` tokens of a lane; numbers, where there are others than went in."""
        known = self.labels.get(lane.name, ())
        return known if len(known) == count else tuple(map(str, range(count)))


@st.cache_resource(max_entries=6, show_spinner="Walking through …")
def walk_text(name: str, text: str | Upload) -> Walk:
    """A text model and the first tokens of a text (an encoder-decoder also writes its own target)."""
    model = text_model(name)
    tokens = encode(model.tokenizer, content_of(text), context=min(LONGEST, model.context))
    source = torch.tensor([tokens.ids])
    labels = {"": tokens.labels}
    with computing():
        if isinstance(model, SourceToTarget):
            written = model.run(tokens).sequences["target"]
            labels = {"encoder": tokens.labels, "decoder": written.labels}
            target = torch.tensor([written.ids])
            walked = walk(model.network, lambda network: network(input_ids=source, decoder_input_ids=target))
        else:
            walked = walk(model.network, lambda network: network(source))
    identity = (name, tokens.ids)
    return Walk(identity, model.title, model.network, walked, labels, model.label, cut=tokens.cut)


@st.cache_resource(max_entries=6, show_spinner="Walking through …")
def walk_picture(name: str, picture: str | Upload, resolution: int | None) -> Walk:
    """An image model and a picture: an example's name, or the bytes of a file."""
    model = image_model(name)
    given = model.prepare(
        open_example(picture) if isinstance(picture, str) else open_picture(picture.content), resolution=resolution
    )
    patches = given.patches
    places = (f"{row}, {column}" for row in range(patches.rows) for column in range(patches.columns))
    labels = {"": (*patches.prefix, *places)}
    with computing():
        walked = walk(model.network, lambda network: network(given.pixels))
    if not model.classes:
        walked = replace(walked, logits=None)
    identity = (name, resolution, hashlib.blake2b(given.pixels.numpy().tobytes(), digest_size=16).hexdigest())
    return Walk(identity, model.title, model.network, walked, labels, model.classes.__getitem__, patches=patches)


@st.cache_resource(max_entries=6, show_spinner="Walking through …")
def walk_translation(english: str | Upload, french: str) -> Walk:
    """The trained encoder-decoder, on a source and the target so far; without one, on its own translation."""
    model = translator(TRANSLATOR)
    source = encode(model.tokenizer, normalise_english(content_of(english)), context=LONGEST)
    with computing():
        if french.strip():
            target = encode(model.tokenizer, normalise_french(read_text(french)), context=LONGEST)
        else:
            target = model.tokens(model.write(source).best.tokens[:LONGEST])
        ids = target.ids[:-1] if target.ids[-1] == END else target.ids
        given = torch.tensor([source.ids]), torch.tensor([(BEGIN, *ids)])
        walked = walk(model.network, lambda network: network(*given))
    labels = {"encoder": source.labels, "decoder": model.tokens((BEGIN, *ids)).labels}
    identity = (TRANSLATOR, source.ids, ids)

    def label(number: int) -> str:
        return model.tokens((number,)).labels[0]

    cut = source.cut or target.cut
    return Walk(identity, f"translation, {model.title}", model.network, walked, labels, label, cut=cut)


def part_arrays(walk: Walk, key: str) -> Arrays:
    """What went into a part and what came out of it."""
    return _part_arrays(walk.identity, key, walk)


def stream(walk: Walk, stack: Stack) -> Stream:
    """The residual stream at the borders of the blocks of a stack."""
    return _stream(walk.identity, stack.path, walk, stack)


def known_lens(walk: Walk) -> Lens | None:
    """What the logit lens shows, if somebody has asked before."""
    return _lenses(walk.identity).get("lens")


def lens(walk: Walk, progress: Progress) -> Lens:
    """What the model would say after each layer; `progress` may stop it by an exception."""
    kept = _lenses(walk.identity)
    if "lens" not in kept:
        with computing():
            kept["lens"] = logit_lens(walk.walked, progress)
    return kept["lens"]


@st.cache_resource(max_entries=24, show_spinner=False)
def _part_arrays(identity: Identity, key: str, _walk: Walk) -> Arrays:
    del identity
    with computing():
        return arrays_of(_walk.walked, key)


@st.cache_resource(max_entries=8, show_spinner=False)
def _stream(identity: Identity, path: str, _walk: Walk, _stack: Stack) -> Stream:
    del identity, path
    with computing():
        return stream_of(_walk.walked, _stack)


@st.cache_resource(max_entries=16, show_spinner=False)
def _lenses(identity: Identity) -> dict[str, Lens]:
    """An empty place, shared by all who ask for the same."""
    del identity
    return {}
