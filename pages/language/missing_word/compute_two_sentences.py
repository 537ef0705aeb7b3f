"""What is computed for Two sentences: whether the second follows, and how much of each head looks across."""

from dataclasses import dataclass, replace

import torch

from core import zoo
from core.capture import record_attention
from core.errors import InputError
from core.probing.masked_words.sentence_pairs import Crossing, crossing, segment_vectors
from core.results.next_sentence_results import NextSentence, next_sentence
from core.text import Tokens, read_text
from core.view.packing import overview_of
from core.zoo import embedded
from dashboard.cache.memo import cached
from dashboard.components.attention_view import Scene
from dashboard.inputs import example_texts
from dashboard.recordings.watched import Head, WatchedText
from pages.language.missing_word.inputs import masked_model

FIRST_SENTENCE, FOLLOWS, FOLLOWS_NOT = example_texts.examples("two-sentences").values()
# Second sentences of ours that follow no first one: what the model says of these is the yardstick of its answer.
UNRELATED = (
    FOLLOWS_NOT,
    "The king gave his daughter in marriage to the prince.",
    "In the morning the doctor found a letter upon the table.",
    "She opened the window and looked out into the garden.",
    "The price of corn had risen again in the spring.",
    "It is not easy to say what became of the money.",
    "“You are quite wrong,” said the lawyer, and shut the book.",
    "The horses were tired, for the road was long and steep.",
    "There were three letters in the box, and none of them was signed.",
    "The train was late, and nobody knew when it would come.",
    "My aunt had never been to London before.",
    "The soldiers crossed the river before the sun was up.",
)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two sentences in one input, as a model read them."""

    watched: WatchedText
    crossing: Crossing

    @property
    def tokens(self) -> Tokens:
        """Both sentences, with what stands around them."""
        return self.watched.inputs


@dataclass(frozen=True)
class SegmentLengths:
    """How long the vectors are that tell the sentences apart, and those of the tokens they are added to, on average."""

    first: float
    second: float
    apart: float  # the length of their difference
    tokens: float


@cached("Reading both sentences …")
def read(name: str, first: str, second: str) -> Pair:
    """Run the model once on both; its attention is recorded."""
    model = masked_model(name)
    tokens = model.encode_pair(read_text(first), read_text(second))
    with torch.inference_mode(), record_attention(model.network) as record:
        run = model.run(tokens)
    watched = WatchedText(model, tokens, run, record, identity=(name, "pair", first, second))
    return Pair(watched, crossing(record, tokens))


@cached()
def follows(name: str, first: str, second: str, segments: bool = True) -> float:
    """How probable the model says it is that the second sentence follows; without `segments` it is told that all
    tokens belong to the first one."""
    model = masked_model(name)
    tokens = model.encode_pair(read_text(first), read_text(second))
    with torch.inference_mode():
        return model.follows(tokens if segments else replace(tokens, segments=(0,) * len(tokens)))


@cached("Asking about unrelated sentences …")
def unrelated(name: str, first: str, second: str) -> dict[str, float]:
    """The same of each sentence of UNRELATED in the place of `second`, if there is room for it."""
    probabilities = dict[str, float]()
    for other in UNRELATED:
        if other.strip() in (first.strip(), second.strip()):
            continue
        try:
            probabilities[other] = follows(name, first, other)
        except InputError:  # both are too long together
            continue
    return probabilities


@cached(computes=False)
def measured(name: str) -> NextSentence | None:
    """How often the answer is right on held-out pairs; None where nobody has measured."""
    return next_sentence(embedded.WEIGHTS / name) if name in zoo.TEXT else None


@cached()
def one_head(name: str, first: str, second: str, head: Head) -> Scene:
    """What the view shows, beginning with one head."""
    watched = read(name, first, second).watched
    scene = replace(watched.scene, start=head) if watched.scene.has(*head) else watched.scene
    overview_of(scene)  # computed here, so that it is kept with the scene
    return scene


@cached()
def segment_lengths(name: str) -> SegmentLengths | None:
    """The lengths of the segment vectors; None where the model has none."""
    model = masked_model(name)
    vectors = segment_vectors(model.network) if model.has_segments else None
    if vectors is None or len(vectors) < 2:
        return None
    tables = [module.weight for module in model.network.modules() if isinstance(module, torch.nn.Embedding)]
    words = max(tables, key=len).detach().float()
    first, second, apart = (float(vector.norm()) for vector in (vectors[0], vectors[1], vectors[0] - vectors[1]))
    return SegmentLengths(first, second, apart, float(words.norm(dim=-1).mean()))
