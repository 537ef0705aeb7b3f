"""What is said about attention that could not be seen: silence would be an error."""

import re
from collections.abc import Iterable

from torch import Tensor, nn

from .watcher import Watcher

_ATTENTION = re.compile("attention|attn", re.IGNORECASE)
# Token mixers without a softmax: state space models, linear attention and recurrences, by class or by place.
_MIXER = re.compile(
    "mamba|ssm|state_?space|delta_?net|lightning|retention|retnet|rwkv|hyena|recurrent|[ms]lstm|short_?conv|mixer$",
    re.IGNORECASE,
)
# These are no token mixers, also where a name says both.
_NO_MIXER = re.compile("mlp|moe|expert|feed_?forward|ffn|norm|token_mixer", re.IGNORECASE)

NO_SOFTMAX = "it mixes tokens without a softmax"


def unseen_paths(watcher: Watcher) -> tuple[str, ...]:
    """Modules that mix tokens by their name, and ran, with nothing seen in them, around them or inside them."""
    return tuple(why_unseen(watcher))


def why_unseen(watcher: Watcher) -> dict[str, str]:
    """The same, each with what was seen there instead of a map of tokens, in the model's order."""
    suspects = [*watcher.refused, *_attention_paths(watcher), *_mixer_paths(watcher)]
    paths: list[str] = []
    for path in suspects:
        if not any(_nested(path, other) for other in (*watcher.heads, *paths)):
            paths.append(path)
    order = {path: place for place, path in enumerate(watcher.paths)}
    return {path: _reason(path, watcher) for path in sorted(paths, key=lambda path: order[path])}


def nothing_seen(watcher: Watcher) -> str:
    """The sentence for a record that stayed empty."""
    model = watcher.paths.model
    name = type(model).__name__
    if any(True for _ in model.parameters()) and not _ran(model, watcher):
        return (
            f"No attention was seen because {name} did not run inside the with-block, in the thread that opened it: "
            "what other threads run is theirs."
        )
    suspects = why_unseen(watcher)
    rule = "Attention is seen if it calls torch's scaled_dot_product_attention, or multiplies a softmax with values."
    elsewhere = {path: what for path, what in watcher.lost.items() if not any(_inside(path, one) for one in suspects)}
    reasons: dict[str, list[str]] = {}
    for path, reason in (suspects | elsewhere).items():
        reasons.setdefault(reason, []).append(path)
    known = [f"In {_listed(paths)}: {reason}." for reason, paths in reasons.items() if reason]
    where = []
    if not suspects:
        parts = _listed(path for path, _ in model.named_children())
        where = [f"It consists of {parts}." if parts else "It has no modules inside."]
    elif "" in reasons:
        where = [f"By their names these may hold some: {_listed(reasons[''])}."]
    rules = [rule] if not known or "" in reasons else []
    return " ".join([f"{name} ran, but no attention could be seen.", *where, *rules, *known])


def _reason(path: str, watcher: Watcher) -> str:
    """What was seen in a module; "" for nothing."""
    if path in watcher.refused:
        return watcher.refused[path]
    lost = next((what for place, what in watcher.lost.items() if _inside(place, path)), "")
    return lost or (NO_SOFTMAX if path in _mixer_paths(watcher) else "")


def _attention_paths(watcher: Watcher) -> list[str]:
    """The innermost modules that ran and are called attention."""
    return _innermost(watcher, _ATTENTION, anyhow=True)


def _mixer_paths(watcher: Watcher) -> list[str]:
    """The innermost modules that ran and are called one of the other token mixers."""
    return _innermost(watcher, _MIXER, anyhow=False)


def _innermost(watcher: Watcher, name: re.Pattern[str], *, anyhow: bool) -> list[str]:
    """`anyhow`: a class of this name needs no weights of its own."""
    named = [
        path
        for path, module in watcher.paths.model.named_modules()
        if _is_called(path, module, name, anyhow=anyhow) and _ran(module, watcher)
    ]
    return [path for path in named if not any(other != path and _inside(other, path) for other in named)]


def _is_called(path: str, module: nn.Module, name: re.Pattern[str], *, anyhow: bool) -> bool:
    """By its class or its place, if it has what makes queries, keys and values: a norm or a gate has not."""
    own, place = type(module).__name__, path.rpartition(".")[2]
    if anyhow and name.search(own):
        return True
    if not anyhow and (_NO_MIXER.search(own) or _NO_MIXER.search(place)):
        return False
    weights = [getattr(child, "weight", None) for child in module.children()]
    matrices = sum(isinstance(weight, Tensor) and weight.ndim > 1 for weight in weights)
    return matrices > 1 and bool(name.search(place) or (not anyhow and name.search(own)))


def _ran(module: nn.Module, watcher: Watcher) -> bool:
    return any(id(parameter) in watcher.used for parameter in module.parameters())


def _nested(one: str, other: str) -> bool:
    return _inside(one, other) or _inside(other, one)


def _inside(path: str, place: str) -> bool:
    return place in ("", path) or path.startswith(place + ".")


def _listed(names: Iterable[str]) -> str:
    names = [f"'{name}'" if name else "the model itself" for name in names]
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
