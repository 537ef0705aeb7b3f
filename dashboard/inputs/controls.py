"""Controls for visitors. Every choice is kept in the address; an unusable one stops the page with a sentence."""

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeVar
from urllib.parse import quote

import streamlit as st
from streamlit.errors import StreamlitAPIException

from core import zoo
from core.errors import InputError
from core.images import EXAMPLES, LIMITS
from core.view.codec import whole_number
from dashboard import typeset
from dashboard.address import parameter
from dashboard.cache.upload import Upload
from dashboard.frame import carried
from dashboard.inputs import example_texts, uploads

Option = TypeVar("Option")
Number = TypeVar("Number", int, float)

# Defaults of a page; the resolution in pixels on a side.
FIRST_TEXT = example_texts.opening("next-word")
FIRST_PICTURE, FIRST_RESOLUTION = next(iter(EXAMPLES)), 96
WIDTH = 260  # pixels: of a control that does not grow
LONGEST_TYPED = 50_000  # characters of an address; the server answers none of 64 KB
TOKENS_BEFORE = "tokens_before"  # the last token and the default one, when the slider was last drawn
WITHOUT_LINK = "text_without_link"  # whether the field held a longer text in the previous run
TOO_LONG = (
    "This text would take {length:,} characters of a link; a link holds at most {most:,} of it. Open it as a file, or "
    "shorten it."
)


def text(*, first: str = FIRST_TEXT, megabytes: int = 1) -> str | Upload:
    """The visitor's text: typed, or a file of at most so many megabytes; `first` is the default."""
    typed_before = st.session_state.get("text", "")
    length = len(quote(typed_before, errors="replace"))
    is_short = length <= LONGEST_TYPED
    if is_short and st.session_state.pop(WITHOUT_LINK, False):
        st.query_params["text"] = typed_before  # the browser did not: the field that it was typed into had no link
    typed = st.text_area(
        "Your text",
        first,
        key="text",
        bind="query-params" if is_short else None,
        height=70,
        placeholder="Type or paste a text",
    )
    carried.note("text", typed, first)
    file = uploads.current(OWN_TEXT)
    with st.popover(uploads.name_of(OWN_TEXT) or "File", icon=":material/description:"):
        uploads.remove_button(OWN_TEXT)
        uploads.uploader(OWN_TEXT, "A text file", type=["txt", "md"])
        st.caption(
            f"Plain text, at most {megabytes} MB. While a file is open it is read instead of the field; it is not kept "
            f"in the address, so a copied link leads to the text in the field. {uploads.RULE}"
        )
    if uploads.is_forgotten(OWN_TEXT):
        _inform_of_dropped_file("file", "Open it again", "the text in the field")
    if not is_short:
        st.session_state[WITHOUT_LINK] = True
        st.query_params.pop("text", None)  # the browser wrote it there; so long an address could not be opened again
        if file is None:
            raise InputError(TOO_LONG.format(length=length, most=LONGEST_TYPED))
    return file or typed


def examples(
    texts: Mapping[str, str], *, field: str = "text", forgets: Sequence[str] = (), in_menu: bool = True
) -> None:
    """Draw a menu of example texts, for a control bar; a click replaces the visitor's text or file.

    `field`: the key of the text, by default that of `text`; `forgets`: parameters of the address that belong to the
    former text, such as words chosen in it; `in_menu`: False within another menu, where they stand as they are.
    """
    key, has_upload = f"{field}_example", field == "text"
    current = st.session_state.get(field)

    def replace_text() -> None:
        if (name := st.session_state[key]) in texts:
            if has_upload:
                uploads.remove(OWN_TEXT)
                uploads.go_on(OWN_TEXT)
            st.session_state[field] = texts[name]
            for address in forgets:
                st.query_params.pop(address, None)

    if current is not None:  # a text that was typed or edited is no example
        is_read = not has_upload or uploads.current(OWN_TEXT) is None
        st.session_state[key] = next((name for name, text in texts.items() if is_read and text == current), None)
    with st.popover("Examples", icon=":material/format_quote:") if in_menu else st.container():
        st.pills("Examples", list(texts), key=key, on_change=replace_text, label_visibility="collapsed")


def picture() -> str | Upload:
    """The visitor's picture: the name of an example, a file, or a photograph of the camera."""
    upload = uploads.current(OWN_PHOTO)
    if upload is None and st.session_state.get("picture") == OWN_PICTURE:
        st.session_state.picture = FIRST_PICTURE  # it has been taken away again
    elif upload and OWN in st.query_params and OWN not in st.session_state:
        st.session_state.picture = OWN_PICTURE  # it came with the page from a server that has ended
    options = [*EXAMPLES, OWN_PICTURE] if upload else list(EXAMPLES)
    chosen = menu(
        "Photograph", options, key="picture", first=FIRST_PICTURE, width=140, on_change=uploads.go_on, args=(OWN_PHOTO,)
    )
    carried.note("picture", chosen, FIRST_PICTURE)
    with st.popover("Your own", icon=":material/add_a_photo:"):
        uploads.remove_button(OWN_PHOTO)
        # Any file may be dropped: what cannot be read gets a sentence that says why.
        uploads.uploader(OWN_PHOTO, "A picture from this device", on_new=_choose_own)
        if st.toggle("Use the camera", key=CAMERA):
            uploads.uploader(OWN_PHOTO, "A new photograph", camera=True, on_new=_choose_own)
        st.caption(f"{LIMITS} It is not kept in the address: whoever opens a link has to upload it again.")
        st.caption(uploads.RULE)
    if uploads.is_forgotten(OWN_PHOTO):
        _inform_of_dropped_file("photograph", "Give it again under “Your own”", "the example")
    _note_owner(chosen == OWN_PICTURE)
    if upload and chosen == OWN_PICTURE:
        return upload
    return chosen if chosen in EXAMPLES else FIRST_PICTURE


OWN = "own"  # in the address: the view was of somebody's own picture
OWN_PICTURE = "yours"  # among the examples, as soon as there is one
OWN_TEXT, OWN_PHOTO, CAMERA = "own_text", "own_photo", "use_camera"


def _choose_own() -> None:
    """Choose a picture that has just been uploaded."""
    st.session_state.picture = OWN_PICTURE
    st.session_state[CAMERA] = False


def _inform_of_dropped_file(what: str, again: str, instead: str) -> None:
    st.info(uploads.EXPIRED.format(what=what, again=again, instead=instead), icon=":material/history:")


def _note_owner(is_own: bool) -> None:
    """Note in the address that the picture is the visitor's own, and inform visitors who open the link without it."""
    if is_own:
        st.session_state[OWN] = True
        st.query_params[OWN] = "1"
    elif st.session_state.pop(OWN, False):
        st.query_params.pop(OWN, None)  # it has been taken away again, or an example was chosen
    elif OWN in st.query_params:
        st.info(
            "This link was made with somebody's own photograph, which is not part of it: upload the photograph again "
            "under “Your own”. Until then you see the example.",
            icon=":material/add_a_photo:",
        )


def resolution(model: zoo.ImageModel, *, first: int = FIRST_RESOLUTION, width: int = 180) -> int | None:
    """The resolution of the picture, if the model leaves a choice; `first`: the default, in pixels on a side."""
    if len(model.resolutions) < 2:
        return None
    patch, _ = model.patch
    sides = [size // patch for size in model.resolutions]
    side = st.select_slider(
        "Patches on a side",
        sides,
        value=first // patch if first // patch in sides else sides[0],
        key="patches",
        bind="query-params",
        width=width,
    )
    return side * patch


def number(label: str, count: int, *, key: str, first: int = 0) -> int:
    """One of `count` things that are counted from 0, such as layers; `first` is the default.

    Another model or input may have fewer of them: then it is `first` again.
    """
    first = min(first, count - 1)
    if (st.session_state.get(key) or 0) >= count:
        st.session_state[key] = first
    return number_box(label, 0, count - 1, first, key=key, width=130)


def number_box(label: str, least: Number, most: Number, first: Number, *, key: str, **widget_options: Any) -> Number:
    """A box for a number from `least` to `most`; `first` is the default, also for an invalid number in the address.

    `widget_options` is passed to `st.number_input`.
    """
    return st.number_input(label, least, most, first, key=key, bind=_bind_if_finite(key), **widget_options)


def _bind_if_finite(key: str) -> Literal["query-params"] | None:
    """How a box for a number is bound to the address, from which an infinite number or NaN is removed.

    Streamlit 1.67 turns the text into a float and that into an integer; for 1e309 it raises OverflowError. A box that
    is not bound for one run does not read the address.
    """
    text = st.query_params.get(key, "")
    try:
        if math.isfinite(float(text)):
            return "query-params"
    except ValueError:
        return "query-params"  # Streamlit drops it
    with suppress(StreamlitAPIException):  # where it has been bound before, Streamlit drops it together with the bond
        del st.query_params[key]
    return None


def layer(numbers: Sequence[int], *, first: int, key: str = "layer") -> int:
    """One of a model's layers, by its number in the model; `first` is the default, also for one that is not there.

    In a hybrid the numbers of layers without attention are missing: then the others are a list.
    """
    if list(numbers) == list(range(len(numbers))):
        return number("Layer", len(numbers), key=key, first=first)
    if st.session_state.get(key) not in (*numbers, None):
        st.session_state[key] = first
    return st.selectbox("Layer", numbers, index=list(numbers).index(first), key=key, bind="query-params", width=130)


def choice(
    label: str,
    options: Iterable[Option],
    *,
    key: str,
    first: Option | None = None,
    about: str | None = None,
    **widget_options: Any,
) -> Option:
    """One of a few options, side by side; the default is `first`, or the first of them, also for an invalid choice.

    `about` is its help; `widget_options` is passed to `st.segmented_control`.
    """
    available = list(options)
    default = available[0] if first is None else first
    if st.session_state.get(key) not in (*available, None):
        st.session_state[key] = default
    # With a help, one that wraps takes a whole row in a control bar.
    widget_options = {"wrap": None if about else True, "help": about or None} | widget_options
    chosen = st.segmented_control(
        label, available, default=default, key=key, bind="query-params", required=True, **widget_options
    )
    return default if chosen is None else chosen  # an address may name none: `?picture=`


def menu(
    label: str,
    options: Iterable[Option],
    *,
    key: str,
    first: Option | None = None,
    width: int = WIDTH,
    **widget_options: Any,
) -> Option:
    """One of a few options in a list that opens, which takes less room in a control bar than `choice`.

    The default is `first`, or the first of them, also for an invalid choice; `widget_options` is passed to
    `st.selectbox`.
    """
    available = list(options)
    default = available[0] if first is None else first
    if st.session_state.get(key) not in (*available, None):
        st.session_state[key] = default
    index = available.index(default)
    chosen = st.selectbox(label, available, index=index, key=key, bind="query-params", width=width, **widget_options)
    return default if chosen is None else chosen


def token(labels: Sequence[str], *, first: int, label: str = "Token", width: int = WIDTH) -> int:
    """One of the tokens, by a slider with its name; `first` is the default."""
    last = len(labels) - 1
    if last < 1:
        return 0
    name = typeset.plain(labels[_token_in_view(last, first)])
    return st.slider(f"{label}: {name}", 0, last, first, key="token", bind="query-params", width=width)


def _token_in_view(last: int, first: int) -> int:
    """The value that the slider will have; for another text the same one if it was chosen and exists, else `first`."""
    value, previous = st.session_state.get("token"), st.session_state.get(TOKENS_BEFORE)
    st.session_state[TOKENS_BEFORE] = last, first
    if value is None:  # before its first run a widget that a link has set is known from the address alone
        from_address = parameter("token", lambda text: whole_number(text, last + 1))
        return first if from_address is None else from_address
    if previous == (last, first):
        return value
    is_chosen = previous is None or value != previous[1]
    # Left to itself, the slider of another length would begin anew, and not say so before it is drawn.
    st.session_state.token = value if is_chosen and 0 <= value <= last else first
    return st.session_state.token
