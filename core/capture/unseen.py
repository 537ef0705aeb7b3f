"""Which modules ran without attention that could be recorded, and why."""

import re
from collections.abc import Iterable

from torch import Tensor, nn

from .watcher import Watcher

_ATTENTION = re.compile("attention|attn", re.IGNORECASE)
# Token mixers without a softmax: state space models, linear attention and recurrences, by class or attribute name.
_MIXER = re.compile(
    "mamba|ssm|state_?space|delta_?net|lightning|retention|retnet|rwkv|hyena|recurrent|[ms]lstm|short_?conv|mixer$",
    re.IGNORECASE,
)
# Names of modules that are no token mixers, even if the pattern above matches too.
_NO_MIXER = re.compile("mlp|moe|expert|feed_?forward|ffn|norm|token_mixer", re.IGNORECASE)

NO_SOFTMAX = "it mixes tokens without a softmax"


def unseen_paths(watcher: Watcher) -> tuple[str, ...]:
    """Paths of modules that ran and by their names mix tokens, with no recorded attention in, around or inside them."""
    return tuple(why_unseen(watcher))


def why_unseen(watcher: Watcher) -> dict[str, str]:
    """`unseen_paths` in the model's order, each with what ran there instead of attention ("" for nothing)."""
    candidates = [*watcher.refused, *_attention_paths(watcher), *_mixer_paths(watcher)]
    paths: list[str] = []
    for path in candidates:
        if not any(_nested(path, other) for other in (*watcher.heads, *paths)):
            paths.append(path)
    order = {path: place for place, path in enumerate(watcher.paths)}
    return {path: _reason(path, watcher) for path in sorted(paths, key=lambda path: order[path])}


def describe_nothing_seen(watcher: Watcher) -> str:
    """The error message for a record without any call."""
    model = watcher.paths.model
    name = type(model).__name__
    if any(True for _ in model.parameters()) and not _has_run(model, watcher):
        return (
            f"No attention was seen because {name} did not run inside the with-block, in the thread that opened it: "
            "what other threads run is theirs."
        )
    candidates = why_unseen(watcher)
    rule = "Attention is seen if it calls torch's scaled_dot_product_attention, or multiplies a softmax with values."
    elsewhere = {
        path: reason
        for path, reason in watcher.unused_softmaxes.items()
        if not any(_inside(path, candidate) for candidate in candidates)
    }
    reasons: dict[str, list[str]] = {}
    for path, reason in (candidates | elsewhere).items():
        reasons.setdefault(reason, []).append(path)
    listed_reasons = [f"In {_listed(paths)}: {reason}." for reason, paths in reasons.items() if reason]
    hints = []
    if not candidates:
        parts = _listed(path for path, _ in model.named_children())
        hints = [f"It consists of {parts}." if parts else "It has no modules inside."]
    elif "" in reasons:
        hints = [f"By their names these may hold some: {_listed(reasons[''])}."]
    rules = [rule] if not listed_reasons or "" in reasons else []
    return " ".join([f"{name} ran, but no attention could be seen.", *hints, *rules, *listed_reasons])


def _reason(path: str, watcher: Watcher) -> str:
    """What ran in a module instead of attention; "" for nothing."""
    if path in watcher.refused:
        return watcher.refused[path]
    reasons = (reason for place, reason in watcher.unused_softmaxes.items() if _inside(place, path))
    return next(reasons, "") or (NO_SOFTMAX if path in _mixer_paths(watcher) else "")


def _attention_paths(watcher: Watcher) -> list[str]:
    """The innermost modules that ran and are attention by name."""
    return _innermost(watcher, _ATTENTION, class_suffices=True)


def _mixer_paths(watcher: Watcher) -> list[str]:
    """The innermost modules that ran and are one of the other token mixers by name."""
    return _innermost(watcher, _MIXER, class_suffices=False)


def _innermost(watcher: Watcher, name: re.Pattern[str], *, class_suffices: bool) -> list[str]:
    """The innermost modules that ran and match `name`; with `class_suffices` a matching class needs no weights."""
    named = [
        path
        for path, module in watcher.paths.model.named_modules()
        if _is_called(path, module, name, class_suffices=class_suffices) and _has_run(module, watcher)
    ]
    return [path for path in named if not any(other != path and _inside(other, path) for other in named)]


def _is_called(path: str, module: nn.Module, name: re.Pattern[str], *, class_suffices: bool) -> bool:
    """Whether a module matches `name` by its class or attribute name; by the latter only if it has two weight matrices.

    A norm or a gate has fewer.
    """
    class_name, attribute = type(module).__name__, path.rpartition(".")[2]
    if class_suffices and name.search(class_name):
        return True
    if not class_suffices and (_NO_MIXER.search(class_name) or _NO_MIXER.search(attribute)):
        return False
    weights = [getattr(child, "weight", None) for child in module.children()]
    matrices = sum(isinstance(weight, Tensor) and weight.ndim > 1 for weight in weights)
    return matrices > 1 and bool(name.search(attribute) or (not class_suffices and name.search(class_name)))


def _has_run(module: nn.Module, watcher: Watcher) -> bool:
    return any(id(parameter) in watcher.used for parameter in module.parameters())


def _nested(path: str, other: str) -> bool:
    return _inside(path, other) or _inside(other, path)


def _inside(path: str, place: str) -> bool:
    return place in ("", path) or path.startswith(place + ".")


def _listed(names: Iterable[str]) -> str:
    names = [f"'{name}'" if name else "the model itself" for name in names]
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
