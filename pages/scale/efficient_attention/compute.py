"""Texts that a model reads or writes, and approximations of its heads, kept for the next visitor."""

from dataclasses import dataclass, replace

import streamlit as st
import torch

from core import zoo
from core.capture import AttentionCall, record_attention
from core.efficient import LowRank, Sparse, Variant, factors, swapped
from core.efficient import approximation_error as efficiency
from core.efficient import error_curve as efficiency_curve
from core.efficient.approximation_error import Comparison, Head
from core.efficient.error_curve import Point
from core.efficient.sparse_reach import heard_by, layers_needed
from core.errors import InputError, ModelError
from core.models import sampling
from core.models.gpt import GPT
from core.models.gpt_rotary import RotaryGPT
from core.progress import Progress
from core.text import Tokens, encode
from dashboard.kept import Upload, computing
from dashboard.runs.once import Once
from dashboard.watched import content_of
from pages.scale.efficient_attention.words_maps import TOO_LONG_FOR_RANK, TOO_SHORT

SEED = 0
FIRST = 256  # tokens of the example that is there at once
LONGEST_RANK = 1024  # tokens: a singular value decomposition of a larger map takes seconds
DEAREST = 4.0  # times the exact kernel's work: what costs more is not drawn
FEW, FAR = 48, 16  # rows, evenly spread, that tell one head from another; tokens between a query and a far key
CELLS = 256  # on a side of the maps: three of them are sent at a time

LONGEST = 16_384  # tokens: what is read at most
USUAL = 4096  # tokens that are read unless somebody asks for more: 16,384 take a minute on two cores

Own = tuple[str, str | Upload, int]  # the model, the text, and how many tokens of it are read at most


@dataclass(frozen=True, eq=False)
class Reading:
    """A model, a text, and what its layers computed with. Shared by all visitors: never changed."""

    model: zoo.TextModel
    tokens: Tokens
    calls: tuple[AttentionCall, ...]

    @property
    def length(self) -> int:
        """How many tokens were read."""
        return len(self.tokens)


@st.cache_resource(max_entries=3, show_spinner="Loading the model …")
def long_model(name: str) -> zoo.TextModel:
    """A language model that `inspect_model` has let pass, for longer texts than other pages read."""
    return zoo.load_text(name, allow_folders=True, longest=LONGEST)


def can_write(name: str) -> bool:
    """Whether the model can write an example here."""
    return isinstance(long_model(name).network, GPT | RotaryGPT)


def longest(name: str) -> int:
    """How many tokens it can write."""
    network = long_model(name).network
    if not isinstance(network, GPT | RotaryGPT):
        raise ModelError(f"'{name}' cannot write an example here: type or open a text of your own.")
    return sampling.longest(network)


def first_model() -> str:
    """The model that is open before anybody chooses: the one with the longest context."""
    return max(zoo.TEXT, key=lambda name: long_model(name).context)


def write_first() -> None:
    """The example that is there at once."""
    name = first_model()
    written(name, min(FIRST, longest(name)))


@st.cache_resource(max_entries=8, show_spinner=False)
def _kept_writing(name: str, tokens: int) -> Once[str]:
    """An empty place for a text, shared by all who ask for it."""
    del name, tokens
    return Once()


def written(name: str, tokens: int, progress: Progress | None = None) -> str:
    """What the model writes by itself after a line break, always with the same seed.

    `progress` hears of each token, and may stop the work by an exception.
    """
    return _kept_writing(name, tokens).get(lambda: _write(long_model(name), tokens, progress))


def _write(model: zoo.TextModel, tokens: int, progress: Progress | None) -> str:
    assert isinstance(model.network, GPT | RotaryGPT)
    first = model.tokenizer.encode("\n", add_special_tokens=False).ids[0]
    with computing():
        numbers = sampling.sample(model.network, first, tokens, seed=SEED, progress=progress)
    return model.tokenizer.decode(list(numbers), skip_special_tokens=False)


@st.cache_resource(max_entries=2, show_spinner=False)
def _kept_reading(name: str, text: str | Upload, most: int) -> Once[Reading]:
    """An empty place for a reading, shared by all who ask for it."""
    del name, text, most
    return Once()


def read(name: str, text: str | Upload, most: int, progress: Progress | None = None) -> Reading:
    """Run a language model on a text (or the bytes of a file) and keep what its heads compute with.

    `progress` hears of each layer, and may stop the work by an exception.
    """
    return _kept_reading(name, text, most).get(lambda: _read(long_model(name), content_of(text), most, progress))


def _read(model: zoo.TextModel, text: str, most: int, progress: Progress | None) -> Reading:
    tokens = encode(model.tokenizer, text, context=min(most, model.context))
    if len(tokens) < 2:
        raise InputError(TOO_SHORT.format(count=len(tokens)))
    layers = _layers(model, text) if progress else 0

    def tell(seen: int) -> None:
        if progress:
            progress(seen, layers)

    with computing(), torch.inference_mode(), record_attention(model.network, progress=tell) as record:
        run = model.run(tokens)
    if "target" in run.sequences:
        raise ModelError(f"{model.title} writes an answer of its own length. Choose a model that reads one text.")
    return Reading(model, tokens, record.calls)


def _layers(model: zoo.TextModel, text: str) -> int:
    """How often the model attends, told from the beginning of the text: a run of a moment."""
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(encode(model.tokenizer, text, context=2))
    return len(record.calls)


def head(own: Own, layer: int, number: int) -> Head:
    """The queries, keys and values of one head; CaptureError where nothing can be put in its place."""
    return efficiency.head_of(read(*own).calls[layer], number)


@st.cache_resource(max_entries=16, show_spinner=False)
def farthest(own: Own) -> tuple[int, int]:
    """The layer and the head that look most at single tokens far back: there an approximation has most to lose."""
    reading, found = read(*own), dict[tuple[int, int], float]()
    rows = torch.linspace(0, reading.length - 1, min(reading.length, FEW)).round().long()
    for layer, call in enumerate(reading.calls):
        if call.query_length == call.key_length == reading.length:
            for number in range(call.heads):
                weights = call.weights(number, queries=rows.tolist())
                far = (rows[:, None] - torch.arange(reading.length)) >= min(FAR, reading.length // 4)
                far[:, 0] = False  # the first token is where attention goes that has no use
                found[layer, number] = float((weights * far).amax(dim=-1).mean())
    return max(found, key=found.__getitem__, default=(0, 0))


@st.cache_resource(max_entries=24, show_spinner=False)
def comparison(own: Own, layer: int, number: int, variant: Variant) -> Comparison:
    """Both maps and the errors."""
    given = head(own, layer, number)
    variant = _with_factors(own, layer, number, variant, given)
    with computing():
        return efficiency.compare(variant, given, size=CELLS)


@st.cache_resource(max_entries=64, show_spinner=False)
def along(own: Own, layer: int, number: int, variant: Variant) -> tuple[Point, ...]:
    """The variant from its cheapest setting to its dearest: ask with the same setting for all, to be kept once."""
    given = head(own, layer, number)
    variant = _with_factors(own, layer, number, variant, given)
    with computing():
        return efficiency_curve.error_against_cost(variant, given, dearest=DEAREST)


@st.cache_resource(max_entries=32, show_spinner=False)
def needed(variant: Sparse, tokens: int, layers: int) -> torch.Tensor:
    """In how many layers each token hears of each other."""
    return layers_needed(variant.allowed(tokens), layers)


@st.cache_resource(max_entries=32, show_spinner=False)
def heard(variant: Sparse, tokens: int, layers: int) -> tuple[torch.Tensor, ...]:
    """What the last token hears of, layer by layer."""
    with computing():
        return heard_by(variant, tokens, tokens - 1, layers)


@st.cache_resource(max_entries=64, show_spinner=False)
def _kept_surprises(own: Own) -> dict[tuple[Variant | None, tuple[int, ...]], torch.Tensor]:
    """An empty place, shared by all who ask about the same text."""
    del own
    return {}


def surprises(
    own: Own, variant: Variant | None, layers: tuple[int, ...], progress: Progress | None = None
) -> torch.Tensor:
    """-log p of each token after the first with a variant in these layers; `progress` may stop by an exception."""
    kept, place = _kept_surprises(own), (variant, layers if variant else ())
    if place not in kept:
        reading = read(*own)
        paths = [reading.calls[layer].path for layer in layers]
        with computing():
            kept[place] = swapped.surprises(reading.model, reading.tokens, variant, paths=paths, progress=progress)
    return kept[place]


def is_known(own: Own, variant: Variant, layers: tuple[int, ...]) -> bool:
    """Whether this has been measured already."""
    return (variant, layers) in _kept_surprises(own)


def _with_factors(own: Own, layer: int, number: int, variant: Variant, given: Head) -> Variant:
    if not isinstance(variant, LowRank):
        return variant
    if given.tokens > LONGEST_RANK:
        raise InputError(TOO_LONG_FOR_RANK.format(tokens=given.tokens, most=LONGEST_RANK))
    return replace(variant, factors=_factors(own, layer, number))


@st.cache_resource(max_entries=4, show_spinner=False)
def _factors(own: Own, layer: int, number: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    given = head(own, layer, number)
    with computing():
        return factors(*given.parts[:2], causal=given.causal)
