"""A record in a notebook: what a real Jupyter server and its page make of it."""

import json
import os
import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT
from tests.dashboard.test_visitor import free_port
from tests.polling import wait_until_served

LINES = """
import torch
from core.capture import record_attention
from torch import nn

torch.manual_seed(0)
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, batch_first=True), 2).eval()
with torch.inference_mode(), record_attention(model, tokens=["a", "<img src=x onerror=alert(1)>", "mouse"]) as record:
    model(torch.randn(1, 3, 64))
"""
NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "id": f"cell-{place}",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": lines,
        }
        for place, lines in enumerate((LINES.strip(), "record"))
    ],
    "metadata": {"kernelspec": {"display_name": "Python", "language": "python", "name": "python3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
RUN = re.compile(r"\[\d+\]:")  # what stands beside a cell that has run


SCHEMES = ("light", "dark")


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    """The address of a Jupyter server with a notebook for each of SCHEMES, which has this project on its path."""
    folder, port = tmp_path_factory.mktemp("notebooks"), free_port()
    for scheme in SCHEMES:
        (folder / f"{scheme}.ipynb").write_text(json.dumps(NOTEBOOK))
    settings = os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(folder), "JUPYTER_PREFER_ENV_PATH": "1"}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--ip=127.0.0.1"]
    command += ["--IdentityProvider.token=", "--ServerApp.password=", f"--ServerApp.root_dir={folder}"]
    command += ["--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, env=settings, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_until_served(f"http://127.0.0.1:{port}/api", server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=30)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_record_shows_itself_below_its_cell(jupyter, own_tab, scheme):
    page = own_tab
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{jupyter}/lab/tree/{scheme}.ipynb?reset")
    cells = page.locator(".jp-Cell")
    cells.first.click()
    # A cell that is run before the kernel is there is not run later.
    expect(page.get_by_role("button", name="Python 3 (ipykernel) | Idle")).to_be_visible()
    for place, _ in enumerate(NOTEBOOK["cells"]):
        page.keyboard.press("Shift+Enter")
        expect(cells.nth(place).get_by_text(RUN).first).to_be_visible()
    frame = page.frame_locator("iframe[title=Attention]")
    expect(frame.get_by_text("Layer 0, head 0")).to_be_visible()
    expect(frame.get_by_text("mouse").first).to_be_visible()
    frame.get_by_role("gridcell", name="Layer 1, head 2").click()
    expect(frame.get_by_text("Layer 1, head 2", exact=True)).to_be_visible()
    paper = frame.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    assert (sum(map(int, paper[4:-1].split(","))) > 384) is (scheme == "light")
