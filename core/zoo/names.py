"""What a visitor types into the box for models: one of ours, a model of the hub, or a folder."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.errors import ModelError
from core.zoo.embedded import IMAGE, TEXT

Purpose = Literal["text", "image"]

RULE = "A name is 'model' or 'owner/model', in letters, digits and the signs - _ . ; for example 'gpt2'."
_REPOSITORY = re.compile(r"(?!.*(\.\.|--))[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_][\w.-]*)?(?<![.-])", re.ASCII)
_PREFIXES = ("hf-hub:", "hf_hub:", "https://huggingface.co/", "huggingface.co/")
_FOLDER_LIKE = re.compile(r"local-dir:|[/\\~.]|[A-Za-z]:[/\\]")


@dataclass(frozen=True)
class Source:
    """Where a model is: `where` is a name of ours, a repository of the hub, or the path of a folder."""

    kind: Literal["embedded", "hub", "folder"]
    where: str


def find_source(name: str, purpose: Purpose, *, allow_folders: bool = False) -> Source:
    """Read a name by its form alone; on the disk nothing is looked at, unless `allow_folders`.

    Folders are for an app that listens to its own computer only: on a public server a visitor could learn which
    files there are.
    """
    name = name.strip()
    if not name:
        raise ModelError(f"No model is named. {RULE}")
    if name in TEXT or name in IMAGE:
        return Source("embedded", name)
    if _FOLDER_LIKE.match(name):
        return _folder(name, allow_folders)
    if allow_folders and Path(name).is_dir():
        return Source("folder", name)

    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    if len(name) > 96 or not _REPOSITORY.fullmatch(name):
        shown = name if len(name) <= 60 else f"{name[:60]}…"
        raise ModelError(f"'{shown}' cannot be the name of a model. {RULE}")
    return Source("hub", _timm_repository(name) if purpose == "image" and "/" not in name else name)


def _folder(name: str, allow_folders: bool) -> Source:
    if not allow_folders:
        raise ModelError(
            "Folders can be opened only in an app that you run yourself, for your own computer. "
            "Name a model of the hub, or start the app at home."
        )
    path = Path(name.removeprefix("local-dir:")).expanduser()
    if not path.is_dir():
        what = "a file, not a folder" if path.is_file() else "not a folder on this computer"
        raise ModelError(f"'{path}' is {what}. Name the folder that holds config.json and model.safetensors.")
    return Source("folder", str(path))


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
