"""The section "Small data": what the table holds is what is shown, and rows that were not run are absent."""

from core.measured import SmallDataRun
from pages.scale.scaling_comparison import small_data_section
from pages.scale.scaling_comparison.small_data_notices import notice

PAGE = "scale/scaling_comparison"


def run(model: str, family: str, pictures: int, accuracy: float, params: int = 10) -> SmallDataRun:
    return SmallDataRun(model, family, params, pictures, 4, 0.001, accuracy, 60, "a machine", "a command")


RUNS = (
    run("Net", "convolutional", 5_000, 50.0),
    run("Net", "convolutional", 50_000, 60.0),
    run("ViT", "transformer", 5_000, 30.0, 20),
    run("ViT", "transformer", 50_000, 65.0, 20),
)


def test_the_page_shows_every_run_that_was_made_and_no_other(visit, monkeypatch):
    monkeypatch.setattr(small_data_section, "small_data_runs", lambda: RUNS)
    app = visit(PAGE, show="Small data")
    (table,) = (each.value for each in app.dataframe if "seconds" in each.value)
    assert len(table) == len(RUNS)
    assert any("**ViT** gains most (35.0 points)" in each.value for each in app.markdown)


def test_the_sentences_name_the_winner_at_both_ends():
    first, second, _ = notice(small_data_section.learners_of(RUNS))
    assert (
        "networks that learned from 5,000 pictures, the best convolutional one, **Net** (50.0 %), is 20.0 points"
        in first
    )
    assert (
        "networks that learned from 50,000 pictures, the best transformer one, **ViT** (65.0 %), is 5.0 points"
        in second
    )
