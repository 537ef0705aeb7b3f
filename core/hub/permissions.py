"""What a user may open besides the models of the project, and the form of names of models of the hub."""

import re
from dataclasses import dataclass
from typing import Literal

# What a page's models read; both: pictures and texts; gaps: pictures of which a part is hidden.
Purpose = Literal["text", "image", "both", "gaps"]

RULE = "A name is 'model' or 'owner/model', in letters, digits and the signs - _ . ; for example 'gpt2'."
_REPOSITORY = re.compile(r"(?!.*(\.\.|--))[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_][\w.-]*)?(?<![.-])", re.ASCII)
_PREFIXES = ("hf-hub:", "hf_hub:", "https://huggingface.co/", "huggingface.co/")
LONGEST, LONGEST_PRINTED = 96, 60  # characters of a name, and of one in a message


@dataclass(frozen=True)
class Permission:
    """What a user may open besides the models of the project; by default nothing.

    `folders`: folders of this computer, and models in its memory. `login`: the hub with this computer's account.
    `listed`: the names of models of the hub, None for any. `largest`: bytes of a download, None for any.
    """

    folders: bool = False
    login: bool = False
    listed: frozenset[str] | None = frozenset()
    largest: int | None = None


# For whoever sits at this computer, as in a notebook. An app that others reach passes a permission of its own.
AT_HOME = Permission(folders=True, login=True, listed=None)


def read_repository(name: str) -> str | None:
    """The name of a repository of the hub, or of a model of timm, without a prefix such as "hf-hub:".

    None where it has not the form of a name.
    """
    name = name.strip()
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name if len(name) <= LONGEST and _REPOSITORY.fullmatch(name) else None


def printable_name(name: str) -> str:
    """A name for a message: without unprintable characters, cut after LONGEST_PRINTED."""
    name = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)
    return name if len(name) <= LONGEST_PRINTED else f"{name[:LONGEST_PRINTED]}…"
