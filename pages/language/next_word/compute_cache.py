"""A text that is read step by step, and what caches cost and hold, kept for the next visitor."""

from dataclasses import dataclass

from core.costs import shape_of
from core.errors import InputError
from core.generation.reader import steps_within
from core.generation.shared_heads import CacheShape, measure_cache_bytes
from core.generation.step_costs import FEWEST, StepCosts, measure_steps
from core.generation.stepping import SteppedReading, read_in_steps
from core.hub.failures import as_model_error
from core.progress import Progress, no_progress
from core.text import Tokens
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model
from dashboard.recordings.watched import Text, content_of

LONGEST = 48  # tokens: more columns could not be told apart
# The small random models whose caches are counted: the same in all but how heads share keys and values.
LAYERS, HEADS, EACH = 4, 8, 16
KEY_HEADS = {"Multi-head": HEADS, "Grouped-query, 2 groups": 2, "Multi-query": 1}
WINDOWED = "Multi-head, sliding window"
LENGTHS = tuple(2**power for power in range(4, 11))  # 16 to 1,024 tokens


@dataclass(frozen=True, eq=False)
class CachedReading:
    """A text whose first tokens were read at once and the others one by one."""

    tokens: Tokens
    total: int  # tokens of the whole text, of which those that are cut are no tokens here
    stepped: SteppedReading
    heads: CacheShape | None  # None where there is no formula for the model


@cached("Reading step by step …", unit="tokens")
def stepped(name: str, text: Text, prompt: int, progress: Progress = no_progress) -> CachedReading:
    """Read at most LONGEST tokens: `prompt` at once (all, if there are no more), then one after the other.

    InputError for a single token, ModelError for a model that cannot be read in portions.
    """
    model = text_model(name)
    tokens = model.encode(content_of(text))
    total = tokens.cut.total if tokens.cut else len(tokens)
    count = min(len(tokens), LONGEST, steps_within(model.network, model.context))
    if count < 2:
        raise InputError("A step needs a token before it: type at least two tokens, for instance two words.")
    with as_model_error(name, "be read token by token"):
        reading = read_in_steps(model.network, tokens.ids[:count], prompt=min(prompt, count), progress=progress)
    return CachedReading(tokens, total, reading, heads_of(name))


def length_of(name: str, text: Text) -> int:
    """How many tokens of a text are shown."""
    model = text_model(name)
    return min(len(model.encode(content_of(text))), LONGEST, steps_within(model.network, model.context))


@cached()
def heads_of(name: str) -> CacheShape | None:
    """What the size of a model's cache depends on; None where core.costs does not know its shape."""
    network = text_model(name).network
    shape = shape_of(network)
    if shape is None:
        return None
    config = getattr(network, "config", None)
    sliding = getattr(config, "use_sliding_window", True) and getattr(config, "sliding_window", None)
    return CacheShape(shape.layers, shape.heads, shape.key_heads or shape.heads, shape.head_dim, sliding or 0)


@cached(unit="passes")
def step_costs(name: str, progress: Progress = no_progress) -> StepCosts:
    """Time and memory of the next token on this machine; all visitors share them, as they share the machine."""
    model = text_model(name)
    with as_model_error(name, "be measured token by token"):
        return measure_steps(model.network, progress, context=steps_within(model.network, model.context))


def can_be_measured(name: str) -> bool:
    """Whether the model reads enough tokens for a curve."""
    model = text_model(name)
    return steps_within(model.network, model.context) >= 2 * FEWEST


def small_models(window: int) -> dict[str, CacheShape]:
    """The models whose caches are counted, by what they are called."""
    models = {name: CacheShape(LAYERS, HEADS, groups, EACH) for name, groups in KEY_HEADS.items()}
    return models | {WINDOWED: CacheShape(LAYERS, HEADS, HEADS, EACH, window)}


@cached("Small models with random weights fill their caches …")
def counted(of: CacheShape) -> tuple[int, ...]:
    """Bytes that a running model holds after each of LENGTHS."""
    return measure_cache_bytes(of, LENGTHS)
