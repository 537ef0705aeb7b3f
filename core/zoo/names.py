"""The names of models: of the project, in memory, of the hub, or a folder; and who may open which."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from ..errors import ModelError
from ..hub.permissions import AT_HOME, RULE, Permission, Purpose, printable_name, read_repository
from . import in_memory, sentiment_classifiers
from .embedded import IMAGE, TEXT

_FOLDER_LIKE = re.compile(r"local-dir:|[/\\~.]|[A-Za-z]:[/\\]")
MOST_NAMED = 12  # names of a list in an error message


@dataclass(frozen=True)
class Source:
    """Where a model is: `location` is its name (embedded, memory), a repository of the hub, or the path of a folder."""

    kind: Literal["embedded", "memory", "hub", "folder"]
    location: str


def find_source(name: str, purpose: Purpose, permission: Permission = AT_HOME) -> Source:
    """The source that a name stands for, by its form; ModelError for a malformed name, or one that is not allowed.

    Neither the disk nor a cache nor the hub is read before `permission` is checked: a visitor of a public server cannot
    learn which files exist, nor which models its owner has fetched.
    """
    name = name.strip()
    if not name:
        raise ModelError(f"No model is named. {RULE}")
    if name in TEXT or name in IMAGE or name in sentiment_classifiers.titles():
        return Source("embedded", name)
    if permission.folders and in_memory.offered_model(name):
        return Source("memory", name)
    if _FOLDER_LIKE.match(name):
        return _folder(name, purpose, permission)
    if permission.folders and os.path.isdir(name):
        return Source("folder", name)

    repository = read_repository(name)
    if repository is None:
        raise ModelError(f"'{printable_name(name)}' cannot be the name of a model. {RULE}")
    if permission.listed is not None and not _is_listed(repository, purpose, permission.listed):
        raise ModelError(
            f"'{printable_name(name)}' is not on the list of this server. {_what_is_open(purpose, permission)}"
        )
    return Source("hub", _timm_repository(repository) if purpose == "image" and "/" not in repository else repository)


def _folder(name: str, purpose: Purpose, permission: Permission) -> Source:
    if not permission.folders:
        raise ModelError(
            "Folders can be opened only in an app that you run yourself, for your own computer. "
            f"{_what_is_open(purpose, permission)}"
        )
    path = name.removeprefix("local-dir:")
    with suppress(ValueError):  # a NUL, or a character that no file system allows, in the name of a user
        path = os.path.expanduser(path)
    # Unlike those of pathlib, these functions return False for names that are too long, or hold a NUL.
    if not os.path.isdir(path):
        what = "a file, not a folder" if os.path.isfile(path) else "not a folder on this computer"
        raise ModelError(
            f"'{printable_name(name)}' is {what}. Name the folder that holds config.json and model.safetensors."
        )
    return Source("folder", path)


def _what_is_open(purpose: Purpose, permission: Permission) -> str:
    """The last sentence of an error: the models that this user may open instead."""
    if permission.listed is None:
        return "Name a model of the hub, or start the app at home."
    embedded = {"text": TEXT, "image": IMAGE, "both": (), "gaps": ()}[purpose]
    names = [*embedded, *sorted(permission.listed)]
    if not names:
        return "Take one of those that come along; in an app of your own any model can be named."
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"Open one of {', '.join(names[:MOST_NAMED])}{more}; in an app of your own any model can be named."


def _is_listed(repository: str, purpose: Purpose, listed: frozenset[str]) -> bool:
    """Whether a name is on the list: itself, or, for pictures, a name of timm for the same repository."""
    if repository in listed or purpose != "image":
        return repository in listed
    of_timm = [name for name in listed if "/" not in name or name.startswith("timm/")]
    return bool(of_timm) and _repository_of(repository) in {_repository_of(name) for name in of_timm} - {None}


def _repository_of(name: str) -> str | None:
    """The repository of the hub that a name stands for on pages for pictures; None for an unknown name."""
    try:
        return name if "/" in name else _timm_repository(name)
    except ModelError:
        return None


def _timm_repository(name: str) -> str:
    """The repository of the hub for a name of timm, such as 'vit_tiny_patch16_224', with a tag after a dot or without.

    Other names are returned as they are; ModelError for a name of timm without trained weights.
    """
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
