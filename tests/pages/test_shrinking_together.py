"""All together on the page Shrinking: the sum of the steps, the front, and rows that open."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.results.shrinking import Combined, measured
from core.shrinking.recipes import Recipe, recipes
from pages.scale.shrinking.compute_together import AXES, BASELINE, SEVERAL, kind_of, table_of, variants
from pages.scale.shrinking.inputs import MASKED
from pages.scale.shrinking.together import MODELS, about_free, about_front, about_sum, row_of, steps_of
from pages.scale.shrinking.together import SECTION as PROSE
from tests.pages.conftest import prose

PAGE, SECTION = "scale/shrinking", "All together"


@pytest.mark.parametrize("name", MODELS)
def test_the_section_opens_by_its_address(visit, name):
    app = visit(PAGE, show=SECTION, shrunk=name, together_heads="25%", together_neurons="25%", together_format="int8")
    text = prose(app)
    assert "alone they cost" in text
    assert "variants are beaten by none" in text
    assert "25% of the heads gone, 25% of the neurons gone, int8: **" in text
    assert "of the bytes are left, and one pass takes" in text


def test_a_student_is_a_step_where_there_is_one(visit):
    app = visit(PAGE, show=SECTION, shrunk=MASKED, together_layers="half (taught)")
    assert "Bert-half, 25% of the heads gone, int8" in prose(app)
    assert PROSE.text("Networks with students") not in [caption.value for caption in app.caption]


def test_a_row_of_the_address_is_opened_and_one_that_is_not_there_is_passed_over(visit):
    opened = visit(PAGE, show=SECTION, shrunk="GPT", together_row="5")
    closed = visit(PAGE, show=SECTION, shrunk="GPT", together_row="99999x")
    assert len(opened.dataframe) == len(closed.dataframe) + 1


def test_a_masked_model_without_a_gap_gets_a_sentence(visit):
    app = visit(PAGE, show=SECTION, shrunk=MASKED)
    app.text_input(key="gap").set_value("The king took her by the hand.").run()
    assert not app.exception
    assert "Write [MASK]" in " ".join(message.value for message in [*app.error, *app.warning]).replace("\\", "")


def combined(recipe: Recipe, quality: float) -> Combined:
    of = (recipe.student, recipe.heads, recipe.neurons, recipe.number_format)
    return Combined("gpt-books", recipe.title, 10, 40, 1.0, 2.0, quality, "BLEU", 99, *of)


@given(st.lists(st.integers(1, 100).map(float), min_size=36, max_size=36), st.integers(0, 35))
def test_the_sum_is_that_of_the_steps_alone(qualities, chosen):
    every = recipes("gpt-books")
    rows = tuple(combined(*pair) for pair in zip(every, qualities, strict=True))
    recipe = every[chosen]
    steps = steps_of(recipe)
    lost = {row.variant: (qualities[0] - row.quality) / qualities[0] for row in rows}
    sentence = about_sum(rows, recipe)
    if not steps:
        assert sentence.startswith("Nothing is taken away")
    elif len(steps) == 1:
        assert "in sum" not in sentence
    else:
        total, own = sum(lost[step.title] for step in steps), lost[recipe.title]
        assert f"in sum {round(total, 3) + 0.0:.1%}.".replace("-", "−") in sentence
        if abs(abs(own) - 0.0005) > 1e-9:
            assert (f"cost **{own:.1%}** of the quality; alone" in sentence) == (own > 0.0005)
            assert ("the steps cost nothing" in sentence) == (own <= 0.0005)
            assert "cost **-" not in sentence
    free = about_free(rows)
    count = sum(value <= 0.01 for value in lost.values()) - 1  # but for the whole one
    assert (f"Of 35 combinations {count} lose at most" if count else "Each of 35 combinations loses more") in free


@pytest.mark.parametrize("model", MODELS.values())
@pytest.mark.parametrize("by", AXES)
def test_no_variant_of_the_front_is_beaten(model, by):
    entries = variants(model)
    points = table_of(entries, by)
    sign = -1 if entries[0][1].measure == "bits" else 1
    places = list(zip(points.x, sign * points.y, points.front, strict=True))
    for x, y, front in places:
        beaten = any((a <= x and b > y) or (a < x and b >= y) for a, b, _ in places)
        assert front != beaten
    assert f"**{sum(points.front)} of {len(entries)}** variants" in about_front(points)


@pytest.mark.parametrize("model", MODELS.values())
def test_the_table_holds_every_recipe_and_bits_save_bytes(model):
    rows = measured(Combined, model)
    assert [row.variant for row in rows] == [recipe.title for recipe in recipes(model)]
    assert rows[0].is_full
    assert kind_of(rows[0]) == BASELINE
    for recipe in recipes(model):
        row, plain = row_of(rows, recipe), row_of(rows, Recipe(recipe.student, recipe.heads, recipe.neurons))
        assert (row.bytes < plain.bytes) == (recipe.number_format != "float32")
        assert (kind_of(row) == SEVERAL) == (len(steps_of(recipe)) > 1)
