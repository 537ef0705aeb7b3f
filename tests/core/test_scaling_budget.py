"""What a model would need, beside what was published of models that exist."""

import pytest

from core.costs import gpt, total
from core.published import model_sizes
from core.published.devices import devices
from core.scaling import EXACT, RULE, Device, hours, running_memory, training_flops, training_memory

GPT3 = gpt(96, 12_288, 96, positions=2048)


def test_the_computing_of_gpt3_is_the_published_one():
    # Brown et al. 2020, table D.1: 3.14e23 FLOPs for 300 billion tokens.
    rule, exact = training_flops(GPT3, 2048, 300_000_000_000)
    assert (rule.part, exact.part) == (RULE, EXACT)
    assert rule.value == pytest.approx(3.14e23, rel=0.01)
    assert exact.value == pytest.approx(3.14e23, rel=0.05)


def test_parameters_of_published_models_are_within_one_per_cent():
    for model in model_sizes():
        assert total(model.shape) == pytest.approx(model.published, rel=0.01)


def test_the_exact_count_exceeds_the_rule_where_texts_are_long():
    shape = gpt(12, 768, 12, positions=65_536)
    rule, exact = training_flops(shape, 65_536, 10**9)
    assert exact.value > 2 * rule.value


def test_adam_in_mixed_precision_needs_sixteen_bytes_for_a_parameter():
    # Rajbhandari et al. 2020, section 3.1: 1.5 billion parameters need at least 24 GB.
    weights, gradients, optimiser, _ = training_memory(gpt(48, 1600, 25), 1024, 1)
    assert weights.value + gradients.value + optimiser.value == pytest.approx(24e9, rel=0.04)


def test_activations_are_those_of_the_formula_written_out():
    # Korthikanti et al. 2022, equation 1: s b h (34 + 5 a s / h) bytes for each layer.
    shape, s, b, h, a = gpt(3, 64, 4), 32, 5, 64, 4
    assert training_memory(shape, s, b, fused=False)[-1].value == 3 * s * b * h * (34 + 5 * a * s / h)
    assert training_memory(shape, s, b)[-1].value == 3 * s * b * h * 34


def test_a_batch_multiplies_the_kept_keys_and_values_and_not_the_weights():
    one, five = running_memory(GPT3, 2048, 1, "fp16"), running_memory(GPT3, 2048, 5, "fp16")
    assert five[0] == one[0]
    assert five[1].value == 5 * one[1].value == 5 * 2 * 96 * 2048 * 12_288 * 2


def test_hours_are_operations_over_speed():
    device = Device("one", 1e12, 1e9, "here")
    assert hours(3600e12, device, utilisation=1.0) == 1
    assert hours(3600e12, device, devices=4, utilisation=0.5) == 0.5
    with pytest.raises(ValueError, match=r"above 0 and up to 1, not 0\.0"):
        hours(1.0, device, utilisation=0.0)


def test_gpt3_took_about_as_long_on_v100s_as_its_authors_computed_with():
    # Patterson et al. 2021, table 4: 14.8 days on 10,000 V100, 24.6 TFLOP/s each.
    (v100,) = (device for device in devices() if "V100" in device.name)
    share = 24.6e12 / v100.flops_per_second
    assert hours(3.14e23, v100, devices=10_000, utilisation=share) / 24 == pytest.approx(14.8, rel=0.01)
