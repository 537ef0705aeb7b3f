"""What a layer costs is measured, and the memory agrees with what is known to be written."""

import pytest
import torch

from core.costs.layer_costs import HEADS, LAYERS, WIDTH, WrittenOut, measure_layers
from core.costs.one_pass import Cost
from core.models.self_attention import Attention


@pytest.fixture(scope="module")
def reports() -> list[tuple[int, int]]:
    return []


@pytest.fixture(scope="module")
def costs(reports) -> dict[tuple[str, int], Cost]:
    measured = measure_layers(lambda done, total: reports.append((done, total)), tokens=(64, 256), repeats=2)
    return {(cost.name, cost.tokens): cost for cost in measured}


def test_the_written_out_layer_computes_the_same_attention():
    torch.manual_seed(0)
    fused, written = Attention(WIDTH, HEADS, "none"), WrittenOut(WIDTH, HEADS, "none")
    written.load_state_dict(fused.state_dict())
    x = torch.randn(2, 30, WIDTH)
    with torch.no_grad():
        assert torch.allclose(fused(x), written(x), atol=1e-5)


def test_every_layer_is_measured_at_every_length(costs):
    assert set(costs) == {(layer, tokens) for layer in LAYERS for tokens in (64, 256)}
    assert all(cost.seconds > 0 and cost.bytes > 0 and cost.repeats == 2 for cost in costs.values())


def test_writing_the_scores_out_takes_their_memory_and_the_fused_kernel_does_not(costs):
    scores = HEADS * 256 * 256 * 4  # bytes of one float32 matrix a head
    assert costs["Self-attention, written out", 256].bytes > 2 * scores  # scores and weights
    assert costs["Self-attention, fused", 256].bytes < scores


def test_progress_is_told_after_each_pass(costs, reports):
    del costs
    total = 2 * len(LAYERS) * 3  # two lengths; once watched, twice timed
    assert reports == [(done, total) for done in range(1, total + 1)]


def test_no_further_round_is_begun_when_patience_is_over():
    costs = measure_layers(lambda done, total: None, tokens=(8,), repeats=50, patience=0.0)  # noqa: ARG005
    assert {cost.repeats for cost in costs} == {1}


def test_stopping_in_the_middle_leaves_the_way_free_for_the_next():
    def stop(done, total):
        del total
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_layers(stop, tokens=(8,), repeats=1)
    assert measure_layers(lambda done, total: None, tokens=(8,), repeats=1)  # noqa: ARG005
