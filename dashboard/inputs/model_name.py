"""Which model: one of ours, or any other by name or folder; what it costs is said before it is fetched."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from core import zoo
from core.errors import HubError, ModelError, OfflineError
from core.hub.permissions import Purpose
from core.hub.repositories import offline as offline_sentence
from core.zoo.loading import check_offer
from core.zoo.masked_autoencoders import AUTOENCODERS
from core.zoo.transformers_captioners import NamedPictureWriter
from core.zoo.transformers_joint import NamedJointReader
from dashboard import theme, typeset, visitor
from dashboard.cache import waiting
from dashboard.cache.models import OURS, autoencoder, clip, fetch_model, image_model, inspect_model, listed, text_model
from dashboard.frame import carried, error_messages, layout
from dashboard.inputs.controls import WIDTH

KEYS: dict[Purpose, str] = {
    "text": "model",
    "image": "network",
    "both": "pair",
    "gaps": "autoencoder",
}  # in the address
USUAL: dict[Purpose, Sequence[str]] = {
    "text": tuple(zoo.TEXT),
    "image": zoo.WHOLE,
    "both": ("photographs",),
    "gaps": tuple(AUTOENCODERS),
}
READERS: Mapping[Purpose, Callable[[str], Any]] = {
    "text": text_model,
    "image": image_model,
    "both": clip,
    "gaps": autoencoder,
}
LONGEST_NAME = 500  # characters
Named = TypeVar("Named", zoo.NamedTranslator, NamedPictureWriter, NamedJointReader)


def model(purpose: Purpose, *, offered: Sequence[str] = (), attends: bool = True) -> str:
    """The name of a model that is ready: one that comes with the atlas, or any other by name or folder.

    Where the hub does not give what was named, a sentence says so, and it is the model of before, or the first.

    `offered`: those of ours that are on the list, by default all that read texts or whole pictures; `attends`:
    whether a model without attention heads is refused. What reads "both" says how well pictures and texts agree,
    what reads "gaps" fills them in.
    """
    ours, key = list(offered or USUAL[purpose]), KEYS[purpose]
    name = st.selectbox(
        "Model",
        [*ours, *listed(purpose)],
        key=key,
        bind="query-params",
        accept_new_options=True,  # what may not be opened is refused in a sentence, not passed over in silence
        width=WIDTH,
        help=visitor.may_name(),
    )
    carried.note(key, name, ours[0], title=OURS.get(name, ""))
    kept = f"{key} in view, of {', '.join(ours)}"  # another page may offer others
    if purpose in ("both", "gaps") and name in ours:
        st.session_state[kept] = name
        return name
    inspect = partial(
        inspect_model, purpose=purpose, attends=attends, give_up=partial(st.session_state.__setitem__, key, ours[0])
    )
    try:
        found = inspect(name)
    except HubError as error:
        before = st.session_state.get(kept, ours[0])
        _say_instead(error, before, offline_sentence(ours))
        if before in ours and purpose in ("both", "gaps"):
            return before
        name, found = before, inspect(before)
    if purpose == "both":
        check_offer(found, "agreement")
    _fetch(found, purpose)
    st.session_state[kept] = name
    if name not in OURS:  # ours need no look: their numbers are known
        error_messages.warn_of(READERS[purpose](name).warnings)
    return name


def named(
    key: str,
    purpose: Purpose,
    check: Callable[[zoo.Offer], None],
    read: Callable[[str], Named],
    *,
    placeholder: str,
    about: str,
    nothing: str,
    offline: str,
) -> Named | None:
    """The model that a visitor named, opened by `read`, and what it is; None before, where `nothing` is said.

    `check` refuses in a ModelError what does something else than the page needs; `offline` says what there is on the
    page while the hub cannot be reached.
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
        st.markdown(nothing, width=theme.PROSE)
        if not at_home:
            st.caption(visitor.may_name())
        return None
    inspect = partial(inspect_model, purpose=purpose, give_up=partial(st.session_state.__setitem__, key, ""))
    kept = f"{key} in view"
    try:
        found = inspect(name)
    except HubError as error:
        before = st.session_state.get(kept)
        if before is None:
            raise (ModelError(offline) if isinstance(error, OfflineError) else error) from error
        _say_instead(error, before, offline)
        name, found = before, inspect(before)
    check(found)
    _fetch(found, purpose)
    st.session_state[kept] = name
    with layout.waiting_place():
        model = read(name)
    error_messages.warn_of(model.warnings)
    layout.caption(
        f"**{typeset.plain(model.title)}** · {type(model.network).__name__} · {model.parameters / 1e6:,.1f} million "
        "parameters"
    )
    return model


def _say_instead(error: HubError, before: str, offline: str) -> None:
    """Why a model cannot be had, and which one is shown instead; `offline` is the sentence of a page without a hub."""
    sentence = offline if isinstance(error, OfflineError) else str(error)
    st.warning(f"{typeset.plain(sentence)} Still shown: **{typeset.plain(before)}**.", icon=":material/info:")


def _fetch(offer: zoo.Offer, purpose: Purpose) -> None:
    """Of a model that is not here say what it costs; fetch it when the visitor agrees, stop the page until then."""
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
