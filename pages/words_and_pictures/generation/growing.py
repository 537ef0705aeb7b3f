"""Pictures while they are drawn: row by row, with a way to stop; who stopped it is asked before it begins again."""

from collections.abc import Hashable
from typing import Any

import streamlit as st
from jaxtyping import Int
from torch import Tensor

from dashboard import theme
from dashboard.cache.memo import CachedFunction
from dashboard.cache.models import picture_coder
from pages.words_and_pictures.generation.compute import Drawn, DrawRequest, Watching, as_pictures
from pages.words_and_pictures.generation.pictures import begun, sheet

STOPPED = "stopped_drawing"  # in the session: what the visitor did not want to wait for
ACROSS = 4  # pictures in a row while they grow
WIDE = 168  # pixels of each


def drawn(draw: CachedFunction[Any, Drawn], request: DrawRequest, *more: Any) -> Drawn | None:
    """The drawing of `draw` for a request and `more`: at once where it is cached, else before the visitor's eyes.

    None where the visitor stopped it: then a button begins it again.
    """
    if (known := draw.peek(request, *more)) is not None:
        return known
    name = draw.__name__  # type: ignore[attr-defined]
    wanted = (name, request, *(getattr(argument, "identity", argument) for argument in more))
    if st.session_state.get(STOPPED) == wanted:
        st.info("You stopped this drawing. Change something, or draw it after all.", icon=":material/pause:")
        st.button("Draw it after all", key=f"after-all-{name}", on_click=_forget)
        return None
    place = st.empty()
    try:
        with place.container():
            preview = st.empty()
            progress_bar = st.progress(0.0, "waits for its turn")
            st.button("Cancel", key=f"cancel-{name}", on_click=_stop, args=(wanted,))
        coder, look = picture_coder(request.world), theme.look()

        def grow(done: int, total: int, codes: Int[Tensor, "batch _"]) -> None:
            progress_bar.progress(done / total, f"row {done} of {total}")
            rows = as_pictures(coder.paint(codes))
            pictures = [begun(part, coder.network.config.side, look) for part in rows]
            across = min(ACROSS, len(pictures))
            preview.image(sheet(pictures, across=across, times=3, look=look), width=across * WIDE)

        return draw(
            request, *more, watching=Watching(grow, waits=lambda sentence: progress_bar.progress(0.0, sentence))
        )
    finally:
        place.empty()  # also of what went wrong: there is nothing to cancel any more


def _stop(wanted: Hashable) -> None:
    st.session_state[STOPPED] = wanted


def _forget() -> None:
    st.session_state.pop(STOPPED, None)
