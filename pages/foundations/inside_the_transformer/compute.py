"""Models that were walked through, part by part, and the numbers of their parts; kept for the next visitor."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import torch
from torch import nn

from core.costs import count_flops
from core.images import Patches
from core.interpretability import Arrays, Lane, ModelWalk, Part, ResidualStream, arrays_of, stream_of, walk
from core.interpretability.logit_lens import Lens, logit_lens
from core.progress import Progress, no_progress
from core.text import Cut, encode, read_text
from core.translation.decoding import BEGIN, END
from core.translation.spelling import normalise_english, normalise_french
from core.zoo.kinds import writes_target
from dashboard import typeset
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model, translator
from dashboard.inputs.photograph import Photograph
from dashboard.recordings.watched import Text, content_of

LONGEST = 40  # tokens: so many rows can still be told apart
TRANSLATOR = "transformer"  # of those on the page Translation


@dataclass(frozen=True, eq=False)
class Walk:
    """A model, one input, and the way through it.

    `labels` are those of the tokens of each lane ("" where there is one only); `label` names what a number of the
    output stands for. `cut` says where the text was cut.
    """

    identity: Hashable
    title: str
    network: nn.Module
    walked: ModelWalk
    labels: dict[str, tuple[str, ...]]
    label: Callable[[int], str]
    patches: Patches | None = None
    cut: Cut | None = None

    def labels_of(self, lane: Lane, count: int) -> tuple[str, ...]:
        """A label for each of `count` tokens of a lane; numbers, where there are others than went in."""
        known = self.labels.get(lane.name, ())
        return known if len(known) == count else tuple(map(str, range(count)))

    def labels_at(self, part: Part, count: int) -> list[str]:
        """The tokens of a part's lane, as they are read on an axis."""
        lane = self.walked.lane_of(part.key)
        labels = self.labels_of(lane, count)
        if len(self.walked.lanes) > 1 and len(self.labels.get(lane.name, ())) != count:
            labels = next((known for known in self.labels.values() if len(known) == count), labels)
        return [typeset.readable(label) for label in labels]


@cached("Walking through …")
def walk_text(name: str, text: Text) -> Walk:
    """A text model and the first tokens of a text (an encoder-decoder also writes its own target)."""
    model = text_model(name)
    tokens = encode(model.tokenizer, content_of(text), context=min(LONGEST, model.context))
    source, labels = torch.tensor([tokens.ids]), {"": tokens.labels}
    if writes_target(model):
        written = model.run(tokens).sequences["target"]
        labels = {"encoder": tokens.labels, "decoder": written.labels}
        target = torch.tensor([written.ids])
        walked = walk(model.network, lambda network: network(input_ids=source, decoder_input_ids=target))
    else:
        walked = walk(model.network, lambda network: network(source))
    return Walk((name, _known_by(text)), model.title, model.network, walked, labels, model.label, cut=tokens.cut)


@cached("Walking through …")
def walk_picture(photograph: Photograph) -> Walk:
    """An image model and a picture."""
    model, prepared = photograph.model, photograph.prepared
    patches = prepared.patches
    places = (f"{row}, {column}" for row in range(patches.rows) for column in range(patches.columns))
    walked = walk(model.network, lambda network: network(prepared.pixels))
    if not model.classes:
        walked = replace(walked, logits=None)
    labels, label = {"": (*patches.prefix, *places)}, model.classes.__getitem__
    return Walk(photograph.identity, model.title, model.network, walked, labels, label, patches=patches)


@cached("Walking through …")
def walk_translation(english: Text, french: str) -> Walk:
    """The trained encoder-decoder, on a source and the target so far; without one, on its own translation."""
    model = translator(TRANSLATOR)
    source = encode(model.tokenizer, normalise_english(content_of(english)), context=LONGEST)
    if french.strip():
        target = encode(model.tokenizer, normalise_french(read_text(french)), context=LONGEST)
    else:
        target = model.tokens(model.write(source).best.tokens[:LONGEST])
    ids = (BEGIN, *(target.ids[:-1] if target.ids[-1] == END else target.ids))
    inputs = torch.tensor([source.ids]), torch.tensor([ids])
    walked = walk(model.network, lambda network: network(*inputs))
    return Walk(
        (TRANSLATOR, _known_by(english), french),
        f"translation, {model.title}",
        model.network,
        walked,
        {"encoder": source.labels, "decoder": model.tokens(ids).labels},
        lambda number: model.tokens((number,)).labels[0],
        cut=source.cut or target.cut,
    )


def _known_by(text: Text) -> str:
    return text if isinstance(text, str) else text.identity


@cached()
def part_arrays(walk: Walk, key: str) -> Arrays:
    """What went into a part and what came out of it."""
    return arrays_of(walk.walked, key)


@cached()
def residual_stream(walk: Walk, lane: str) -> ResidualStream:
    """The residual stream of a lane at the borders of the blocks of its last stack."""
    (stack,) = (candidate.stacks[-1] for candidate in walk.walked.lanes if candidate.name == lane)
    return stream_of(walk.walked, stack)


@cached("Reading each layer …", unit="layers")
def lens(walk: Walk, progress: Progress = no_progress) -> Lens:
    """What the model would say after each layer."""
    return logit_lens(walk.walked, progress)


@cached("Counting …")
def counted_flops(walk: Walk) -> dict[str, int]:
    """Part -> operations of one run."""
    return count_flops(walk.network, walk.walked.run)
