"""The map of a long text whose answers the test gives; where it is, and how often this script ran, stand below."""

import streamlit as st

from dashboard.components.map_view import map_view

BASE = "/long-text/test"


def app() -> None:
    st.set_page_config(layout="wide")
    state = st.session_state
    state.runs = state.get("runs", 0) + 1
    state.setdefault("place", st.query_params.get("place"))

    def on_place(place: str) -> None:
        state.place = place

    map_view(key="map", base=BASE, place=state.place, name="long-text", on_place=on_place)
    st.button("Elsewhere", on_click=lambda: state.update(place="1.1.-4.900.100"))
    st.text(f"place {state.place}")
    st.text(f"runs {state.runs}")


if __name__ == "__main__":
    app()
