"""What is said about attention that could not be seen: silence would be an error."""

import re
from collections.abc import Iterable

from torch import Tensor, nn

from .watcher import Watcher

_NAME = re.compile("attention|attn", re.IGNORECASE)


def unseen_paths(watcher: Watcher) -> tuple[str, ...]:
    """Modules that are attention by their name, and ran, with nothing seen in them, around them or inside them."""
    return tuple(path for path in _attention_paths(watcher) if not any(_nested(path, seen) for seen in watcher.heads))


def nothing_seen(watcher: Watcher) -> str:
    """The sentence for a record that stayed empty."""
    model = watcher.paths.model
    name = type(model).__name__
    if any(True for _ in model.parameters()) and not _ran(model, watcher):
        return (
            f"No attention was seen because {name} did not run inside the with-block, in the thread that opened it: "
            "what other threads run is theirs."
        )
    suspects = _attention_paths(watcher)
    if suspects:
        where = f"By their names these may hold some: {_listed(suspects)}."
    else:
        where = f"It consists of {_listed(path for path, _ in model.named_children())}."
    return (
        f"{name} ran, but no attention could be seen. {where} Attention is seen if it calls torch's "
        "scaled_dot_product_attention, or multiplies a softmax with values."
    )


def _attention_paths(watcher: Watcher) -> list[str]:
    """The innermost modules that ran and are called attention."""
    named = [
        path
        for path, module in watcher.paths.model.named_modules()
        if _is_called_attention(path, module) and _ran(module, watcher)
    ]
    return [path for path in named if not any(other != path and _inside(other, path) for other in named)]


def _is_called_attention(path: str, module: nn.Module) -> bool:
    """By its class; or by its place, if it has what makes queries, keys and values: a norm or a gate has not."""
    weights = [getattr(child, "weight", None) for child in module.children()]
    matrices = sum(isinstance(weight, Tensor) and weight.ndim > 1 for weight in weights)
    by_place = _NAME.search(path.rpartition(".")[2]) and matrices > 1
    return bool(_NAME.search(type(module).__name__) or by_place)


def _ran(module: nn.Module, watcher: Watcher) -> bool:
    return any(id(parameter) in watcher.used for parameter in module.parameters())


def _nested(one: str, other: str) -> bool:
    return _inside(one, other) or _inside(other, one)


def _inside(path: str, place: str) -> bool:
    return place in ("", path) or path.startswith(place + ".")


def _listed(names: Iterable[str]) -> str:
    names = [f"'{name}'" for name in names]
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
