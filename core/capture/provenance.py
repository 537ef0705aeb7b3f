"""Decide between self-attention, cross attention and unknown, from origins of tensors, a mask or a configuration."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from torch import Tensor

from .paths import Caller

Kind = Literal["self", "cross", "unknown"]
Memory = tuple[int, int]  # an address, and the number of elements from there


class Traced(NamedTuple):
    """What is known of the origins of an attention's queries and keys; `kind` is None where that is not enough.

    `earlier`: the keys are those of an earlier attention of this kind. `keys_alone`: the queries were projected from
    an argument of the module, and the origin of the keys is unknown. `rows`: positions of the queries, if the module
    selected some. `compared`: whether scores were computed by multiplying two activations. `arguments`: the tensors
    that the module was called with. `queries`: numbers of the operations from the query's projection to the query.
    """

    kind: Literal["self", "cross"] | None = None
    earlier: Literal["self", "cross"] | None = None
    keys_alone: bool = False
    rows: Tensor | None = None
    compared: bool = True
    arguments: dict[int, Any] = {}  # noqa: RUF012, read only
    queries: frozenset[int] = frozenset()


class Origin(NamedTuple):
    """The origin of a tensor among the arguments of the module that is running.

    `sequence` is the largest argument it was computed from, of `size` elements: the sequence itself, not a rotary table
    that both sides may share. `is_complete`: no part of it is of unknown origin (a custom kernel, a cache). `earlier`:
    what is known of the earlier attention whose keys it is or contains. `steps` are the operations in between.
    """

    sequence: Memory | None
    size: int
    is_complete: bool
    earlier: Traced | None
    steps: list[int]

    @property
    def is_weight(self) -> bool:
        """Whether it was computed from learned tensors alone."""
        return self.sequence is None and self.is_complete

    @property
    def is_constant(self) -> bool:
        """Whether it is a weight as stored in the module, or a tensor of unknown origin."""
        return self.sequence is None and not self.steps


def decide(query: Origin, key: Origin, head_size: int = 0) -> Traced:
    """Whether query and key come from one sequence ("self"), from two ("cross"), or that is unknown (kind None).

    Where both origins are incomplete, the argument they share must have more elements than `head_size`, those of one
    head: tables of rotary embedding have fewer.
    """
    if query.sequence is not None and query.sequence == key.sequence:
        if query.is_complete or key.is_complete or query.size > head_size:
            return Traced("self")
        return Traced()
    earlier = key.earlier.kind if key.earlier and key.sequence is None else None
    if earlier == "cross":  # cached keys of the other sequence
        return Traced("cross", earlier)
    if query.is_complete and key.is_complete and earlier is None and not (query.is_weight and key.is_weight):
        return Traced("cross")
    if query.sequence is not None and key.sequence is not None and query.is_complete and earlier is None:
        return Traced("cross") if key.size > head_size else Traced()
    return Traced(None, earlier, keys_alone=query.sequence is not None and key.sequence is None)


def kind_of(traced: Traced, has_causal_mask: bool, calling: Iterable[Caller]) -> Kind:
    """The kind by the origins; else by a causal mask, which implies "self"; else by the configuration."""
    if traced.kind:
        return traced.kind
    if has_causal_mask:
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
