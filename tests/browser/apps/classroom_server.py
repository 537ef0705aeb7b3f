"""A server of that page, with the websocket of classes."""

from pathlib import Path

import streamlit as st

from dashboard.classroom import websocket

app = st.App(Path(__file__).parent / "classroom_app.py", routes=[websocket.route()])
