"""What is said to be worth noticing about heads is true of the numbers that are given."""

import math
from types import SimpleNamespace

import pytest
import torch
from pages.foundations.many_heads.costs import costs_frame

from core.heads.head_table import HeadTable, measure_heads
from core.zoo.text_models import NextToken, TextRun
from dashboard.watched import WatchedText, watch_text
from pages.foundations.many_heads import compute as runs_heads
from pages.foundations.many_heads import noticed
from pages.foundations.many_heads.measured import heads_frame
from tests.core.saved_models import byte_level_tokenizer
from tests.dashboard.watched import record_of, tokens_of

TEXT = tokens_of("zero one two three four five six seven")
COUNT = len(TEXT)
UNIFORM = torch.full((COUNT, COUNT), 1 / COUNT)
PREVIOUS = torch.eye(COUNT).roll(-1, dims=1)
FIRST = torch.eye(COUNT)[[0] * COUNT]


def watched_text(*patterns: torch.Tensor) -> WatchedText:
    """A made-up run: each pattern is a layer of heads, (head, query, key)."""
    model = NextToken("made up", "made up", torch.nn.Identity(), byte_level_tokenizer(), 32)
    return WatchedText(model, TEXT, TextRun(None, {"text": TEXT}), record_of(*patterns))


def said_of(*patterns: torch.Tensor, **more: torch.Tensor) -> str:
    watched = watched_text(*patterns)
    table = measure_heads(watched.model, watched.run, watched.record)
    table = HeadTable(table.values | more, table.largest, table.rows)
    return "\n".join(noticed.measured(watched, table))


def test_the_previous_token_head_is_named():
    said = said_of(torch.stack([UNIFORM, UNIFORM]), torch.stack([UNIFORM, PREVIOUS]))
    assert "**Layer 1, head 1** looks most at the token just before: 100% of its attention, a previous" in said
    assert "12% of its attention, more than any other, but not enough" in said_of(UNIFORM[None])


def test_resting_heads_are_counted_or_denied():
    assert "**2 of 3 heads** rest on the first token" in said_of(torch.stack([FIRST, UNIFORM, FIRST]))
    assert "No head rests mainly on the first token; **layer 0, head 0** gives it most, 12%" in said_of(UNIFORM[None])


@pytest.mark.parametrize(("share", "verdict"), [(0.4, "learned to continue"), (0.02, "none of them continues")])
def test_a_weak_induction_head_is_not_called_one(share, verdict):
    said = said_of(torch.stack([UNIFORM, UNIFORM]), induction=torch.tensor([[0.0, share]]))
    assert f"**layer 0, head 1** gives {share:.0%} of its attention to what came next" in said
    assert verdict in said


def test_the_broadest_and_the_narrowest_layer_are_named():
    said = said_of(UNIFORM[None], PREVIOUS[None])
    assert "Layer 0 looks most broadly (3.0 bits on average, of at most 3.0), layer 1 most narrowly (0.0 bits)" in said


def test_heads_that_are_not_there_are_not_spoken_of():
    said = said_of(torch.stack([UNIFORM, UNIFORM]), PREVIOUS[None])
    assert "nan" not in said
    assert "**Layer 1, head 0** looks most at the token just before" in said


def test_costs_are_counted_and_the_dearest_head_is_named():
    watched = watched_text(torch.stack([UNIFORM, UNIFORM]), torch.stack([UNIFORM, UNIFORM]))
    costs = {(0, 0): 0.5, (0, 1): 0.01, (1, 0): -0.3, (1, 1): 0.02}
    said = "\n".join(noticed.alone(watched, costs))
    assert "**2 of 4 heads** cost less than 0.02 nats" in said
    assert "**Layer 0, head 0** costs most: the loss rises by 0.50 nats" in said
    assert "Without **layer 1, head 0** the model does *better* here, by 0.30 nats" in said


def test_the_cost_of_the_silenced_heads_together_is_told_as_a_ratio_of_probabilities():
    asked = runs_heads.trial(watch_text("gpt-books", "The old man looked at the sea."))
    assert f"between {math.exp(asked.whole):,.0f} equally likely ones" in noticed.silenced(asked, 0, None)
    said = noticed.silenced(asked, 2, asked.whole + math.log(2))
    assert (
        "the 2 silenced heads the loss **rises by 0.69 nats**: on average the right answer is 2.00 times less" in said
    )
    assert "**falls by 0.69 nats**: on average the right answer is 2.00 times more" in noticed.silenced(
        asked, 1, asked.whole - math.log(2)
    )
    assert "nothing depended on it" in noticed.silenced(asked, 1, asked.whole + 0.001)


def test_nothing_is_said_of_costs_before_all_are_measured():
    watched = watched_text(torch.stack([UNIFORM, UNIFORM]))
    (said,) = noticed.alone(watched, {(0, 0): 0.5})
    assert "will say which heads" in said


def test_the_table_has_one_row_a_head_and_no_head_that_is_not_there():
    watched = watched_text(torch.stack([UNIFORM, FIRST]), PREVIOUS[None])
    frame = heads_frame(watched, measure_heads(watched.model, watched.run, watched.record))
    assert frame[["layer", "head"]].values.tolist() == [["0", 0], ["0", 1], ["1", 0]]
    assert frame["First token"].tolist() == pytest.approx([1 / 8, 1, 1 / 7])  # row 1 of PREVIOUS looks at row 0
    assert frame["Previous token"].tolist() == pytest.approx([1 / 8, 1 / 7, 1])
    assert not frame.isna().any().any()


def test_the_costs_are_ranked_with_the_dearest_first():
    watched = watched_text(torch.stack([UNIFORM, UNIFORM, UNIFORM]))
    frame = costs_frame(watched, SimpleNamespace(whole=2.0), {(0, 0): 0.1, (0, 1): -0.2, (0, 2): 0.7})
    assert frame["head"].tolist() == [2, 0, 1]
    assert frame["loss"].tolist() == [2.7, 2.1, 1.8]
    assert frame["cost, bits"].iloc[0] == pytest.approx(0.7 / 0.6931, abs=1e-3)


def test_who_is_stopped_keeps_what_was_measured_and_may_go_on():
    watched = watch_text("gpt-books", "A sentence that nobody else has measured yet.")
    runs_heads.known_costs(watched).clear()
    asked = []

    def stop(done, heads):
        asked.append((done, heads))
        if len(asked) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runs_heads.measure_costs(watched, stop)
    assert asked == [(done, 36) for done in range(4)]
    first = dict(runs_heads.known_costs(watched))
    assert list(first) == [(0, 0), (0, 1), (0, 2)]
    runs_heads.measure_costs(watched, lambda *_: None)
    assert len(runs_heads.known_costs(watched)) == 36
    assert {head: runs_heads.known_costs(watched)[head] for head in first} == first
