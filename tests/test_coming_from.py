"""The lines of docs/coming-from.md run as they stand."""

from pathlib import Path

import pytest
import torch

from core.capture import Patch, Record, edit_attention, record_attention
from tests.core.tiny_models import tiny_gpt

LINES = (Path(__file__).parents[1] / "docs" / "coming-from.md").read_text().splitlines()
OURS = [
    cell.strip("`")
    for line in LINES
    if line.startswith("| ") and (cell := line.split(" | ")[-1].removesuffix(" |")) and "`" in cell
]


@pytest.fixture(scope="module")
def names():
    model, ids = tiny_gpt().eval(), torch.tensor([[3, 1, 4, 1, 5]])
    known = {"model": model, "ids": ids, "tokens": [f"token {number}" for number in range(5)], "Patch": Patch}
    known |= {"record_attention": record_attention, "edit_attention": edit_attention, "Record": Record}
    with record_attention(model) as record:
        model(ids)
    with record_attention(model, differentiable=True) as followed:
        logits = model(ids)
    with record_attention(model, attention_mask=[[1, 1, 1, 0, 0]]) as padded:
        model(ids)
    return known | {"padded": padded, "record": record, "followed": followed, "logits": logits}


def test_there_is_a_line_for_each_habit():
    assert len(OURS) >= 16
    assert all(line.count("`") == 0 for line in OURS)


@pytest.mark.parametrize("line", OURS)
def test_a_line_runs(line, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if line.startswith("Record.load"):
        names["record"].save("run.safetensors")
    exec(line, dict(names))
