"""What pages say of attention of which it is not known whether it is self or cross."""

import math

import pytest
import torch

from core.capture import record_attention
from core.efficient.approximation_error import head_of
from core.errors import CaptureError
from core.text import Tokens
from core.zoo.text_models import EncoderDecoder, TextRun
from dashboard.recordings import scenes
from pages.foundations.inside_the_transformer.walk import who_sees_whom
from pages.foundations.many_heads import measured
from tests.core.test_capture_coverage import X
from tests.core.test_capture_kinds import Fused, OwnKernel, with_projections


@pytest.fixture
def unknown():
    with torch.no_grad(), record_attention(model := with_projections(Fused(), OwnKernel)) as record:
        model(X[:1])
    assert record[0].kind == "unknown"
    return record[0]


def test_heads_of_which_even_attention_says_nothing_are_in_no_comparison_with_it():
    values, even = torch.tensor([[0.5, 0.2, math.nan]]), torch.tensor([[math.nan, 0.1, 0.1]])
    assert [(finding.head, round(finding.even, 3)) for finding in measured.findings(values, even)] == [(1, 0.1)]
    assert len(measured.findings(values)) == 2


def test_a_model_is_not_called_a_decoder_or_an_encoder_for_what_is_not_known(unknown):
    description = who_sees_whom([unknown])
    assert "decoder" not in description
    assert "encoder" not in description
    assert "not known" in description


def test_the_group_of_a_layer_in_a_view_says_that_it_is_not_known(unknown):
    assert scenes._layer(0, unknown, "text", "text").group == "self or cross unknown"


def test_no_approximation_takes_the_place_of_what_may_be_cross_attention(unknown):
    with pytest.raises(CaptureError, match="not known to be self-attention"):
        head_of(unknown, 0)


def test_which_of_two_sequences_the_keys_are_is_not_guessed_by_their_number(unknown):
    tokens = Tokens(tuple(range(6)), tuple("abcdef"), (False,) * 6, (None,) * 6)
    reader = object.__new__(EncoderDecoder)  # its weights and its words are not asked for
    assert reader.sequences_of(unknown, TextRun(None, {"source": tokens, "target": tokens})) is None
