"""The explanation of a weight on any page: whether it is open, and its numbers against those computed here."""

import json
import math

import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.capture import AttentionCall
from dashboard.output import why_weight_sentences as sentences
from tests.pages.conftest import message_text, prose

LARGEST = 6  # keys that are drawn


def figures(app: AppTest) -> dict[str, list[dict]]:
    """The traces of the figures of the explanation, by the title of their first column."""
    charts = [json.loads(chart.proto.spec)["data"] for chart in app.get("plotly_chart")]
    return {traces[0]["name"]: traces for traces in charts if traces[0]["name"] in ("query", "score", "weight")}


def is_open(app: AppTest) -> bool:
    """Whether a weight is explained."""
    return any(heading.value.startswith("Why does") for heading in app.subheader)


def check_cell(app: AppTest, call: AttentionCall, head: int, query: int, key: int) -> None:
    """Dot product, scores, weights and lengths of values on the page are those of the call, computed here again."""
    assert is_open(app)
    products, scores, values = figures(app).values()
    queries, keys, value = call.query[0, head].double(), call.key[0, head].double(), call.value[0, head].double()
    dot = float(queries[query] @ keys[key])
    assert products[2]["x"][-1] == pytest.approx(dot, rel=1e-4, abs=1e-5)
    assert sum(products[2]["x"][:-1]) == pytest.approx(dot, rel=1e-4, abs=1e-5)
    sizes = [abs(number) for number in products[2]["x"][:6]]
    assert sizes == sorted(sizes, reverse=True)
    row = queries[query] @ keys.T * call.scale
    visible = torch.arange(len(row)) <= query if call.causal else torch.ones(len(row), dtype=torch.bool)
    weights = row.masked_fill(~visible, -torch.inf).softmax(-1)
    torch.testing.assert_close(weights, call.weights(head)[query].double(), atol=1e-5, rtol=1e-4)
    largest = weights.argsort(descending=True, stable=True)[:LARGEST].tolist()
    if key not in largest:
        largest = [*largest[: LARGEST - 1], key]
    assert scores[1]["x"] == pytest.approx(weights[largest].tolist(), abs=1e-5)
    drawn_scores = [math.nan if score is None else score for score in scores[0]["x"]]
    expected = row.masked_fill(~visible, math.nan)[largest].tolist()
    assert drawn_scores == pytest.approx(expected, rel=1e-4, abs=1e-5, nan_ok=True)
    output = weights @ value
    shares = weights * (value @ output) / (output @ output)
    drawn = shares.abs().argsort(descending=True, stable=True)[:LARGEST].tolist()
    if key not in drawn:
        drawn = [*drawn[: LARGEST - 1], key]
    assert values[0]["x"] == pytest.approx(weights[drawn].tolist(), abs=1e-5)
    assert values[1]["x"] == pytest.approx(value[drawn].norm(dim=-1).tolist(), rel=1e-4)
    assert values[2]["x"] == pytest.approx(shares[drawn].tolist(), rel=1e-3, abs=1e-5)
    assert f"sum to {sentences.signed(dot)}" in prose(app).replace("**", "")
    assert sentences.CHECKED in message_text(app, "caption")
