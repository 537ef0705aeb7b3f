import math

import pytest
import torch

from core.models.image_gpt import ImageGPT, ImageGPTConfig, nearest_colours
from core.models.key_value_cache import Cache


def small(*, causal: bool) -> ImageGPT:
    torch.manual_seed(0)
    network = ImageGPT(ImageGPTConfig(colours=11, side=4, width=16, layers=3, heads=2, causal=causal)).eval()
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    network.palette.copy_(torch.rand(11, 3))
    return network


def test_it_never_looks_ahead():
    network, colours = small(causal=True), torch.randint(11, (1, 16))
    before = network(network.after_start(colours))
    for place in range(16):
        changed = colours.clone()
        changed[0, place] = (changed[0, place] + 1) % 11
        after = network(network.after_start(changed))
        assert torch.equal(after[:, : place + 1], before[:, : place + 1])
        if place < 15:  # nothing is asked after the last pixel
            assert not torch.equal(after[:, place + 1 :], before[:, place + 1 :])


def test_hidden_pixels_see_both_sides_and_not_what_is_hidden():
    network, colours = small(causal=False), torch.randint(11, (1, 16))
    hidden = torch.zeros(1, 16, dtype=torch.bool)
    hidden[0, 5] = True
    logits = network(colours.masked_fill(hidden, network.config.blank))[0, 5]
    for place in (0, 4, 6, 15):
        changed = colours.clone()
        changed[0, place] = (changed[0, place] + 1) % 11
        assert not torch.equal(network(changed.masked_fill(hidden, network.config.blank))[0, 5], logits)
    changed = colours.clone()
    changed[0, 5] = (changed[0, 5] + 1) % 11
    assert torch.equal(network(changed.masked_fill(hidden, network.config.blank))[0, 5], logits)


def test_pixel_by_pixel_with_a_cache_is_the_same_as_all_at_once():
    network, colours = small(causal=True), torch.randint(11, (2, 16))
    tokens = network.after_start(colours)
    cache = Cache(network.config.layers, longest=16)
    parts = [network(tokens[:, :7], cache)] + [network(tokens[:, place : place + 1], cache) for place in range(7, 16)]
    assert torch.allclose(torch.cat(parts, dim=1), network(tokens), atol=1e-5)


def test_more_tokens_than_a_picture_has_are_refused():
    with pytest.raises(ValueError, match="17 tokens do not fit: a picture has 16 pixels"):
        small(causal=True)(torch.zeros(1, 17, dtype=torch.long))


def test_the_nearest_colour_is_the_nearest_and_a_palette_reads_itself():
    network = small(causal=True)
    values = torch.rand(2, 30, 3)
    expected = torch.cdist(values, network.palette[None].expand(2, -1, -1)).argmin(dim=-1)
    assert torch.equal(nearest_colours(values, network.palette), expected)
    colours = torch.randint(11, (3, 16))
    assert torch.equal(network.read(network.paint(colours)), colours)


def test_an_untrained_one_expects_every_colour_alike():
    torch.manual_seed(0)
    network = ImageGPT(ImageGPTConfig(colours=64, side=8, width=32, layers=2, heads=2))
    colours = torch.randint(64, (4, 64))
    loss = torch.nn.functional.cross_entropy(network(network.after_start(colours)).flatten(0, 1), colours.flatten())
    assert float(loss.detach()) == pytest.approx(math.log(64), abs=0.05)
