"""Who asks, the owner at this computer or a visitor of a public server; and what each may open."""

import ipaddress
import logging
import os
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.hub.permissions import AT_HOME, Permission, read_repository, shown

LARGEST = 5.0  # GB of a download, if ATLAS_MODEL_GB does not say more or less

# What proxies, tunnels and content networks add to a request, and no browser does. "X-" has most of them.
_FORWARDED = ("x-", "cf-", "cdn-", "fly-", "fastly-", "akamai-", "tailscale-", "ngrok-", "client-ip", "true-client-ip")
_ADDED = ("forwarded", "via")


def permission() -> Permission:
    """What whoever asks may open: the one place where it is decided."""
    return AT_HOME if is_at_home() else _of_visitors(os.environ.get("ATLAS_MODELS", ""))


def is_at_home() -> bool:
    """Whether the visitor sits at the computer that runs the atlas, and may open its folders.

    `make run` has to say so, the server must listen to this computer only, and the request must be of a browser here.
    Whatever else is the case, the server is public.
    """
    if not runtime.exists():
        return True  # there is no server: it is a notebook, say, of whoever sits here
    if os.environ.get("ATLAS_AT_HOME") != "1" or not _is_loopback(str(st.get_option("server.address") or "")):
        return False
    if get_script_run_ctx(suppress_warning=True) is None:
        return True  # nobody asks: it is work of the server's own, or for a visitor whom a page has let pass
    headers = st.context.headers
    return st.context.ip_address is None and is_of_this_computer({name: headers.get_all(name) for name in headers})


def is_of_this_computer(headers: Mapping[str, list[str]]) -> bool:
    """Whether a request is of a browser on this computer and has come on no way about another.

    A page of another site that the browser here has open tells itself by its Origin; a name of another site that was
    made to lead to this computer, by the Host; a proxy, by what it adds or, if it adds nothing, by a Host that is not
    what the browser's Origin says.
    """
    found = {name.lower(): values for name, values in headers.items()}
    if any(name.startswith(_FORWARDED) or name in _ADDED for name in found):
        return False
    match found.get("host"), found.get("origin"):
        case [host], [origin]:
            return origin in (f"http://{host}", f"https://{host}") and _is_loopback(_host_of(origin))
    return False


def may_name() -> str:
    """What may stand in the box for models, for its help."""
    if is_at_home():
        return (
            "Choose, or type the name of any model on Hugging Face (`openai-community/gpt2`, `vit_base_patch16_224`) "
            "or the path of a folder with `model.safetensors`."
        )
    listed = ", ".join(f"`{name}`" for name in sorted(permission().listed or ()))
    more = f"and {listed}" if listed else "and no others"
    return (
        f"This server opens the models that come with the atlas {more}. In an app of your own you can name any model."
    )


def check_settings() -> None:
    """Say in the log what visitors may open, and which settings cannot be understood."""
    log = logging.getLogger(__name__)
    names, wrong = read_list(os.environ.get("ATLAS_MODELS", ""))
    if wrong:
        log.warning(
            "ATLAS_MODELS: %s cannot be the name of a repository of the hub and is left out. Names are separated by "
            "commas or new lines, for instance: openai-community/gpt2, google-t5/t5-small",
            ", ".join(f"'{shown(name)}'" for name in wrong),
        )
    if _gigabytes() is None:
        log.warning(
            "ATLAS_MODEL_GB: '%s' is not a number above 0; %s is used.", shown(os.environ["ATLAS_MODEL_GB"]), LARGEST
        )
    if not _is_loopback(str(st.get_option("server.address") or "")) and os.environ.get("ATLAS_AT_HOME") == "1":
        log.warning("ATLAS_AT_HOME=1 has no effect: the server does not listen to 127.0.0.1 only, so it is public.")
    if names:
        log.info("Visitors may open, besides our models: %s", ", ".join(sorted(names)))


def read_list(setting: str) -> tuple[frozenset[str], list[str]]:
    """The names on a list that a host has written, and what on it can be no name."""
    given = [name.strip() for name in re.split(r"[,\n]", setting) if name.strip()]
    names = {name: read_repository(name) for name in given}
    return frozenset(filter(None, names.values())), [name for name, read in names.items() if read is None]


def _of_visitors(setting: str) -> Permission:
    return Permission(listed=read_list(setting)[0], largest=int(1e9 * (_gigabytes() or LARGEST)))


def _gigabytes() -> float | None:
    """The setting for the largest download; None if it cannot be understood."""
    try:
        found = float(os.environ.get("ATLAS_MODEL_GB", LARGEST))
    except ValueError:
        return None
    return found if 0 < found < 1e6 else None


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).hostname or ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
