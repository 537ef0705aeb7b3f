"""The cached pass is the full pass: same logits, in whatever portions a text is read."""

import pytest
import torch

from core.capture import record_attention
from core.models.gpt import GPT, GPTConfig
from core.models.gpt_rotary import RotaryGPT, RotaryGPTConfig
from core.models.key_value_cache import Cache, cache_for, causal_mask, longest_cached
from core.zoo import load_text

SIZES = {"vocabulary": 64, "width": 32, "layers": 3, "heads": 4}
TOKENS = torch.randint(64, (2, 40), generator=torch.Generator().manual_seed(1))


def network_of(kind: str):
    torch.manual_seed(0)
    if kind == "learned":
        network = GPT(GPTConfig(context=40, **SIZES))
    else:
        network = RotaryGPT(RotaryGPTConfig(context=80, trained=40, extension=kind, **SIZES))
    for parameter in network.parameters():  # as drawn, little depends on anything
        torch.nn.init.normal_(parameter, std=0.2)
    return network.eval()


KINDS = ("learned", "yarn", "ntk", "none")
PORTIONS = ((1,) * 40, (40,), (17, *(1,) * 23), (9, 4, 1, 1, 12, 1, 2, 10), (39, 1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("portions", PORTIONS, ids=lambda portions: f"{len(portions)} portions")
@torch.inference_mode()
def test_a_text_in_portions_gives_the_logits_of_the_full_pass(kind, portions):
    network, read = network_of(kind), []
    cache = cache_for(network)
    for portion in TOKENS.split(list(portions), dim=1):
        read.append(network(portion, cache))
    torch.testing.assert_close(torch.cat(read, dim=1), network(TOKENS), atol=1e-5, rtol=1e-5)
    assert cache.length == 40


@pytest.mark.parametrize("name", ["gpt-books", "gpt-books-long"])
@torch.inference_mode()
def test_the_models_that_come_with_the_atlas_say_the_same_past_a_prompt(name):
    model = load_text(name)
    tokens = torch.tensor([model.encode("The old man looked at the sea because he was tired of the sea.").ids])
    cache = cache_for(model.network)
    read = [model.network(portion, cache) for portion in (tokens[:, :7], tokens[:, 7:8], tokens[:, 8:])]
    # In units of the logits' own size, which is above 10: 1e-5 of it.
    full_logits = model.network(tokens)
    assert (torch.cat(read, dim=1) - full_logits).abs().max() <= 1e-5 * full_logits.abs().max()


@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_what_is_forgotten_leaves_no_trace(kind):
    network = network_of(kind)
    cache = cache_for(network)
    network(TOKENS[:, :12], cache)
    network(TOKENS[:, 30:], cache)
    cache.truncate(12)
    assert cache.length == 12
    again = network(TOKENS[:, 12:20], cache)
    torch.testing.assert_close(again, network(TOKENS[:, :20])[:, 12:], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_the_recorder_sees_each_step_with_its_new_queries_and_all_keys(kind):
    network = network_of(kind)
    with record_attention(network) as full_record:
        network(TOKENS[:1])
    cache = cache_for(network)
    for first, last in ((0, 6), (6, 7), (7, 10)):
        with record_attention(network) as step:
            network(TOKENS[:1, first:last], cache)
        assert [call.path for call in step.calls] == [f"blocks.{layer}.attention" for layer in range(3)]
        for call, full in zip(step.calls, full_record.calls, strict=True):
            assert (call.query_length, call.key_length) == (last - first, last)
            expected = full.weights(head=1)[first:last, :last]
            torch.testing.assert_close(call.weights(head=1), expected, atol=1e-5, rtol=1e-4)


@torch.inference_mode()
def test_the_bytes_are_those_of_the_rows_that_are_kept():
    network = network_of("learned")
    cache = cache_for(network, 30)
    assert (cache.bytes, cache.length, cache.longest) == (0, 0, 30)
    network(TOKENS[:1, :7], cache)
    assert cache.bytes == 2 * 3 * 7 * 32 * 4  # keys and values, layers, tokens, channels, bytes of a float
    cache.truncate(2)
    assert cache.bytes == 2 * 3 * 2 * 32 * 4


def test_more_tokens_than_fit_are_refused_with_both_numbers():
    network = network_of("learned")
    with pytest.raises(ValueError, match="12 tokens do not fit: this cache holds 11"):
        network(TOKENS[:, :12], cache_for(network, 11))
    with pytest.raises(ValueError, match="0 to 0 can be kept, not 3"):
        cache_for(network).truncate(3)
    with pytest.raises(ValueError, match="not 3 and 0"):
        Cache(3, longest=0)


def test_beyond_its_training_an_extended_rotary_gpt_is_not_read_step_by_step():
    assert [longest_cached(network_of(kind)) for kind in KINDS] == [40, 40, 40, 80]
    network = network_of("yarn")
    with pytest.raises(ValueError, match="41 tokens do not fit: step by step this GPT reads 40"):
        network(torch.zeros(1, 41, dtype=torch.long), Cache(3, longest=80))


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (1, 5), (3, 3), (3, 7)])
def test_the_newest_tokens_see_all_up_to_themselves(queries, keys):
    for query, row in enumerate(causal_mask(queries, keys).tolist()):
        assert row == [key <= keys - queries + query for key in range(keys)]
