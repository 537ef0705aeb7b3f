"""What a visitor types into the box for models: ours, one in memory, of the hub, or a folder; who may open which."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from ..errors import ModelError
from ..hub.permissions import AT_HOME, RULE, Permission, Purpose, read_repository, shown
from . import in_memory, sentiment_classifiers
from .embedded import IMAGE, TEXT

_FOLDER_LIKE = re.compile(r"local-dir:|[/\\~.]|[A-Za-z]:[/\\]")
NAMED = 12  # names of a list that are shown in a sentence


@dataclass(frozen=True)
class Source:
    """Where a model is: `where` is a name of ours or of one in memory, a repository of the hub, or a folder's path."""

    kind: Literal["embedded", "memory", "hub", "folder"]
    where: str


def find_source(name: str, purpose: Purpose, permission: Permission = AT_HOME) -> Source:
    """Read a name by its form; ModelError if it is none, or not allowed.

    Neither the disk nor a cache nor the hub is looked at before it is allowed: a visitor of a public server cannot
    learn which files there are, nor which models its owner has fetched.
    """
    name = name.strip()
    if not name:
        raise ModelError(f"No model is named. {RULE}")
    if name in TEXT or name in IMAGE or name in sentiment_classifiers.titles():
        return Source("embedded", name)
    if permission.folders and in_memory.offered(name):
        return Source("memory", name)
    if _FOLDER_LIKE.match(name):
        return _folder(name, purpose, permission)
    if permission.folders and os.path.isdir(name):
        return Source("folder", name)

    repository = read_repository(name)
    if repository is None:
        raise ModelError(f"'{shown(name)}' cannot be the name of a model. {RULE}")
    if permission.listed is not None and not _is_listed(repository, purpose, permission.listed):
        raise ModelError(f"'{shown(name)}' is not on the list of this server. {_what_is_open(purpose, permission)}")
    return Source("hub", _timm_repository(repository) if purpose == "image" and "/" not in repository else repository)


def _folder(name: str, purpose: Purpose, permission: Permission) -> Source:
    if not permission.folders:
        raise ModelError(
            "Folders can be opened only in an app that you run yourself, for your own computer. "
            f"{_what_is_open(purpose, permission)}"
        )
    path = name.removeprefix("local-dir:")
    with suppress(ValueError):  # a NUL, or what no file system can write, in the name of a user
        path = os.path.expanduser(path)
    # Unlike those of pathlib, these functions say no to names that are too long, or hold a NUL.
    if not os.path.isdir(path):
        what = "a file, not a folder" if os.path.isfile(path) else "not a folder on this computer"
        raise ModelError(f"'{shown(name)}' is {what}. Name the folder that holds config.json and model.safetensors.")
    return Source("folder", path)


def _what_is_open(purpose: Purpose, permission: Permission) -> str:
    """The next step for whoever may not open what was asked for: what of ours reads the same, and what is listed."""
    if permission.listed is None:
        return "Name a model of the hub, or start the app at home."
    ours = {"text": TEXT, "image": IMAGE, "both": (), "gaps": ()}[purpose]
    names = [*ours, *sorted(permission.listed)]
    if not names:
        return "Take one of those that come along; in an app of your own any model can be named."
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"Open one of {', '.join(names[:NAMED])}{more}; in an app of your own any model can be named."


def _is_listed(repository: str, purpose: Purpose, listed: frozenset[str]) -> bool:
    """Whether a name is on the list, as it stands there or as what timm means by it."""
    if repository in listed or purpose != "image":
        return repository in listed
    of_timm = [name for name in listed if "/" not in name or name.startswith("timm/")]
    return bool(of_timm) and _meant(repository) in {_meant(name) for name in of_timm} - {None}


def _meant(name: str) -> str | None:
    """The repository of the hub that a name stands for on pages for pictures; None if it stands for none."""
    try:
        return name if "/" in name else _timm_repository(name)
    except ModelError:
        return None


def _timm_repository(name: str) -> str:
    """timm's names, such as 'vit_tiny_patch16_224' or with a tag after a dot, stand for repositories of the hub."""
    import timm

    if not timm.is_model(name.partition(".")[0]):
        return name
    try:
        config = timm.get_pretrained_cfg(name)
    except (RuntimeError, ValueError):
        config = None
    if config is None or not config.hf_hub_id:
        raise ModelError(f"timm knows '{name}', but no trained weights of that name. Choose another tag of it.")
    return config.hf_hub_id + name if config.hf_hub_id.endswith("/") else config.hf_hub_id
