"""Image-GPT as the pages use it: what is drawn follows what is expected, and nothing given is changed."""

import json
import math
from dataclasses import asdict

import numpy as np
import pytest
import torch
from PIL import Image
from scipy.stats import chisquare

from core.errors import InputError, ModelError
from core.generation.rules import Rules, apply
from core.models.image_gpt import ImageGPT, ImageGPTConfig
from core.models.stored_weights import save_weights
from core.vision.pixel_attention import earlier_pixel_distances, measure_pixel_attention
from core.vision.pixel_contexts import HISTOGRAM, LEFT_AND_ABOVE, contexts_of, count_contexts
from core.vision.pixel_drawing import (
    NOT_DRAWN,
    bits_of,
    colour_probabilities,
    draw_rest,
    fill_hidden,
    fill_with_neighbours,
    hide_pixels,
    sample_colours,
    surprise,
)
from core.zoo.image_gpts import IMAGE_GPTS, PixelReader, as_picture, load_image_gpt

COLOURS, SIDE = 11, 4


def small(*, causal: bool = True, seed: int = 0) -> ImageGPT:
    torch.manual_seed(seed)
    network = ImageGPT(ImageGPTConfig(colours=COLOURS, side=SIDE, width=16, layers=3, heads=2, causal=causal)).eval()
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    network.palette.copy_(torch.rand(COLOURS, 3))
    return network.requires_grad_(False)


def last_of(drawn):
    *_, last = drawn
    return last


def test_rows_come_one_by_one_after_what_is_given_and_the_same_seed_draws_the_same():
    network, prefix = small(), torch.tensor([3, 1, 4, 1, 5, 9])
    rows = list(draw_rest(network, prefix, 3, Rules(), seed=7))
    assert [int((row == NOT_DRAWN).sum(dim=1)[0]) for row in rows] == [8, 4, 0]
    for row in rows:
        assert (row[:, :6] == prefix).all()
    assert torch.equal(rows[-1], last_of(draw_rest(network, prefix, 3, Rules(), seed=7)))
    assert not torch.equal(rows[-1], last_of(draw_rest(network, prefix, 3, Rules(), seed=8)))
    assert not torch.equal(rows[-1][0], rows[-1][1])


@pytest.mark.parametrize("prefix_length", [0, 1, 15])
def test_any_beginning_may_be_given_but_not_all(prefix_length):
    network = small()
    drawn = last_of(draw_rest(network, torch.zeros(prefix_length, dtype=torch.long), 2, Rules(), seed=0))
    assert drawn.shape == (2, 16)
    assert ((drawn >= 0) & (drawn < COLOURS)).all()


def test_a_picture_of_which_all_is_given_leaves_nothing_to_draw():
    with pytest.raises(InputError, match="All 16 pixels are given"):
        next(draw_rest(small(), torch.zeros(16, dtype=torch.long), 2, Rules(), seed=0))


def test_greedy_drawing_takes_the_most_probable_colour_of_a_full_pass_each_time():
    network, prefix = small(), torch.tensor([3, 1, 4, 1])
    drawn = last_of(draw_rest(network, prefix, 2, Rules(temperature=0.0), seed=0))
    expected = prefix.tolist()
    while len(expected) < 16:
        padded = torch.tensor([expected + [0] * (16 - len(expected))])
        expected.append(int(network(network.after_start(padded))[0, len(expected)].argmax()))
    assert drawn.tolist() == [expected, expected]


@pytest.mark.parametrize("prefix_length", [0, 1, 6])
def test_pictures_that_are_drawn_beside_one_another_see_nothing_of_one_another(prefix_length):
    network, seed, count = small(), 5, 4
    drawn = last_of(draw_rest(network, torch.arange(prefix_length), count, Rules(), seed=seed))
    assert len(drawn.unique(dim=0)) == count
    chances = network(network.after_start(drawn)).softmax(dim=-1)
    for number, picture in enumerate(drawn):
        dice = torch.from_numpy(np.random.default_rng((seed, number)).random(16))
        alone = sample_colours(chances[number], dice)  # by a pass over this picture alone
        assert torch.equal(alone[prefix_length:], picture[prefix_length:])


@pytest.mark.parametrize("rules", [Rules(), Rules(temperature=0.5), Rules(top_k=4), Rules(temperature=2.0, top_k=3)])
def test_drawn_pixels_follow_what_is_expected(rules):
    network, prefix, draws = small(), torch.tensor([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9]), 4000
    drawn = last_of(draw_rest(network, prefix, draws, rules, seed=11))[:, -1]
    logits = network(network.after_start(torch.cat([prefix, torch.zeros(1, dtype=torch.long)])[None]))[0, -1]
    chances = apply(rules, logits, ()).probabilities.double().numpy()
    counts = np.bincount(drawn.numpy(), minlength=COLOURS)
    assert (counts[chances == 0] == 0).all()
    possible = chances > 0
    if rules.top_k:
        assert possible.sum() == rules.top_k
    assert chisquare(counts[possible], draws * chances[possible] / chances.sum()).pvalue > 1e-3


@pytest.mark.parametrize("rules", [Rules(), Rules(0.3, 5), Rules(0.0), Rules(3.0, 1), Rules(1.0, 500)])
def test_rules_for_several_rows_are_those_for_one(rules):
    logits = torch.randn(6, 20, generator=torch.Generator().manual_seed(1))
    logits[2, 3] = logits[2, 4]
    expected = torch.stack([apply(rules, row, ()).probabilities for row in logits])
    torch.testing.assert_close(colour_probabilities(logits, rules), expected)


def test_other_rules_are_refused():
    with pytest.raises(ValueError, match="temperature and top-k alone"):
        colour_probabilities(torch.zeros(1, 3), Rules(top_p=0.5))


def test_a_number_falls_on_the_colour_whose_length_holds_it():
    chances = torch.tensor([[0.0, 0.25, 0.0, 0.5, 0.25, 0.0]]).repeat(6, 1)
    dice = torch.tensor([0.0, 0.249, 0.25, 0.7499, 0.75, 1 - 1e-17])
    assert sample_colours(chances, dice).tolist() == [1, 1, 3, 3, 4, 4]


def test_surprise_is_the_cross_entropy_in_bits():
    network, colours = small(), torch.randint(COLOURS, (3, 16))
    bits = surprise(network, colours)
    loss = torch.nn.functional.cross_entropy(network(network.after_start(colours)).flatten(0, 1), colours.flatten())
    assert float(bits.mean()) == pytest.approx(float(loss) / math.log(2), rel=1e-5)
    even = bits_of(torch.zeros(2, 8), torch.tensor([1, 5]))
    torch.testing.assert_close(even, torch.full((2,), 3.0))


def test_filled_pixels_are_guesses_where_hidden_and_the_picture_where_seen():
    network, colours = small(causal=False), torch.randint(COLOURS, (16,))
    hidden = hide_pixels(SIDE, 0.5, seed=2)
    assert int(hidden.sum()) == 8
    filled = fill_hidden(network, colours, hidden, seed=5)
    chances = network(colours.masked_fill(hidden, COLOURS)[None])[0].softmax(dim=-1)
    for name in ("best", "drawn", "mean"):
        torch.testing.assert_close(
            getattr(filled, name).flatten(1)[:, ~hidden], network.palette[colours].t()[:, ~hidden]
        )
    torch.testing.assert_close(filled.best.flatten(1)[:, hidden].t(), network.palette[chances[hidden].argmax(dim=-1)])
    torch.testing.assert_close(filled.mean.flatten(1)[:, hidden].t(), chances[hidden] @ network.palette)
    true = -chances[hidden].gather(1, colours[hidden][:, None])[:, 0].log2()
    torch.testing.assert_close(filled.bits, true, atol=1e-4, rtol=1e-4)
    again = fill_hidden(network, colours, hidden, seed=6)
    assert torch.equal(again.best, filled.best)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 1.0])
def test_some_pixel_is_hidden_and_some_seen_whatever_the_share(share):
    count = int(hide_pixels(8, share, seed=0).sum())
    assert count == min(63, max(1, round(64 * share)))


def test_a_hidden_pixel_becomes_the_mean_of_the_seen_ones_around_it():
    pixels = torch.rand(3, 6, 6)
    hidden = torch.zeros(6, 6, dtype=torch.bool)
    hidden[2, 3] = hidden[0, 0] = hidden[0, 1] = True
    filled = fill_with_neighbours(pixels, hidden)
    around = [(row, column) for row in (1, 2, 3) for column in (2, 3, 4) if (row, column) != (2, 3)]
    torch.testing.assert_close(
        filled[:, 2, 3], torch.stack([pixels[:, row, column] for row, column in around]).mean(dim=0)
    )
    torch.testing.assert_close(filled[:, 0, 0], torch.stack([pixels[:, 1, 0], pixels[:, 1, 1]]).mean(dim=0))
    assert torch.equal(filled[:, ~hidden], pixels[:, ~hidden])
    alone = torch.ones(6, 6, dtype=torch.bool)
    alone[5, 5] = False
    assert torch.allclose(fill_with_neighbours(pixels, alone), pixels[:, 5:, 5:].expand(3, 6, 6), atol=1e-5)


def test_shares_and_distances_of_looks_are_those_of_the_weights_one_by_one():
    reader = PixelReader("next", "", small())
    record = reader.record(torch.randint(COLOURS, (16,)))
    looks = measure_pixel_attention(record.calls, SIDE)
    assert [(look.layer, look.head) for look in looks] == [(layer, head) for layer in range(3) for head in range(2)]
    for look in looks:
        weights = record.calls[look.layer].weights(look.head)
        left, above, start, far, total = [], [], [], 0.0, 0.0
        for query in range(1, 16):
            row, column = divmod(query, SIDE)
            start.append(float(weights[query, 0]))
            for key in range(query):
                weight = float(weights[query, key + 1])
                far += weight * math.dist((row, column), divmod(key, SIDE))
                total += weight
                if (row, column - 1) == divmod(key, SIDE):
                    left.append(weight)
                if (row - 1, column) == divmod(key, SIDE):
                    above.append(weight)
        assert look.left == pytest.approx(np.mean(left), abs=1e-5)
        assert look.above == pytest.approx(np.mean(above), abs=1e-5)
        assert look.start == pytest.approx(np.mean(start), abs=1e-5)
        assert look.distance == pytest.approx(far / total, abs=1e-4)
    assert earlier_pixel_distances(SIDE).shape == (16, 16)


def test_contexts_are_what_lies_to_the_left_and_above():
    palette = torch.tensor([[0.1, 0.1, 0.1], [0.9, 0.9, 0.9], [0.1, 0.9, 0.1]])
    colours = torch.tensor([[0, 1, 2, 1]])
    _, boxes, fine = contexts_of(colours, palette, 2)
    outside, dark, light, green = 64, 0, 63, 12
    pairs = [(outside, outside), (dark, outside), (outside, dark), (green, light)]
    assert boxes[0].tolist() == [left * 65 + above for left, above in pairs]
    exact = [(3, outside), (0, outside), (3, dark), (2, light)]
    assert fine[0].tolist() == [left * 65 + above for left, above in exact]


@pytest.mark.parametrize("strength", [1.0, 30.0])
def test_probabilities_of_contexts_sum_to_one_and_know_what_they_have_counted(strength):
    generator = torch.Generator().manual_seed(3)
    palette, start = torch.rand(5, 3, generator=generator), torch.randint(5, (40, 1), generator=generator)
    striped = (start + torch.arange(16) % 4) % 5  # each pixel follows from the one to its left
    known = count_contexts(striped, palette, side=4)
    trial = striped[:1].repeat(5, 1)
    trial[:, -1] = torch.arange(5)
    for bits in known.bits(trial, strength=strength).values():
        assert float((2 ** -bits[:, -1].double()).sum()) == pytest.approx(1, abs=1e-5)
    striped_bits = known.bits(striped, strength=strength)
    assert float(striped_bits[LEFT_AND_ABOVE].mean()) < float(striped_bits[HISTOGRAM].mean())


def test_a_picture_is_read_as_the_nearest_colours_of_its_middle():
    reader = PixelReader("next", "", small())
    picture = Image.fromarray(np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8))
    prepared = reader.prepare(picture)
    assert prepared.pixels.shape == prepared.painted.shape == (3, SIDE, SIDE)
    assert prepared.photograph.shape == (40, 40, 3)
    assert float(prepared.pixels.min()) >= 0
    assert float(prepared.pixels.max()) <= 1
    nearest = torch.cdist(prepared.pixels.flatten(1).t(), reader.network.palette).argmin(dim=1)
    assert torch.equal(prepared.colours, nearest)
    exact = Image.fromarray(as_picture(prepared.painted))
    assert as_picture(prepared.painted, enlarged=3).shape == (12, 12, 3)
    assert torch.equal(reader.prepare(exact).colours, prepared.colours)


def test_both_tasks_are_loaded_from_their_files_and_missing_weights_are_named(tmp_path):
    with pytest.raises(ModelError, match="Weights are missing"):
        load_image_gpt("next", folder=tmp_path)
    settings = {}
    for name in IMAGE_GPTS:
        network = small(causal=name == "next")
        save_weights(network, tmp_path / f"{name}.safetensors", eight_bits=True)
        settings[name] = asdict(network.config)
    (tmp_path / "config.json").write_text(json.dumps(settings))
    for name, title in IMAGE_GPTS.items():
        reader = load_image_gpt(name, folder=tmp_path)
        assert reader.title == title
        assert reader.network.config.causal == (name == "next")
        assert reader.parameters == sum(weight.numel() for weight in network.parameters())
