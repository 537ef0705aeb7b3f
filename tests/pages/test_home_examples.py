"""The small living examples of Home: what they say is true of what they show."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core import zoo
from core.capture import record_attention
from core.heads import jobs
from core.heads.jobs import AgainstControl
from pages.explore.home import compute, examples
from pages.explore.home.compute import Matrix, PatchMap


def test_every_task_has_an_example_that_is_alive(visit):
    app = visit("explore/home")
    assert not app.exception
    prose = " ".join(element.value for element in app.markdown)
    for phrase in (
        "In one head of a small GPT",
        "a translator gives",
        "class token",
        "the network gives",
        "window of 4 tokens",
    ):
        assert phrase in prose


def test_the_head_at_the_top_finds_what_followed_the_same_words():
    repetition = compute.repeated()
    model = zoo.load_text("gpt-books")
    tokens = model.encode(compute.REPEATING)
    with record_attention(model.network) as record:
        model.run(tokens)
    labels = [label.strip() for label in tokens.labels]
    assert labels[repetition.place] == "hat"
    assert labels[repetition.place - repetition.length : repetition.place] == labels[-repetition.length :]
    assert labels[repetition.place - repetition.length - 1] != labels[-repetition.length - 1]
    layer, head = repetition.head
    assert repetition.weight == pytest.approx(float(record.calls[layer].weights(head)[-1, repetition.place]), abs=1e-6)
    assert repetition.head == jobs.repeated_words(model).best
    assert repetition.tested.holds
    sentence = examples.about_repeated(repetition)
    assert f"gives {repetition.weight:.0%} of its attention to “hat”" in sentence
    assert f"{repetition.tested.job:.0%} on average, and {repetition.tested.control:.0%} where" in sentence
    assert f"layer {layer}, head {head}" in sentence.lower()


@pytest.mark.parametrize(
    ("job", "control", "error", "holds"),
    [(0.6, 0.2, 0.02, True), (0.2, 0.6, 0.02, False), (0.4, 0.4, 0.02, False), (0.6, 0.2, 0.3, False)],
)
def test_what_the_head_at_the_top_is_said_to_do_depends_on_its_control(job, control, error, holds):
    repetition = replace(compute.repeated(), tested=AgainstControl(job, control, error, 120))
    assert ("too little to say that it looks for" not in examples.about_repeated(repetition)) == holds


def test_the_head_on_home_is_one_of_the_model_s():
    head_map = compute.one_head()
    model = zoo.load_text("gpt-books")
    tokens = model.encode("The dog that the boy saw was tired because it")
    with record_attention(model.network) as record:
        model.run(tokens)
    heads = [call.weights(head).numpy() for call in record.calls for head in range(call.heads)]
    assert any(np.allclose(head, head_map.values, atol=1e-6) for head in heads)
    most = max(float(head[-1, 1:-2].max()) for head in heads)
    assert float(head_map.values[-1, 1:-2].max()) == pytest.approx(most, abs=1e-6)


def test_the_window_holds_what_is_not_hatched():
    full_map, (left, share) = compute.one_head(), compute.left_out()
    rows = []
    for row in range(len(full_map.rows)):
        near = range(max(0, row - compute.WINDOW + 1), row + 1)
        rows.append(sum(float(full_map.values[row, column]) for column in near))
        assert [column for column in range(row + 1) if not np.isnan(left.values[row, column])] == list(near)
    assert share == pytest.approx(sum(rows) / len(rows), abs=1e-5)


def test_what_is_said_of_a_matrix_is_its_largest_cell():
    torch.manual_seed(0)
    for size in (3, 4, 9):
        values = torch.rand(size, size).softmax(dim=1).numpy()
        names = tuple(f"w{place}" for place in range(size))
        matrix = Matrix(values, names, tuple(name.upper() for name in names))
        row, column = matrix.strongest
        assert values[row, column] == values.max()
        assert f"“w{row}”" in examples.about_alignment(matrix)
        assert f"gives {values.max():.0%} to “W{column}”" in examples.about_alignment(matrix)
        best = max(range(1, size), key=lambda place: values[-1, place])
        assert examples.about_last(matrix).endswith(f"gives {values[-1, best]:.0%} of its attention to “W{best}”.")


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (8, 8), (12, 12)])
def test_a_tenth_of_the_patches_holds_what_is_said(shape: tuple[int, int]):
    values = np.random.default_rng(0).random(shape) + 0.01
    count = max(1, round(values.size / 10))
    share = np.sort(values, axis=None)[::-1][:count].sum() / values.sum()
    sentence = examples.about_patches(PatchMap(np.zeros((4, 4, 3), dtype=np.uint8), values), "It")
    assert sentence == f"It gives {share:.0%} of what it gives to patches to {count} of {values.size}."
