"""Self-attention, cross attention or unknown: the rule, and what a mask and a configuration say where no trail does."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from torch import Tensor

from .paths import Caller

Kind = Literal["self", "cross", "unknown"]
Memory = tuple[int, int]  # an address, and how many numbers there are from there


class Traced(NamedTuple):
    """What the trail of an attention's queries and keys says; `kind` is None where it was lost.

    `earlier`: the keys are those of an earlier attention of this kind. `keys_alone`: the queries were projected from
    what the module was called with, and no trail leads to the keys. `rows`: which queries were chosen, if some were.
    `compared`: whether scores were made by multiplying two activations; `entered`: what the module was called with.
    `queries`: numbers of the operations from the query's projection to the query.
    """

    kind: Literal["self", "cross"] | None = None
    earlier: Literal["self", "cross"] | None = None
    keys_alone: bool = False
    rows: Tensor | None = None
    compared: bool = True
    entered: dict[int, Any] = {}  # noqa: RUF012, read only
    queries: frozenset[int] = frozenset()


class Origin(NamedTuple):
    """Where a tensor came from, within the module that was called with some tensors.

    `sequence` is the largest of those, of `size` numbers: the sequence itself, not a rotary table that both sides may
    share. `is_complete`: no part of it came from where nobody looked (a kernel of one's own, a cache). `earlier`: what
    is known of the earlier attention whose keys it is or has. `steps` are the operations in between.
    """

    sequence: Memory | None
    size: int
    is_complete: bool
    earlier: Traced | None
    steps: list[int]

    @property
    def is_weight(self) -> bool:
        """Whether it was made of learned tensors alone."""
        return self.sequence is None and self.is_complete

    @property
    def is_constant(self) -> bool:
        """Whether it is a weight that nothing was done to, or something of which nothing is known."""
        return self.sequence is None and not self.steps


def decide(query: Origin, key: Origin, few: int = 0) -> Traced:
    """One sequence, two, or not known.

    Where part of both sides is not known, what they share must be larger than `few`, the numbers of one head: the
    tables of rotary embedding are not.
    """
    if query.sequence is not None and query.sequence == key.sequence:
        if query.is_complete or key.is_complete or query.size > few:
            return Traced("self")
        return Traced()
    earlier = key.earlier.kind if key.earlier and key.sequence is None else None
    if earlier == "cross":  # cached keys of the other sequence
        return Traced("cross", earlier)
    if query.is_complete and key.is_complete and earlier is None and not (query.is_weight and key.is_weight):
        return Traced("cross")
    if query.sequence is not None and key.sequence is not None and query.is_complete and earlier is None:
        return Traced("cross") if key.size > few else Traced()
    return Traced(None, earlier, keys_alone=query.sequence is not None and key.sequence is None)


def kind_of(traced: Traced, looks_back: bool, calling: Iterable[Caller]) -> Kind:
    """By the trail; else by a causal mask, which only one sequence has; else by the configuration; else "unknown"."""
    if traced.kind:
        return traced.kind
    if looks_back:
        return "self"
    configs = [config for caller in calling if (config := getattr(caller.module, "config", None)) is not None]
    configs = [config for config in configs if hasattr(config, "is_encoder_decoder")]
    if not configs:
        return "unknown"
    if any(map(_crosses, configs)):
        return "cross" if traced.keys_alone and traced.earlier is None else "unknown"
    return "self"


def _crosses(config: Any) -> bool:
    """Whether a model of this configuration (of transformers) may have attention from one sequence to another."""
    names = ("is_encoder_decoder", "add_cross_attention")
    other = ("cross", "latent", "num_query", "perceiver", "resampler")
    settings = getattr(config, "__dict__", {})
    return any(getattr(config, name, False) for name in names) or any(
        value for name, value in settings.items() if name not in names and any(part in name for part in other)
    )
