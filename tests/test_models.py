"""Which models can be seen (docs/models.py): a sample of families is built and judged."""

import pytest
import torch
from torch import nn

from docs import models

SAMPLE = {
    "MultiheadAttention": "exact",
    "TransformerDecoder": "consistent",
    "bert": "exact",
    "bart": "exact",
    "big_bird": "partly",
    "gpt_oss": "exact",
    "llama": "exact",
    "longformer": "refused",
    "t5": "exact",
    "vit": "exact",
    "vit_b_16": "consistent",
}


@pytest.fixture(scope="module")
def built():
    return {family: (library, build) for library, family, build in models.families()}


@pytest.mark.parametrize("family", SAMPLE)
def test_a_family_is_judged_by_what_the_recorder_does_with_it(built, family):
    library, build = built[family]
    row = models.row_of(library, family, build)
    assert row.verdict == SAMPLE[family], row
    assert row.detail


class Blind(nn.Module):
    """Says another map than it uses: what the page must not call exact or consistent."""

    def __init__(self):
        super().__init__()
        self.query, self.key = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        weights = (self.query(x) @ self.key(x).mT).softmax(-1)
        return (weights @ x) * weights.diagonal(dim1=-2, dim2=-1)[..., None]


def test_the_test_of_consistency_can_fail():
    given = torch.randn(1, 5, 8)

    def build():
        return Blind, lambda model: model(given), lambda _: [torch.eye(5)[None, None]]

    row = models.row_of("torch.nn", "Blind", build)
    assert row.verdict == "partly"
    assert "0 of 1 maps equal" in row.detail
