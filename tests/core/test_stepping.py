"""Reading step by step, watched: what is computed, what is kept, what it costs."""

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM

from core.errors import InputError
from core.generation.reader import Reader
from core.generation.step_costs import WITH_CACHE, WITHOUT_CACHE, lengths_within, measure_steps
from core.generation.stepping import (
    CACHED,
    COMPUTED,
    NOT_NEEDED,
    full_pass,
    read_in_steps,
    rows_with_cache,
    rows_without_cache,
)
from core.models.gpt import GPT, GPTConfig
from core.models.gpt_rotary import RotaryGPT, RotaryGPTConfig
from core.progress import no_progress

TOKENS = torch.randint(1, 60, (20,), generator=torch.Generator().manual_seed(0)).tolist()
GROUPED = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}
OURS = {"vocabulary": 64, "width": 32, "layers": 2, "heads": 4}
NETWORKS = {
    "gpt": lambda: GPT(GPTConfig(context=64, **OURS)),
    "rotary": lambda: RotaryGPT(RotaryGPTConfig(context=64, trained=64, **OURS)),
    "gpt2": lambda: GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=64, n_embd=32, n_layer=2, n_head=4)),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**GROUPED)),
    "mistral": lambda: MistralForCausalLM(MistralConfig(sliding_window=6, **GROUPED)),
}


def network_of(kind: str):
    torch.manual_seed(0)
    return NETWORKS[kind]().eval()


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("prompt", [1, 7, 20])
def test_reading_in_steps_says_what_the_full_pass_says(kind, prompt):
    reading = read_in_steps(network_of(kind), TOKENS, prompt=prompt)
    assert reading.difference <= 1e-6 * max(10, reading.largest)  # float32 holds seven digits of the largest
    assert reading.largest == pytest.approx(float(full_pass(network_of(kind), TOKENS).abs().max()))
    assert [(step.first, step.last) for step in reading.steps] == [
        (0, prompt),
        *((last - 1, last) for last in range(prompt + 1, 21)),
    ]
    assert reading.step_of(0) is reading.steps[0]
    assert reading.step_of(19).last == 20


@pytest.mark.parametrize("kind", ["gpt", "rotary", "gpt2", "llama"])
def test_a_step_computes_its_own_rows_and_takes_all_before_it_from_the_cache(kind):
    for step in read_in_steps(network_of(kind), TOKENS, prompt=7).steps:
        new = step.last - step.first
        assert step.computed_rows() == 3 * 2 * new
        assert step.cached_rows() == 2 * 2 * step.first
        grid = rows_with_cache(step, 20)
        for layer in range(2):
            q, k, v = grid[3 * layer : 3 * layer + 3]
            assert (q[step.first : step.last] == COMPUTED).all()
            assert (np.delete(q, range(step.first, step.last)) == NOT_NEEDED).all()
            for row in (k, v):
                assert (row[: step.first] == CACHED).all()
                assert (row[step.first : step.last] == COMPUTED).all()
                assert (row[step.last :] == NOT_NEEDED).all()
        assert (rows_without_cache(step, 20)[:, : step.last] == COMPUTED).all()
        assert (rows_without_cache(step, 20) == COMPUTED).sum() == 3 * 2 * step.last


def test_beyond_its_window_a_model_keeps_nothing():
    steps = read_in_steps(network_of("mistral"), TOKENS, prompt=1).steps
    for step in steps:
        grid = rows_with_cache(step, 20)
        assert (grid[1] == CACHED).sum() == min(step.first, 5)  # the sixth of the window is the token itself
        assert (grid[1, : max(0, step.last - 6)] == NOT_NEEDED).all()


def test_progress_counts_the_tokens():
    heard = []
    read_in_steps(network_of("gpt"), TOKENS, prompt=18, progress=lambda *done: heard.append(done))
    assert heard == [(18, 20), (19, 20), (20, 20)]


@pytest.mark.parametrize("kind", ["gpt", "llama"])
def test_bytes_grow_by_keys_and_values_of_one_token(kind):
    reader, sizes = Reader(network_of(kind), 20), []
    for token in TOKENS[:5]:
        reader.read([token])
        sizes.append(reader.bytes)
    key_heads = 2 if kind == "llama" else 4
    assert sizes == [2 * 2 * key_heads * 8 * 4 * n for n in range(1, 6)]


@pytest.mark.parametrize("kind", NETWORKS)
def test_both_ways_are_measured_at_every_length(kind):
    measurements = measure_steps(network_of(kind), no_progress, context=40, repeats=2)
    assert (
        measurements.of(WITH_CACHE).keys()
        == measurements.of(WITHOUT_CACHE).keys()
        == {16, 32}
        == measurements.cache_bytes.keys()
    )
    for length in (16, 32):
        assert measurements.of(WITH_CACHE)[length].seconds > 0
        assert measurements.of(WITH_CACHE)[length].bytes >= measurements.cache_bytes[length] > 0
        assert measurements.of(WITHOUT_CACHE)[length].bytes > 0
    if kind != "mistral":
        assert measurements.cache_bytes[32] == 2 * measurements.cache_bytes[16]


def test_what_is_held_is_that_of_the_length_also_where_patience_ends_early():
    measurements = measure_steps(network_of("gpt"), no_progress, context=40, repeats=5, patience=0.0)
    assert {cost.repeats for cost in measurements.costs} == {1}
    assert measurements.cache_bytes == {n: 2 * 2 * 32 * 4 * n for n in (16, 32)}


def test_lengths_are_powers_of_two_within_the_context():
    assert lengths_within(256) == (16, 32, 64, 128, 256)
    assert lengths_within(100_000)[-1] == 1024
    with pytest.raises(InputError, match="at least 16 tokens at once, and this model reads 9"):
        lengths_within(9)
