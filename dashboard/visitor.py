"""Whether a request comes from the owner at this computer or from a visitor of a public server; what each may open."""

import ipaddress
import logging
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from urllib.parse import urlsplit

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.hub.permissions import AT_HOME, Permission, printable_name, read_repository

DEFAULT_LARGEST = 5.0  # GB of a download, if ATLAS_MODEL_GB does not say more or less

# Headers that proxies, tunnels and content networks add to a request, and no browser does. Most begin with "X-".
_FORWARDED = ("x-", "cf-", "cdn-", "fly-", "fastly-", "akamai-", "tailscale-", "ngrok-", "client-ip", "true-client-ip")
_ADDED = ("forwarded", "via")


_permission: ContextVar[Permission | None] = ContextVar("permission", default=None)


def permission() -> Permission:
    """The permission of the current visitor; the only place that decides it."""
    if known := _permission.get():
        return known
    return AT_HOME if is_at_home() else _visitor_permission(os.environ.get("ATLAS_MODELS", ""))


@contextmanager
def acting_for(known: Permission) -> Iterator[None]:
    """Work for a visitor of another process, which has decided what the visitor may open."""
    token = _permission.set(known)
    try:
        yield
    finally:
        _permission.reset(token)


def is_at_home() -> bool:
    """Whether the visitor sits at the computer that runs the atlas, and may open its folders.

    True if `make run` set ATLAS_AT_HOME, the server listens to this computer only, and the request is of a browser on
    it. Otherwise the server counts as public.
    """
    if not runtime.exists():
        return True  # there is no server: it is a notebook, for instance
    if os.environ.get("ATLAS_AT_HOME") != "1" or not _is_loopback(str(st.get_option("server.address") or "")):
        return False
    if get_script_run_ctx(suppress_warning=True) is None:
        return True  # no request: it is the server's own work, or for a visitor whom a page has let pass
    headers = st.context.headers
    return st.context.ip_address is None and is_of_this_computer({name: headers.get_all(name) for name in headers})


def is_of_this_computer(headers: Mapping[str, list[str]]) -> bool:
    """Whether a request is of a browser on this computer, and was not forwarded by another one.

    A page of another site in this browser is recognized by its Origin, a foreign name that resolves to this computer by
    the Host, a proxy by the headers it adds or, if it adds none, by a Host that differs from the Origin.
    """
    lower_case = {name.lower(): values for name, values in headers.items()}
    if any(name.startswith(_FORWARDED) or name in _ADDED for name in lower_case):
        return False
    match lower_case.get("host"), lower_case.get("origin"):
        case [host], [origin]:
            return origin in (f"http://{host}", f"https://{host}") and _is_loopback(_host_of(origin))
    return False


def may_name() -> str:
    """The help of the box for models: which names are allowed."""
    if is_at_home():
        return (
            "Choose, or type the name of any model on Hugging Face (`openai-community/gpt2`, `vit_base_patch16_224`) "
            "or the path of a folder with `model.safetensors`."
        )
    names_listed = ", ".join(f"`{name}`" for name in sorted(permission().listed or ()))
    more = f"and {names_listed}" if names_listed else "and no others"
    return (
        f"This server opens the models that come with the atlas {more}. In an app of your own you can name any model."
    )


def check_settings() -> None:
    """Log which models visitors may open, and which settings cannot be understood."""
    log = logging.getLogger(__name__)
    names, wrong = read_list(os.environ.get("ATLAS_MODELS", ""))
    if wrong:
        log.warning(
            "ATLAS_MODELS: %s cannot be the name of a repository of the hub and is left out. Names are separated by "
            "commas or new lines, for instance: openai-community/gpt2, google-t5/t5-small",
            ", ".join(f"'{printable_name(name)}'" for name in wrong),
        )
    if _gigabytes() is None:
        log.warning(
            "ATLAS_MODEL_GB: '%s' is not a number above 0; %s is used.",
            printable_name(os.environ["ATLAS_MODEL_GB"]),
            DEFAULT_LARGEST,
        )
    if not _is_loopback(str(st.get_option("server.address") or "")) and os.environ.get("ATLAS_AT_HOME") == "1":
        log.warning("ATLAS_AT_HOME=1 has no effect: the server does not listen to 127.0.0.1 only, so it is public.")
    if names:
        log.info("Visitors may open, besides our models: %s", ", ".join(sorted(names)))


def read_list(setting: str) -> tuple[frozenset[str], list[str]]:
    """The valid names on a list of repositories, and its entries that are no valid names."""
    entries = [name.strip() for name in re.split(r"[,\n]", setting) if name.strip()]
    names = {name: read_repository(name) for name in entries}
    return frozenset(filter(None, names.values())), [name for name, repository in names.items() if repository is None]


def _visitor_permission(setting: str) -> Permission:
    return Permission(listed=read_list(setting)[0], largest=int(1e9 * (_gigabytes() or DEFAULT_LARGEST)))


def _gigabytes() -> float | None:
    """The setting for the largest download, in GB; None if it cannot be understood."""
    try:
        gigabytes = float(os.environ.get("ATLAS_MODEL_GB", DEFAULT_LARGEST))
    except ValueError:
        return None
    return gigabytes if 0 < gigabytes < 1e6 else None


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
