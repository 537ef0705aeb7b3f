"""A record in a notebook: what a real Jupyter server and its page make of it."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, WITHIN
from tests.dashboard.test_visitor import free_port

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


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    """The address of a Jupyter server with one notebook, which has this project on its path and nothing else."""
    folder, port = tmp_path_factory.mktemp("notebooks"), free_port()
    (folder / "attention.ipynb").write_text(json.dumps(NOTEBOOK))
    settings = os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(folder), "JUPYTER_PREFER_ENV_PATH": "1"}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--ip=127.0.0.1"]
    command += ["--IdentityProvider.token=", "--ServerApp.password=", f"--ServerApp.root_dir={folder}"]
    command += ["--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, env=settings, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api", server, folder / "log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=30)


def _wait_for(address, server, log):
    until = time.monotonic() + WITHIN
    while time.monotonic() < until and server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(address) as answer:
            if answer.status == 200:
                return
        time.sleep(0.1)
    pytest.fail(f"Jupyter did not start: {log.read_text()}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_record_shows_itself_below_its_cell(jupyter, browser_page, scheme):
    page = browser_page
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{jupyter}/lab/tree/attention.ipynb?reset")
    page.locator(".jp-Cell").first.click()
    for _ in NOTEBOOK["cells"]:
        page.keyboard.press("Shift+Enter")
    frame = page.frame_locator("iframe[title=Attention]")
    expect(frame.get_by_text("Layer 0, head 0")).to_be_visible()
    expect(frame.get_by_text("mouse").first).to_be_visible()
    frame.get_by_role("gridcell", name="Layer 1, head 2").click()
    expect(frame.get_by_text("Layer 1, head 2", exact=True)).to_be_visible()
    paper = frame.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    assert (sum(map(int, paper[4:-1].split(","))) > 384) is (scheme == "light")
