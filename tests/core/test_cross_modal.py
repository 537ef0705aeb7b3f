"""Maps of two modalities made into one: against plain loops over the paper's equations, and against one modality."""

import pytest
import torch
from torch.testing import assert_close

from core.attribution.cross_modal import (
    LayerAttention,
    gradient_times_attention,
    mean_attention,
    normalize_relevance,
    relevance,
    rollout,
)
from core.attribution.image_methods import relevance as relevance_of_one

WORDS, PICTURE = 3, 5


def look(side, at, seed):
    sizes = {"words": WORDS, "picture": PICTURE}
    generator = torch.Generator().manual_seed(seed)
    weights = torch.randn(2, sizes[side], sizes[at], generator=generator).softmax(dim=-1)
    return LayerAttention(side, at, weights, torch.randn(weights.shape, generator=generator))


STEPS = (
    (look("words", "words", 0),),
    (look("words", "picture", 1), look("picture", "words", 2)),
    (look("words", "words", 3), look("picture", "picture", 4)),
    (look("words", "picture", 5), look("picture", "words", 6)),
)


def test_what_is_handed_on_is_shared_out_and_the_token_itself_stays():
    handed = torch.rand(4, 4, generator=torch.Generator().manual_seed(0))
    handed[2] = 0.0  # a row to which nothing was handed on
    normalized = normalize_relevance(torch.eye(4) + handed)
    sums = (normalized - torch.eye(4)).sum(dim=-1)
    assert_close(sums, torch.tensor([1.0, 1.0, 0.0, 1.0]))


def test_relevance_is_that_of_the_equations_written_out():
    def moved(layer):
        return (layer.weights * layer.gradient).clamp(min=0).mean(dim=0)

    def bar(r):
        extra = r - torch.eye(len(r))
        for row in range(len(r)):
            total = extra[row].sum()
            if total > 0:
                extra[row] = extra[row] / total
        return extra + torch.eye(len(r))

    ww, pp = torch.eye(WORDS), torch.eye(PICTURE)
    wp, pw = torch.zeros(WORDS, PICTURE), torch.zeros(PICTURE, WORDS)
    (first,), (to_picture, to_words), (words, picture), (last_picture, last_words) = STEPS
    ww, wp = ww + moved(first) @ ww, wp + moved(first) @ wp
    for one, other in ((to_picture, to_words), (last_picture, last_words)):
        a, b = moved(one), moved(other)
        added = (
            bar(ww).T @ a @ bar(pp),
            a @ pw,
            bar(pp).T @ b @ bar(ww),
            b @ wp,
        )
        wp, ww, pw, pp = wp + added[0], ww + added[1], pw + added[2], pp + added[3]
        if one is to_picture:
            ww, wp = ww + moved(words) @ ww, wp + moved(words) @ wp
            pp, pw = pp + moved(picture) @ pp, pw + moved(picture) @ pw
    relevances = relevance(STEPS, words=WORDS, picture=PICTURE)
    assert_close(relevances.words, ww)
    assert_close(relevances.words_on_picture, wp)
    assert_close(relevances.picture_on_words, pw)
    assert_close(relevances.picture, pp)


def test_where_only_one_side_looks_at_itself_it_is_relevance_of_one_modality():
    steps = [(look("words", "words", seed),) for seed in range(3)]
    relevances = relevance(steps, words=WORDS, picture=PICTURE)
    layers = [layer for (layer,) in steps]
    read = torch.tensor([False, True, False])
    own = relevance_of_one(
        tuple(layer.weights[None] for layer in layers), tuple(layer.gradient[None] for layer in layers), read
    )
    assert_close(relevances.words[1] - torch.eye(WORDS)[1], own[0])
    assert not relevances.words_on_picture.any()


def test_rollout_shares_one_out_of_every_row():
    rolled = rollout(STEPS, words=WORDS, picture=PICTURE)
    assert_close(rolled.sum(dim=-1), torch.ones(WORDS + PICTURE))
    one = rollout(STEPS[1:2], words=WORDS, picture=PICTURE)
    assert_close(one[:WORDS, WORDS:], STEPS[1][0].weights.mean(dim=0) / 2)
    assert_close(one[:WORDS, :WORDS], torch.eye(WORDS) / 2)
    alone = rollout(STEPS[:1], words=WORDS, picture=PICTURE)
    assert_close(alone[WORDS:, WORDS:], torch.eye(PICTURE))  # who does not look keeps itself


def test_only_looks_of_words_at_the_picture_count_for_gradient_and_mean():
    one, other = STEPS[1][0], STEPS[3][0]
    moved = [(layer.weights * layer.gradient).clamp(min=0).mean(dim=0) for layer in (one, other)]
    assert_close(gradient_times_attention(STEPS), moved[0] + moved[1])
    assert_close(mean_attention(STEPS), (one.weights.mean(dim=0) + other.weights.mean(dim=0)) / 2)
    with pytest.raises(ValueError, match="No word looked at the picture"):
        mean_attention(STEPS[:1])
    with pytest.raises(ValueError, match="needs the gradient"):
        relevance([(LayerAttention("words", "words", one.weights[..., :3]),)], words=WORDS, picture=PICTURE)
