"""Long text, "Needles": what is measured is what is shown, and what is said of it is true."""

import math
import re

import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.errors import ModelError
from core.long_context.needles import Ablation, HeadScores, Probe, Retrieval
from core.long_context.planting import Planted
from core.text import read_tokens
from dashboard.cache import memo
from pages.explore.long_text import compute_needles, needles, needles_sentences
from pages.explore.long_text.figures_needles import ablation_table, heads_table
from tests.core.tiny_long_models import family
from tests.pages.conftest import check, message_text, prose

TEXT = " ".join(f"In the {number}th year the sea came up to the wall. Nobody saw it!" for number in range(1, 400))
SECTION = """
from dashboard import app
from pages.explore.long_text import needles
app.show(needles.show)
"""


@pytest.fixture
def tiny(monkeypatch):
    """The section with a small random model and a short book: tiny() opens it."""
    memo.clear()
    models = {"tiny": family("rotary"), "bert": family("bert")}
    monkeypatch.setattr(compute_needles, "long_text_model", models.__getitem__)
    monkeypatch.setattr(compute_needles, "book_text", lambda _: TEXT)
    monkeypatch.setattr(compute_needles, "LENGTHS", (128, 256))
    chosen = {"name": "tiny"}
    monkeypatch.setattr(needles.model_name, "model", lambda *_, **__: chosen["name"])

    def open_section(name: str = "tiny", **query: str) -> AppTest:
        chosen["name"] = name
        app = AppTest.from_string(SECTION, default_timeout=300)
        for parameter, value in query.items():
            app.query_params[parameter] = value
        return check(app.run())

    yield open_section
    memo.clear()


def test_the_section_says_what_was_measured(tiny):
    app = tiny()
    planting = compute_needles.Planting("tiny", "The Time Machine", needles.NEEDLE, 9)
    probe = compute_needles.probe.peek(planting, 128, 50)
    assert probe is not None
    text = prose(app)
    assert (
        f"**{float(probe.retrievals[0].bits.sum()):.1f} bits**, without it {float(probe.bits_without.sum()):.1f}"
        in text
    )
    assert len(probe.bits_without) == len(planting.needle.answer)
    assert "Dolores Park" in message_text(app, "caption")


def test_all_depths_and_the_ablation_are_measured_at_a_click(tiny):
    app = tiny(needle_length="256", needle_depth="75")
    planting = compute_needles.Planting("tiny", "The Time Machine", needles.NEEDLE, 9)
    assert compute_needles.grid.peek(planting, (128, 256)) is None
    check(app.button(key="needle-grid").click().run())
    grid = compute_needles.grid.peek(planting, (128, 256))
    assert [(probe.length, len(probe.retrievals)) for probe in grid] == [(128, 5), (256, 5)]
    torch.testing.assert_close(grid[1].retrievals[3].bits, compute_needles.probe(planting, 256, 75).retrievals[0].bits)
    check(app.button(key="needle-silence").click().run())
    ablation = compute_needles.ablation.peek(planting, 256, 75, 2)
    assert f"**{ablation.bits:.1f} bits** instead of" in prose(app)
    app.slider(key="needle_silenced").set_value(1).run()
    assert not check(app).warning


def test_a_question_and_another_needle_are_planted(tiny):
    app = tiny(needle="The key is a green bottle.", needle_question="What is it?", needle_cue="0")
    planting = compute_needles.Planting("tiny", "The Time Machine", "The key is a green bottle.", 0, "What is it?")
    planted = compute_needles.probe.peek(planting, 128, 50).retrievals[0].planted
    assert "".join(planted.tokens.labels[planted.prompt.start :]).startswith(" What is it? The key")
    assert planted.answer.start == 128 - len(planting.needle.answer)
    assert "green bottle" in message_text(app, "caption")


@pytest.mark.parametrize(
    "address",
    [
        {"needle": " "}, {"needle": "Word"}, {"needle": "<b>x</b> is **bold** 👩‍👩‍👧 שלום"}, {"needle": "a " * 140},
        {"needle_length": "7", "needle_depth": "999", "needle_cue": "-1", "needle_silenced": "x", "needle_map": "?"},
    ],
)  # fmt: skip
def test_odd_addresses_and_needles_are_read_or_refused_in_a_sentence(tiny, address):
    app = tiny(**address)
    assert "<b>" not in prose(app)
    shown = [element.value for element in (*app.error, *app.warning, *app.info)]
    assert all("Traceback" not in sentence for sentence in shown)
    if address.get("needle") in (" ", "Word", "a " * 140):
        assert shown


def test_an_encoder_is_refused(tiny):
    app = tiny("bert")
    assert "next token" in " ".join(element.value for element in (*app.error, *app.warning, *app.info))
    with pytest.raises(ModelError):
        compute_needles.reader("bert")


def case(
    scores: list[list[float]], *, copies=None, shares=None, elsewhere=0.01, gains=(5.0, 4.0, 6.0, 5.0), even=0.001
) -> Probe:
    """A measured needle with these scores and gains."""
    table = torch.tensor(scores, dtype=torch.float)
    tokens = read_tokens(family("rotary").tokenizer, range(100, 140))
    planted = Planted(tokens, range(10, 18), range(32, 36), range(36, 36 + len(gains)))
    bits = torch.full((len(gains),), 3.0)
    heads = HeadScores(torch.tensor(shares) if shares else table, torch.tensor(copies) if copies else table / 2, table)
    retrieval = Retrieval(0.5, planted, heads, torch.full_like(table, elsewhere), 0.1, even, bits, 5.0)
    return Probe(512, bits + torch.tensor(gains), (retrieval,))


def test_heads_are_called_retrieval_heads_only_above_chance_and_threshold():
    about = needles_sentences.about_heads
    assert "**Layer 1, head 0** retrieves" in about(case([[0, 0], [0.75, 0]]).retrievals[0])
    assert "**3 of the 4 tokens**" in about(case([[0, 0], [0.75, 0]]).retrievals[0])
    assert "1 more head of 4 reaches" in about(case([[0, 0.25], [0.75, 0]]).retrievals[0])
    assert "No head retrieves" in about(case([[0, 0], [0, 0]]).retrievals[0])
    assert "No head clearly retrieves" in about(case([[0, 0.25], [0, 0]], even=0.2).retrievals[0])
    many = case([[0, 0.05], [0, 0]], gains=(1.0,) * 60).retrievals[0]
    assert "too few" in about(many)
    assert "no head has a map" in about(case([[math.nan]]).retrievals[0]).lower()


@pytest.mark.parametrize(
    ("hits", "count", "chance", "heads", "expected"),
    [(1, 1, 0.04, 1, True), (1, 1, 0.04, 2, False), (2, 4, 0.01, 36, True), (0, 4, 0.5, 1, False)],
)
def test_chance_counts_all_heads(hits, count, chance, heads, expected):
    assert needles_sentences.above_chance(hits, count, chance, heads) is expected


def test_the_gain_is_called_by_its_sign_and_only_beyond_its_error():
    for gains, verdict in (
        ((5.0, 4.0, 6.0, 5.0), "more"),
        ((5.0, -4.0, 6.0, -5.0), "as much"),
        ((-5.0, -4.0), "less"),
        ((5.0,), "unknown"),
    ):
        probe = case([[0.0]], gains=gains)
        assert needles_sentences.effect(probe.gains()) == verdict
        bits = float(probe.retrievals[0].bits.sum()), float(probe.bits_without.sum())
        assert [f"{value:.1f}" for value in bits] == re.findall(r"-?\d+\.\d", needles_sentences.about_gain(probe))


def test_attention_to_the_needle_is_compared_with_other_text_in_its_place():
    about = needles_sentences.about_shares
    assert needles_sentences.attraction(0.4, 0.01) == "more"
    assert needles_sentences.attraction(0.4, 0.38) == "as much"
    assert needles_sentences.attraction(0.025, 0.01) == "as much"  # twice as much, but little
    assert needles_sentences.attraction(math.nan, 0.01) == "unknown"
    assert "**40.0%**" in about(case([[0.0, math.nan]], shares=[[0.4, math.nan]]).retrievals[0])


def silenced(bits: float, draws: list[float]) -> Ablation:
    others = torch.tensor(draws)
    return Ablation(((0, 0),), bits, 5.1, (((0, 1),),) * len(draws), others, torch.full_like(others, 5.2))


def test_an_ablation_counts_only_where_it_costs_more_than_every_draw():
    probe, about = case([[0.5, 0.0]]), needles_sentences.about_ablation
    assert needles_sentences.depends(silenced(30.0, [12.0, 13.0, 14.0]))
    assert not needles_sentences.depends(silenced(13.5, [12.0, 13.0, 14.0]))
    assert not needles_sentences.depends(silenced(30.0, [12.0]))  # a single draw has no error
    for ablated in (silenced(30.0, [12.0, 13.0, 14.0]), silenced(13.5, [12.0, 13.0, 14.0])):
        assert f"**{ablated.bits:.1f} bits**" in about(probe, ablated)
    table = ablation_table(probe, silenced(30.0, [12.0, 14.0]))
    assert table["answer, bits"].tolist() == [12.0, 30.0, 13.0, 32.0]
    assert table["standard error"][2] == pytest.approx(1.0)


def test_the_grid_counts_places_and_averages_scores():
    probes = (case([[0.5, 0.0]]), case([[0.25, 0.0]], gains=(1.0, -1.0)))
    sentence = needles_sentences.about_grid(probes)
    assert "**1 of 2**" in sentence
    assert "20.0 bits" in sentence
    assert "layer 0, head 0 has the highest score, 38%" in sentence
    assert "No head retrieves a single token" in needles_sentences.about_grid((case([[0.0]]),))


def test_the_table_of_heads_is_sorted_and_leaves_out_missing_ones():
    table = heads_table(case([[0.0, 0.5], [0.25, math.nan]]).retrievals[0])
    assert list(zip(table["layer"], table["head"], strict=True)) == [(0, 1), (1, 0), (0, 0)]
