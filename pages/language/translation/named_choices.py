"""Which pretrained model translates, and what it has to be told: a prefix, or the two languages."""

from dataclasses import dataclass

import streamlit as st

from core import zoo
from core.errors import ModelError
from core.zoo import NamedTranslator
from core.zoo.hub import OFFLINE
from dashboard import controls, layout
from dashboard.models import inspect_model
from pages.language.translation import words_named as said

ENGLISH = ("eng_Latn", "en_XX", "__en__")
FRENCH = ("fra_Latn", "fr_XX", "__fr__", ">>fra<<", ">>fr<<")
LONGEST_NAME, LONGEST_PREFIX = 500, 200  # characters


@dataclass(frozen=True)
class Told:
    """What stands before the sentence, and the languages in the model's own codes, where it takes any."""

    prefix: str = ""
    source_language: str | None = None
    target_language: str | None = None


def name() -> str:
    """The name of a model, or the path of a folder; empty until the visitor gives one."""
    return st.text_input(
        "Model",
        "",
        key="translator",
        bind="query-params",
        max_chars=LONGEST_NAME,
        placeholder=said.NAMED_PLACEHOLDER,
        help=said.NAMED_HELP,
        width=layout.PROSE,
    ).strip()


def ready(model_name: str) -> None:
    """Stop the page until the model is here; AtlasError if it cannot be had, or cannot translate."""
    try:
        found = inspect_model(model_name, "text", allow_folders=controls.is_at_home())
    except ModelError as error:
        if str(error) != OFFLINE:
            raise
        raise ModelError(said.NAMED_OFFLINE) from error  # what works without the hub, on this page
    zoo.check_translates(found)
    if found.download:
        controls.ask_before_fetching(found, "text")


def told(model: NamedTranslator) -> Told:
    """What this kind of model wants to know besides the sentence."""
    if model.languages:
        return _languages(model)
    if model.prefix or model.kind.endswith("t5"):
        prefix = st.text_input(
            "Prefix",
            model.prefix,
            key="named_prefix",
            bind="query-params",
            max_chars=LONGEST_PREFIX,
            width=layout.PROSE,
            help=said.NAMED_PREFIX_HELP,
        )
        return Told(prefix=prefix)
    return Told()


def _languages(model: NamedTranslator) -> Told:
    with layout.control_bar():
        source = _language(model, "From", ENGLISH, "named_from") if model.names_source else None
        target = _language(model, "Into", FRENCH, "named_into")
    if model.names_source:
        return Told(source_language=source, target_language=target)
    return Told(prefix=f"{target} ")


def _language(model: NamedTranslator, label: str, wanted: tuple[str, ...], key: str) -> str:
    codes = list(model.languages)
    first = next((place for place, code in enumerate(codes) if code in wanted), 0)
    return st.selectbox(
        label, codes, index=first, key=key, bind="query-params", width=controls.WIDTH, help=said.NAMED_LANGUAGE_HELP
    )
