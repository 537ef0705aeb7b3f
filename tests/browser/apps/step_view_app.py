"""The page "Attention step by step" with a small random model, for the tests of the step view."""

import runpy
from types import SimpleNamespace

import streamlit as st
import torch

from core.models.gpt import GPT, GPTConfig
from core.text import Tokens
from dashboard import contents
from dashboard.cache import models


@st.cache_resource
def small_model(name: str) -> SimpleNamespace:
    torch.manual_seed(0)
    network = GPT(GPTConfig(vocabulary=300, context=64, width=96, layers=2, heads=2)).eval()

    def encode(text: str) -> Tokens:
        words = text.split(" ")
        ids = tuple(sum(map(ord, word)) % 300 for word in words)
        return Tokens(ids, tuple(words), (False,) * len(words), tuple(range(len(words))))

    return SimpleNamespace(name=name, network=network, encode=encode)


models.text_model = small_model
st.set_page_config(layout="wide")
runpy.run_path(str(contents.ROOT / "pages" / contents.STEPS.folder / "page.py"))
