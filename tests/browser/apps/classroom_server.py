"""A server of that page, with the websocket of classes."""

from pathlib import Path

import streamlit as st

from dashboard import classroom_socket

app = st.App(Path(__file__).parent / "classroom_app.py", routes=[classroom_socket.route()])
