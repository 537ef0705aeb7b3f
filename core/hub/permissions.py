"""What somebody may open besides the models that come along, and how models of the hub are named."""

import re
from dataclasses import dataclass
from typing import Literal

# What it reads; both: pictures and texts, and says how well they agree; gaps: pictures of which a part is hidden.
Purpose = Literal["text", "image", "both", "gaps"]

RULE = "A name is 'model' or 'owner/model', in letters, digits and the signs - _ . ; for example 'gpt2'."
_REPOSITORY = re.compile(r"(?!.*(\.\.|--))[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_][\w.-]*)?(?<![.-])", re.ASCII)
_PREFIXES = ("hf-hub:", "hf_hub:", "https://huggingface.co/", "huggingface.co/")
LONGEST, SHOWN = 96, 60  # characters of a name, and of one that is shown in a sentence


@dataclass(frozen=True)
class Permission:
    """What somebody may open besides the models that come along; what is not said is not allowed.

    `folders` of this computer, and models in its memory; `login`: the rights of the account that this computer is
    logged in to the hub with;
    `listed`: the names of models of the hub, None for any; `largest`: bytes of a download, None for any.
    """

    folders: bool = False
    login: bool = False
    listed: frozenset[str] | None = frozenset()
    largest: int | None = None


# For whoever sits at this computer, as in a notebook. An app that others reach passes a permission of its own.
AT_HOME = Permission(folders=True, login=True, listed=None)


def read_repository(name: str) -> str | None:
    """The name of a repository of the hub, or of a model of timm, without what may stand before it; None: no name."""
    name = name.strip()
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name if len(name) <= LONGEST and _REPOSITORY.fullmatch(name) else None


def shown(name: str) -> str:
    """A name as a sentence shows it: on one line, and not too long."""
    name = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)
    return name if len(name) <= SHOWN else f"{name[:SHOWN]}…"
