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
from pages.explore.home.compute import Looked, Matrix


def test_every_group_but_the_first_has_an_example_that_is_alive(visit):
    app = visit("explore/home")
    assert not app.exception
    prose = " ".join(element.value for element in app.markdown)
    for said in (
        "In one head of a small GPT",
        "a translator gives",
        "class token",
        "the network gives",
        "window of 4 tokens",
    ):
        assert said in prose


def test_the_head_at_the_top_finds_what_followed_the_same_words():
    found = compute.repeated()
    model = zoo.load_text("gpt-books")
    tokens = model.encode("The old man looked at their house, and the old man looked at their")
    with record_attention(model.network) as record:
        model.run(tokens)
    labels = [label.strip() for label in tokens.labels]
    assert labels[found.place] == "house"
    assert labels[found.place - found.length : found.place] == labels[-found.length :]
    assert labels[found.place - found.length - 1] != labels[-found.length - 1]
    layer, head = found.head
    assert found.weight == pytest.approx(float(record.calls[layer].weights(head)[-1, found.place]), abs=1e-6)
    assert found.head == jobs.repeated_words(model).best
    assert found.tested.holds
    said = examples.about_repeated(found)
    assert f"gives {found.weight:.0%} of its attention to “house”" in said
    assert f"{found.tested.job:.0%} on average, and {found.tested.control:.0%} where" in said
    assert f"layer {layer}, head {head}" in said.lower()


@pytest.mark.parametrize(
    ("job", "control", "error", "holds"),
    [(0.6, 0.2, 0.02, True), (0.2, 0.6, 0.02, False), (0.4, 0.4, 0.02, False), (0.6, 0.2, 0.3, False)],
)
def test_what_the_head_at_the_top_is_said_to_do_depends_on_its_control(job, control, error, holds):
    found = replace(compute.repeated(), tested=AgainstControl(job, control, error, 120))
    assert ("too little to say that it looks for" not in examples.about_repeated(found)) == holds


def test_the_head_on_home_is_one_of_the_model_s():
    found = compute.one_head()
    model = zoo.load_text("gpt-books")
    tokens = model.encode("The dog that the boy saw was tired because it")
    with record_attention(model.network) as record:
        model.run(tokens)
    heads = [call.weights(head).numpy() for call in record.calls for head in range(call.heads)]
    assert any(np.allclose(head, found.values, atol=1e-6) for head in heads)
    most = max(float(head[-1, 1:-2].max()) for head in heads)
    assert float(found.values[-1, 1:-2].max()) == pytest.approx(most, abs=1e-6)


def test_the_window_holds_what_is_not_hatched():
    whole, (left, kept) = compute.one_head(), compute.left_out()
    rows = []
    for row in range(len(whole.rows)):
        near = range(max(0, row - compute.WINDOW + 1), row + 1)
        rows.append(sum(float(whole.values[row, column]) for column in near))
        assert [column for column in range(row + 1) if not np.isnan(left.values[row, column])] == list(near)
    assert kept == pytest.approx(sum(rows) / len(rows), abs=1e-5)


def test_what_is_said_of_a_matrix_is_its_largest_cell():
    torch.manual_seed(0)
    for size in (3, 4, 9):
        values = torch.rand(size, size).softmax(dim=1).numpy()
        names = tuple(f"w{place}" for place in range(size))
        found = Matrix(values, names, tuple(name.upper() for name in names))
        row, column = found.strongest
        assert values[row, column] == values.max()
        assert f"“w{row}”" in examples.about_alignment(found)
        assert f"gives {values.max():.0%} to “W{column}”" in examples.about_alignment(found)
        best = max(range(1, size), key=lambda place: values[-1, place])
        assert examples.about_last(found).endswith(f"gives {values[-1, best]:.0%} of its attention to “W{best}”.")


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (8, 8), (12, 12)])
def test_a_tenth_of_the_patches_holds_what_is_said(shape: tuple[int, int]):
    values = np.random.default_rng(0).random(shape) + 0.01
    count = max(1, round(values.size / 10))
    share = np.sort(values, axis=None)[::-1][:count].sum() / values.sum()
    said = examples.about_patches(Looked(np.zeros((4, 4, 3), dtype=np.uint8), values), "It")
    assert said == f"It gives {share:.0%} of what it gives to patches to {count} of {values.size}."
