"""Many heads, "Taken together": the maps are those of core.attribution, of the right layers, and warned of."""

from itertools import pairwise
from math import prod

import numpy as np
import pytest
import torch

from core.attribution import aggregation, record_aggregation
from core.attribution.record_aggregation import AggregatedMaps, Stack, combine
from core.errors import CaptureError, InputError
from core.images import Patches
from core.view.packing import overview_of
from dashboard.cache import waiting
from dashboard.inputs import example_texts
from dashboard.recordings.watched import watch_image, watch_text
from pages.foundations.many_heads import compute
from pages.foundations.many_heads.compute import take_together
from pages.foundations.many_heads.together import SECTION, noticed
from tests.core import saved_models
from tests.dashboard.watched import calls_of, causal, tokens_of
from tests.pages.conftest import message_text

TEXT = example_texts.examples("next-word")["Repetition"]


@pytest.fixture
def opened(visit):
    return lambda **address: visit("foundations/many_heads", **{"show": "Taken together", "text": TEXT, **address})


@pytest.fixture(scope="module")
def example():
    return watch_text("gpt-books", TEXT)


@pytest.fixture(scope="module")
def picture():
    return watch_image("vit-tiny-imagenet", "coffee", 96)


def taken(watched, name: str) -> AggregatedMaps:
    return take_together(watched, name, words=False)[0]


def maps(watched, name: str) -> torch.Tensor:
    return torch.from_numpy(taken(watched, name).maps)


def written_out(watched) -> torch.Tensor:
    """The weights of every head, (layer, head, query, key)."""
    return torch.stack(
        [torch.stack([call.weights(head=head) for head in range(call.heads)]) for call in watched.record.calls]
    )


def test_each_aggregate_is_what_its_formula_says(example):
    weights = written_out(example)
    mean = weights.mean(dim=1)
    graph = 0.5 * mean + 0.5 * torch.eye(19)
    torch.testing.assert_close(maps(example, record_aggregation.MEAN), mean)
    torch.testing.assert_close(maps(example, record_aggregation.LARGEST), weights.amax(dim=1))
    torch.testing.assert_close(maps(example, record_aggregation.OVERALL), weights.mean(dim=(0, 1))[None])
    torch.testing.assert_close(maps(example, record_aggregation.ROLLOUT)[2], graph[2] @ graph[1] @ graph[0])
    assert (maps(example, record_aggregation.STRONGEST) <= maps(example, record_aggregation.ROLLOUT) + 1e-6).all()
    assert (maps(example, record_aggregation.STRONGEST) <= maps(example, record_aggregation.WIDEST) + 1e-6).all()


def test_every_aggregate_has_its_warning():
    for what in ("Map", "Warning", "Formula"):
        headings = tuple(heading for heading in SECTION.texts if heading.startswith(f"{what}: "))
        assert headings == tuple(f"{what}: {name}" for name in record_aggregation.NAMES)
    for name in record_aggregation.NAMES:
        assert 0 < len(SECTION.text(f"Warning: {name}").split()) < 50


def test_a_link_brings_the_aggregate_with_its_warning_and_joins_words(opened):
    app = opened(together=record_aggregation.WIDEST, words="true")
    assert SECTION.text(f"Warning: {record_aggregation.WIDEST}") in app.warning[0].value
    assert "the largest value between any two" in message_text(app, "caption")


def test_when_it_is_presented_there_is_no_prose(opened):
    app = opened(present="1", together=record_aggregation.ROLLOUT)
    assert not app.warning
    assert all(element.value.startswith("**Notice:**") for element in app.markdown)


@pytest.mark.parametrize("text", ["x", "<b>x</b> 😀 مرحبا", "word " * 400])
def test_odd_texts_are_taken_together_as_well(opened, text):
    app = opened(text=text, together=record_aggregation.STRONGEST, words="true")
    assert not any("<b>" in element.value for element in app.markdown)


def test_pieces_of_a_word_are_joined(example):
    _, scene = take_together(example, record_aggregation.ROLLOUT, words=True)
    labels = scene.sequences["text"].labels
    assert " chased" in labels
    assert len(labels) == 18  # “ch” and “ased” are one
    for place in range(6):
        np.testing.assert_allclose(scene.pattern(place, 0).clip(0).sum(axis=-1), 1, atol=1e-5)


def test_a_scene_has_one_head_for_each_layer_and_starts_where_all_is_put_together(example):
    for name in record_aggregation.NAMES:
        _, scene = take_together(example, name, words=False)
        assert [layer.label for layer in scene.layers] == (
            ["all layers"] if name == record_aggregation.OVERALL else [str(number) for number in range(6)]
        )
        assert {layer.heads for layer in scene.layers} == {1}
        assert scene.start == ((5, 0) if name in record_aggregation.ACROSS else (0, 0))
        assert all(layer.causal for layer in scene.layers)
        assert overview_of(scene)["layers"]


@pytest.mark.parametrize("name", record_aggregation.NAMES)
def test_progress_goes_up_to_its_end(example, name):
    reported = []
    combine(compute.stack_of(example), name, lambda done, total: reported.append((done, total)))
    done, totals = zip(*reported, strict=True)
    assert list(done) == sorted(done)
    assert done[-1] == totals[-1]
    assert len(set(totals)) == 1


def test_where_it_takes_long_there_is_progress_and_a_way_out(opened, monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 0.0)
    app = opened(text="a text of its own, so that nothing is kept", together=record_aggregation.STRONGEST)
    assert app.warning  # done, and progress is gone again
    assert not [button for button in app.button if button.label == "Cancel"]


def test_work_that_was_stopped_leaves_nothing_half_done():
    def stop(done: int, total: int) -> None:
        raise InterruptedError(f"{done} of {total}")

    watched = watch_text("gpt-books", "a text that is stopped")
    with pytest.raises(InterruptedError):
        take_together(watched, record_aggregation.WIDEST, words=False, progress=stop)
    assert taken(watched, record_aggregation.WIDEST).maps.shape[0] == 6


def test_of_an_encoder_decoder_only_the_encoder_is_taken_together(tmp_path):
    stack = compute.stack_of(watch_text(str(saved_models.save_text_model("t5", tmp_path)), "the cat sat on the mat"))
    assert [call.path.split(".")[0] for call in stack.calls.values()] == ["encoder", "encoder"]
    assert (stack.sequence, stack.skipped) == ("source", ())


def test_layers_that_look_through_windows_are_left_out(tmp_path):
    stack = compute.stack_of(watch_image(str(saved_models.save_timm_model("swin", tmp_path)), "coffee", None))
    assert (list(stack.calls), stack.skipped) == ([1], (0,))


def test_where_nobody_sees_the_whole_a_sentence_says_so(example, monkeypatch):
    monkeypatch.setattr(compute.scenes, "self_attention_layers", lambda *_: ("", {}))
    with pytest.raises(CaptureError, match=f"{example.model.title} looks through windows"):
        compute.stack_of(example)


def test_too_many_tokens_are_refused_with_the_numbers(example, monkeypatch):
    monkeypatch.setattr(compute, "LONGEST_TOGETHER", 12)
    with pytest.raises(InputError, match=r"up to 12 tokens .* this input has 19"):
        compute.stack_of(example)


def sentences(watched, name: str) -> tuple[str, ...]:
    together = taken(watched, name)
    return noticed(together, watched.run.sequences[together.stack.sequence])


def said_of(name: str, sequence, *patterns: torch.Tensor) -> tuple[str, ...]:
    """Of made-up layers."""
    return noticed(combine(Stack(calls_of(*patterns), "text", ()), name), sequence)


def test_how_much_the_mean_hides_is_true_of_the_example(example):
    weights = written_out(example)
    apart = (weights - weights.mean(dim=1, keepdim=True)).abs().sum(dim=-1).mean(dim=-1) / 2
    layer = int(apart.mean(dim=1).argmax())
    first, _ = sentences(example, record_aggregation.MEAN)
    assert f"**layer {layer}**: on average {apart[layer].mean():.0%} of a head's attention" in first
    assert f"{apart[layer].min():.0%} even in head {int(apart[layer].argmin())}" in first


def test_what_the_first_and_the_last_layer_have_in_common_is_true_of_the_example(example):
    mean = written_out(example).mean(dim=1)
    common = torch.minimum(mean[0], mean[5]).sum(dim=-1).mean()
    sentence = sentences(example, record_aggregation.OVERALL)[0]
    assert f"layers 0 and 5 have {common:.0%} of their attention in common" in sentence


FOUR = tokens_of("a b c d")


def test_heads_that_are_all_alike_hide_nothing():
    pattern = torch.eye(4).expand(3, -1, -1)
    (sentence,) = said_of(record_aggregation.MEAN, FOUR, pattern, pattern)
    assert "on average 0% of a head's attention" in sentence


def test_layers_of_which_the_mean_hides_as_much_are_not_ranked():
    looks = torch.stack([torch.eye(4).roll(shift, dims=1) for shift in range(2)])
    (sentence,) = said_of(record_aggregation.MEAN, FOUR, looks, looks)
    assert "hides about as much in every layer: on average 50%" in sentence
    most, least = said_of(record_aggregation.MEAN, FOUR, torch.eye(4).expand(2, -1, -1), looks)
    assert "most in **layer 1**" in most
    assert "least in layer 0" in least


def test_even_attention_leads_rollout_to_no_patch():
    even = torch.full((2, 5, 5), 0.2)
    sentence = said_of(record_aggregation.ROLLOUT, Patches(2, 2, ("class",)), even)[1]
    assert "leads to no patch much more than to others" in sentence


def test_of_a_single_head_the_mean_is_not_said_to_hide_anything():
    assert said_of(record_aggregation.MEAN, FOUR, torch.eye(4)[None]) == (
        "Each layer has one head only: the mean over heads is that head.",
    )


def test_heads_that_look_at_different_places_share_nothing():
    looks = torch.stack([torch.eye(4).roll(shift, dims=1) for shift in range(4)])
    (sentence,) = said_of(record_aggregation.LARGEST, FOUR, looks, looks)
    assert "rows sum to 4.0 on average" in sentence
    assert "can at most be 4, the number of heads" in sentence
    assert (
        "75% of a head's attention" in said_of(record_aggregation.MEAN, FOUR, looks, looks)[0]
    )  # a quarter is in common


@pytest.mark.parametrize("name", record_aggregation.NAMES)
@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("sequence", [tokens_of("a"), tokens_of("a b"), Patches(2, 2), Patches(2, 2, ("class",))])
def test_no_sentence_holds_what_is_no_number(name, layers, sequence):
    count = len(sequence)
    patterns = [torch.full((2, count, count), 1 / count)] * layers
    for sentence in (*said_of(name, sequence, *patterns), *said_of(name, sequence, *map(causal, patterns))):
        assert "nan" not in sentence
        assert "inf" not in sentence


def test_a_token_that_looks_at_itself_alone_has_no_path_to_another():
    alone = 2 * torch.eye(4)[None] - 1  # all others are forbidden
    for name in record_aggregation.PATHS:
        assert said_of(name, FOUR, alone) == ("No path leads from “d” to any other token.",)


def test_that_the_first_token_keeps_what_reaches_it_is_said_of_causal_models_only():
    even = torch.full((1, 4, 4), 0.25)
    assert "it may look at itself only" in said_of(record_aggregation.ROLLOUT, FOUR, causal(even), causal(even))[1]
    assert "it may look at itself only" not in said_of(record_aggregation.ROLLOUT, FOUR, even, even)[1]


def test_what_is_said_of_rollout_is_true_of_the_example(example):
    rolled = maps(example, record_aggregation.ROLLOUT)
    own, first = rolled.diagonal(dim1=1, dim2=2).mean(dim=1), rolled[:, 1:, 0].mean(dim=1)
    about_own, about_first = sentences(example, record_aggregation.ROLLOUT)
    assert (
        f"is still itself by {own[0]:.0%} on average after the first layer, after layer 5 by {own[-1]:.0%}" in about_own
    )
    assert f"goes from {first[0]:.0%} to {first[-1]:.0%}: it may look at itself only" in about_first


def test_where_rollout_leads_from_the_class_token_is_true_of_the_picture(picture):
    looks = maps(picture, record_aggregation.ROLLOUT)[-1, 0, 1:]
    row, column = divmod(int(looks.argmax()), 12)
    assert sentences(picture, record_aggregation.ROLLOUT)[1] == (
        f"From the class token rollout leads most to row {row}, column {column}: {looks.max():.1%}, where even spread "
        "would give 0.7%."
    )


def test_the_strongest_path_of_the_example_is_followed_link_by_link(example):
    strongest = maps(example, record_aggregation.STRONGEST)[-1]
    key = int(strongest[18, :18].argmax())
    graph = aggregation.with_residual(maps(example, record_aggregation.MEAN))
    route = aggregation.strongest_route(graph, 18, key)
    links = [graph[5 - place, upper, lower].item() for place, (upper, lower) in enumerate(pairwise(route))]
    assert prod(links) == pytest.approx(strongest[18, key].item(), rel=1e-5)
    path, worth = sentences(example, record_aggregation.STRONGEST)
    moves = [(5 - place, upper, lower) for place, (upper, lower) in enumerate(pairwise(route)) if upper != lower]
    assert path.count("in layer") == len(moves)
    assert f"in layer {moves[0][0]} from “dogs” to" in path
    assert f"worth {strongest[18, key]:.2%}" in worth


def test_the_bounds_of_attention_flow_are_those_of_the_example(example):
    widest, rolled = (maps(example, name)[-1, 18] for name in (record_aggregation.WIDEST, record_aggregation.ROLLOUT))
    key = int(widest[:18].argmax())
    link, flow = sentences(example, record_aggregation.WIDEST)
    assert f"no link below {widest[key]:.2f}" in link
    assert f"at least {max(widest[key], rolled[key]):.2f}" in flow
