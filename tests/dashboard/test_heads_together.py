"""Many heads, "Taken together": the maps are those of core.heads.relevance, of the right layers, and warned of."""

from itertools import pairwise
from math import prod

import numpy as np
import pytest
import torch
from pages.foundations.many_heads.noticed_together import noticed
from streamlit.testing.v1 import AppTest

from core import zoo
from core.capture import record_attention
from core.errors import CaptureError, InputError
from core.heads import relevance
from core.images import open_example
from dashboard import examples, waiting
from dashboard.watched import watch_image, watch_text
from pages.foundations.many_heads import aggregates
from pages.foundations.many_heads import compute_together as runs_together
from pages.foundations.many_heads import words_together as said
from tests.core import saved_models
from tests.dashboard.watched import record_of, tokens_of

SECTION = """
from dashboard import layout
from pages.foundations.many_heads import compute_together as runs_together
from dashboard.watched import watch_image
from dashboard.watched import watch_text
from pages.foundations.many_heads import together
from pages.foundations.many_heads.given import Given
with layout.sentences():
    together.show(Given({watched}, "", ""))
"""
TEXT = 'watch_text("gpt-books", {text!r})'
PICTURE = 'watch_image("vit-tiny-imagenet", "coffee", 96)'


def visit(watched: str = TEXT.format(text=examples.SENTENCE), **address: str) -> AppTest:
    app = AppTest.from_string(SECTION.format(watched=watched), default_timeout=60)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, [error.value for error in app.exception]
    return app


def prose(app: AppTest) -> str:
    return " ".join(element.value for element in (*app.markdown, *app.caption))


@pytest.fixture(scope="module")
def example():
    return watch_text("gpt-books", examples.SENTENCE)


@pytest.fixture(scope="module")
def picture():
    return watch_image("vit-tiny-imagenet", "coffee", 96)


def stack(watched) -> aggregates.Stack:
    return aggregates.stack_of(watched.model, watched.run, watched.record)


def maps(watched, name: str) -> torch.Tensor:
    return torch.from_numpy(aggregates.take_together(stack(watched), name).maps)


def written_out(watched) -> torch.Tensor:
    """The weights of every head, (layer, head, query, key)."""
    return torch.stack(
        [torch.stack([call.weights(head=head) for head in range(call.heads)]) for call in watched.record.calls]
    )


def test_each_aggregate_is_what_its_formula_says(example):
    weights = written_out(example)
    mean = weights.mean(dim=1)
    graph = 0.5 * mean + 0.5 * torch.eye(19)
    torch.testing.assert_close(maps(example, aggregates.MEAN), mean)
    torch.testing.assert_close(maps(example, aggregates.LARGEST), weights.amax(dim=1))
    torch.testing.assert_close(maps(example, aggregates.OVERALL), weights.mean(dim=(0, 1))[None])
    torch.testing.assert_close(maps(example, aggregates.ROLLOUT)[2], graph[2] @ graph[1] @ graph[0])
    assert (maps(example, aggregates.STRONGEST) <= maps(example, aggregates.ROLLOUT) + 1e-6).all()
    assert (maps(example, aggregates.STRONGEST) <= maps(example, aggregates.WIDEST) + 1e-6).all()


def test_every_aggregate_has_its_warning():
    assert tuple(said.AGGREGATES) == aggregates.NAMES
    for about in said.AGGREGATES.values():
        assert about.warning
        assert len(about.warning.split()) < 50


@pytest.mark.parametrize("name", aggregates.NAMES)
def test_a_link_brings_the_aggregate_with_its_warning(name):
    app = visit(together=name)
    (warning,) = app.warning
    assert said.AGGREGATES[name].warning in warning.value
    assert said.AGGREGATES[name].what in prose(app)


@pytest.mark.parametrize("name", aggregates.NAMES)
def test_pictures_have_all_of_them_too(name):
    assert len(visit(PICTURE, together=name).warning) == 1


def test_when_it_is_presented_there_is_no_prose():
    app = visit(present="1", together=aggregates.ROLLOUT)
    assert not app.warning
    assert not app.markdown


@pytest.mark.parametrize("text", ["x", "<b>x</b>", "😀", "مرحبا بالعالم", "word " * 400])
def test_odd_texts_are_taken_together_as_well(text):
    app = visit(TEXT.format(text=text), together=aggregates.STRONGEST, words="true")
    assert "<b>" not in prose(app).replace(r"\<b\>", "")


def test_words_are_joined_and_said_to_be(example):
    assert "section 4.1" in prose(visit(words="true"))
    assert "the best between any two" in prose(visit(words="true", together=aggregates.WIDEST))
    assert "Pieces of a word" not in prose(visit())
    taken = runs_together.take_together(example, aggregates.ROLLOUT, words=True, progress=ignore)
    labels = taken.scene.sequences["text"].labels
    assert " chased" in labels
    assert len(labels) == 18  # “ch” and “ased” are one
    for place in range(6):
        np.testing.assert_allclose(taken.scene.pattern(place, 0).clip(0).sum(axis=-1), 1, atol=1e-5)


def ignore(done: int, total: int) -> None:
    del done, total


def test_a_scene_has_one_head_for_each_layer_and_starts_where_all_is_put_together(example):
    for name in aggregates.NAMES:
        scene = runs_together.take_together(example, name, words=False, progress=ignore).scene
        assert [layer.label for layer in scene.layers] == (
            ["all layers"] if name == aggregates.OVERALL else [str(number) for number in range(6)]
        )
        assert {layer.heads for layer in scene.layers} == {1}
        assert scene.start == ((5, 0) if name in aggregates.ACROSS else (0, 0))
        assert all(layer.causal for layer in scene.layers)
        assert scene.overview["layers"]


def test_what_was_taken_together_is_kept_for_the_next_visitor(example):
    first = runs_together.take_together(example, aggregates.MEAN, words=False, progress=ignore)
    assert runs_together.take_together(example, aggregates.MEAN, words=False, progress=fail) is first


def fail(done: int, total: int) -> None:
    raise AssertionError(f"{done} of {total}: it was there already.")


@pytest.mark.parametrize("name", aggregates.NAMES)
def test_progress_goes_up_to_its_end(example, name):
    told = []
    aggregates.take_together(stack(example), name, lambda done, total: told.append((done, total)))
    done, totals = zip(*told, strict=True)
    assert list(done) == sorted(done)
    assert done[-1] == totals[-1]
    assert len(set(totals)) == 1


def test_where_it_takes_long_there_is_progress_and_a_way_out(monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 0.0)
    app = visit(TEXT.format(text="a text of its own, so that nothing is kept"), together=aggregates.STRONGEST)
    assert app.warning  # done, and progress is gone again
    assert not app.button


def test_work_that_was_stopped_leaves_nothing_half_done():
    def stop(done: int, total: int) -> None:
        raise InterruptedError(f"{done} of {total}")

    watched = watch_text("gpt-books", "a text that is stopped")
    with pytest.raises(InterruptedError):
        runs_together.take_together(watched, aggregates.WIDEST, words=False, progress=stop)
    assert (
        runs_together.take_together(watched, aggregates.WIDEST, words=False, progress=ignore).together.maps.shape[0]
        == 6
    )


def test_of_an_encoder_decoder_only_the_encoder_is_taken_together(tmp_path):
    model = zoo.load_text(str(saved_models.save_text_model("t5", tmp_path)), allow_folders=True)
    with record_attention(model.network) as record:
        run = model.run(model.encode("the cat sat on the mat"))
    found = aggregates.stack_of(model, run, record)
    assert [call.path.split(".")[0] for call in found.calls.values()] == ["encoder", "encoder"]
    assert found.sequence == "source"
    assert found.left_out == ()


def test_layers_that_look_through_windows_are_left_out(tmp_path):
    model = zoo.load_image(str(saved_models.save_timm_model("swin", tmp_path)), allow_folders=True)
    with record_attention(model.network) as record:
        run = model.run(model.prepare(open_example("coffee")))
    found = aggregates.stack_of(model, run, record)
    assert (list(found.calls), found.left_out) == ([1], (0,))


def test_where_nobody_sees_the_whole_a_sentence_says_so(example):
    class Windows:
        title = "A model"

        def sequences_of(self, *_):
            return None

    with pytest.raises(CaptureError, match="A model looks through windows"):
        aggregates.stack_of(Windows(), example.run, example.record)


def test_too_many_tokens_are_refused_with_the_numbers(example, monkeypatch):
    monkeypatch.setattr(aggregates, "LONGEST", 12)
    with pytest.raises(InputError, match=r"up to 12 tokens .* this input has 19"):
        stack(example)


def sentences(watched, name: str) -> tuple[str, ...]:
    found = stack(watched)
    return noticed(aggregates.take_together(found, name), found, watched.run.sequences[found.sequence])


def test_how_much_the_mean_hides_is_true_of_the_example(example):
    weights = written_out(example)
    apart = (weights - weights.mean(dim=1, keepdim=True)).abs().sum(dim=-1).mean(dim=-1) / 2
    layer = int(apart.mean(dim=1).argmax())
    first, _ = sentences(example, aggregates.MEAN)
    assert f"**layer {layer}**: on average {apart[layer].mean():.0%} of a head's attention" in first
    assert f"{apart[layer].min():.0%} even in head {int(apart[layer].argmin())}" in first


def test_what_the_first_and_the_last_layer_have_in_common_is_true_of_the_example(example):
    mean = written_out(example).mean(dim=1)
    common = torch.minimum(mean[0], mean[5]).sum(dim=-1).mean()
    assert f"layers 0 and 5 have {common:.0%} of their attention in common" in sentences(example, aggregates.OVERALL)[0]


def test_heads_that_are_all_alike_hide_nothing():
    pattern = torch.eye(4).expand(3, -1, -1)
    record = record_of(pattern, pattern)
    found = aggregates.Stack(dict(enumerate(record.calls)), "text", ())
    (sentence,) = noticed(aggregates.take_together(found, aggregates.MEAN), found, tokens_of("a b c d"))
    assert "on average 0% of a head's attention" in sentence


def test_heads_that_look_at_different_places_share_nothing():
    looks = torch.stack([torch.eye(4).roll(shift, dims=1) for shift in range(4)])
    record = record_of(looks, looks)
    found = aggregates.Stack(dict(enumerate(record.calls)), "text", ())
    (sentence,) = noticed(aggregates.take_together(found, aggregates.LARGEST), found, tokens_of("a b c d"))
    assert "rows sum to 4.0 on average" in sentence
    (mean, *_) = noticed(aggregates.take_together(found, aggregates.MEAN), found, tokens_of("a b c d"))
    assert "75% of a head's attention" in mean  # each has a quarter in common with the mean


def test_what_is_said_of_rollout_is_true_of_the_example(example):
    rolled = maps(example, aggregates.ROLLOUT)
    own, first = rolled.diagonal(dim1=1, dim2=2).mean(dim=1), rolled[:, 1:, 0].mean(dim=1)
    about_own, about_first = sentences(example, aggregates.ROLLOUT)
    assert f"consists of itself by {own[0]:.0%} on average, after layer 5 by {own[-1]:.0%}" in about_own
    assert f"goes from {first[0]:.0%} to {first[-1]:.0%}: it may look at itself only" in about_first


def test_where_rollout_leads_from_the_class_token_is_true_of_the_picture(picture):
    looks = maps(picture, aggregates.ROLLOUT)[-1, 0, 1:]
    row, column = divmod(int(looks.argmax()), 12)
    assert sentences(picture, aggregates.ROLLOUT)[1] == (
        f"From the class token rollout leads most to row {row}, column {column}: {looks.max():.1%}, where even spread "
        "would give 0.7%."
    )


def test_the_strongest_path_of_the_example_is_followed_link_by_link(example):
    strongest = maps(example, aggregates.STRONGEST)[-1]
    key = int(strongest[18, :18].argmax())
    graph = relevance.with_residual(maps(example, aggregates.MEAN))
    route = relevance.strongest_route(graph, 18, key)
    links = [graph[5 - place, upper, lower].item() for place, (upper, lower) in enumerate(pairwise(route))]
    assert prod(links) == pytest.approx(strongest[18, key].item(), rel=1e-5)
    path, worth = sentences(example, aggregates.STRONGEST)
    moves = [(5 - place, upper, lower) for place, (upper, lower) in enumerate(pairwise(route)) if upper != lower]
    assert path.count("in layer") == len(moves)
    assert f"in layer {moves[0][0]} from “dogs” to" in path
    assert f"worth {strongest[18, key]:.2%}" in worth


def test_the_bounds_of_attention_flow_are_those_of_the_example(example):
    widest, rolled = (maps(example, name)[-1, 18] for name in (aggregates.WIDEST, aggregates.ROLLOUT))
    key = int(widest[:18].argmax())
    link, flow = sentences(example, aggregates.WIDEST)
    assert f"no link below {widest[key]:.2f}" in link
    assert f"at least {max(widest[key], rolled[key]):.2f}" in flow
