"""The control for a model: one of ours, or any other by name or folder; its cost is stated before a download."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import zoo
from core.errors import HubError, ModelError, OfflineError
from core.hub.permissions import Purpose
from core.hub.repositories import offline_message
from core.zoo.masked_autoencoders import AUTOENCODERS
from core.zoo.offers import check_offer
from core.zoo.transformers_captioners import NamedPictureWriter
from core.zoo.transformers_joint import NamedJointReader
from dashboard import theme, typeset, visitor
from dashboard.cache import waiting
from dashboard.cache.models import (
    OURS,
    autoencoder,
    clip,
    fetch_model,
    image_model,
    inspect_model,
    offered_names,
    text_model,
)
from dashboard.frame import carried, error_messages, layout
from dashboard.inputs.controls import WIDTH

KEYS: dict[Purpose, str] = {
    "text": "model",
    "image": "network",
    "both": "pair",
    "gaps": "autoencoder",
}  # in the address
DEFAULT_NAMES: dict[Purpose, Sequence[str]] = {
    "text": tuple(zoo.TEXT),
    "image": zoo.GLOBAL_ATTENTION,
    "both": ("photographs",),
    "gaps": tuple(AUTOENCODERS),
}
LOADERS: Mapping[Purpose, Callable[[str], Any]] = {
    "text": text_model,
    "image": image_model,
    "both": clip,
    "gaps": autoencoder,
}
LONGEST_NAME = 500  # characters
Named = TypeVar("Named", zoo.NamedTranslator, NamedPictureWriter, NamedJointReader)


def model(
    purpose: Purpose,
    *,
    offered: Sequence[str] = (),
    attends: bool = True,
    menu: DeltaGenerator | None = None,
    width: int = WIDTH,
) -> str:
    """The name of a model that is ready: one that comes with the atlas, or any other by name or folder.

    If the hub does not have the named model, a sentence says so, and the previous model is used, or the first.

    `offered`: our models on the list, by default all that read texts or whole pictures; `attends`: whether a model
    without attention heads is refused; `menu`: where the list stands, by default here, where offers of downloads and
    warnings always stand. The purpose "both" is agreement of pictures and texts, "gaps" is filling in patches.
    """
    ours, key = list(offered or DEFAULT_NAMES[purpose]), KEYS[purpose]
    name = (menu or st).selectbox(
        "Model",
        [*ours, *offered_names(purpose)],
        key=key,
        bind="query-params",
        accept_new_options=True,  # what may not be opened is refused in a sentence, not passed over in silence
        width=width,
        help=visitor.may_name(),
    )
    carried.note(key, name, ours[0], title=OURS.get(name, ""))
    session_key = f"{key} in view, of {', '.join(ours)}"  # another page may offer others
    if purpose in ("both", "gaps") and name in ours:
        st.session_state[session_key] = name
        return name
    give_up = partial(st.session_state.__setitem__, key, ours[0])
    inspect = partial(inspect_model, purpose=purpose, attends=attends, give_up=give_up)
    try:
        offer = inspect(name)
    except HubError as error:
        previous = st.session_state.get(session_key, ours[0])
        _warn_of_refusal(error, previous, offline_message(ours))
        if previous in ours and purpose in ("both", "gaps"):
            return previous
        name, offer = previous, inspect(previous)
    if purpose == "both":
        check_offer(offer, "agreement")
    _fetch(offer, purpose)
    st.session_state[session_key] = name
    if name not in OURS:  # ours need no look: their numbers are known
        error_messages.warn_of(LOADERS[purpose](name).warnings)
    return name


def named_model(
    key: str,
    purpose: Purpose,
    check: Callable[[zoo.Offer], None],
    read: Callable[[str], Named],
    *,
    placeholder: str,
    about: str,
    empty_text: str,
    without_hub: str,
) -> Named | None:
    """The model that a visitor named, loaded by `read`; None, and `empty_text` is written, if no name is given.

    `check` raises ModelError for a model that does not do what the page needs; `without_hub` says what works where the
    hub cannot be reached.
    """
    at_home = visitor.is_at_home()
    name = st.text_input(
        "Model",
        "",
        key=key,
        bind="query-params",
        max_chars=LONGEST_NAME,
        placeholder=placeholder if at_home else "",
        help=about if at_home else visitor.may_name(),
        width=theme.PROSE,
    ).strip()
    if not name:
        st.markdown(empty_text, width=theme.PROSE)
        if not at_home:
            st.caption(visitor.may_name())
        return None
    inspect = partial(inspect_model, purpose=purpose, give_up=partial(st.session_state.__setitem__, key, ""))
    session_key, offline = f"{key} in view", offline_message([without_hub])
    try:
        offer = inspect(name)
    except HubError as error:
        previous = st.session_state.get(session_key)
        if previous is None:
            raise (ModelError(offline) if isinstance(error, OfflineError) else error) from error
        _warn_of_refusal(error, previous, offline)
        name, offer = previous, inspect(previous)
    check(offer)
    _fetch(offer, purpose)
    st.session_state[session_key] = name
    with layout.waiting_place():
        model = read(name)
    error_messages.warn_of(model.warnings)
    layout.caption(
        f"**{typeset.plain(model.title)}** · {type(model.network).__name__} · {model.parameters / 1e6:,.1f} million "
        "parameters"
    )
    return model


def _warn_of_refusal(error: HubError, previous: str, offline: str) -> None:
    """Warn that a model cannot be had, and which one is shown instead; `offline` is the sentence for OfflineError."""
    sentence = offline if isinstance(error, OfflineError) else str(error)
    st.warning(f"{typeset.plain(sentence)} Still shown: **{typeset.plain(previous)}**.", icon=":material/info:")


def _fetch(offer: zoo.Offer, purpose: Purpose) -> None:
    """State the cost of a model that is not here; fetch it when the visitor agrees, and stop the page until then."""
    if not offer.download:
        return
    licence = f", licence {offer.licence}" if offer.licence else ""
    st.info(
        f"**{typeset.plain(offer.name)}** is not here yet: {typeset.plain(offer.what)}, {offer.parameters / 1e6:,.0f} "
        f"million parameters{typeset.plain(licence)}. To download: **{offer.download / 1e6:,.0f} MB**; in memory it "
        f"takes {offer.memory / 1e6:,.0f} MB.",
        icon=":material/download:",
    )

    waiting.offer("Download and open", partial(fetch_model, offer.name, purpose), unit="MB", computes=False)
    st.stop()
