import plotly.graph_objects as go
import pytest

from dashboard.figures.paper import on_paper
from dashboard.figures.room import with_room
from dashboard.theme import LIGHT

SIDES = ("l", "r", "t", "b")


def figure(*names: str, size: int = 14, **layout) -> go.Figure:
    """Bars beside their names, or a line where there are none."""
    drawn = go.Figure([go.Bar(x=[1.0] * len(names), y=names) if names else go.Scatter(x=[1.0], y=[2.0])])
    return on_paper(drawn, palette=LIGHT, height=300, size=size, x="across", y="up").update_layout(layout)


def margins(drawn: go.Figure) -> dict[str, float]:
    return {side: with_room(drawn).layout.margin[side] for side in SIDES}


def test_longer_names_and_larger_letters_get_more_room():
    assert margins(figure("a", "Oxford Flowers-102"))["l"] > margins(figure("a", "b"))["l"] + 50
    assert all(margins(figure(size=20))[side] >= margins(figure(size=14))[side] for side in SIDES)


def test_names_that_are_written_instead_of_numbers_count_too():
    named = figure().update_yaxes(tickvals=[2.0], ticktext=["a name of thirty-two letters ..."])
    assert margins(named)["l"] > margins(figure())["l"] + 100


def test_an_axis_that_says_nothing_needs_no_room():
    silent = figure("a").update_xaxes(visible=False).update_yaxes(showticklabels=False)
    assert margins(silent) == dict.fromkeys(SIDES, 8)


def test_numbers_get_room_for_their_digits():
    wide, narrow = (go.Figure(go.Scatter(x=[1, 2], y=ends)) for ends in ([0.0, 100_000.0], [0.0, 90.0]))
    room = [margins(on_paper(each, palette=LIGHT, height=300))["l"] for each in (wide, narrow)]
    assert room[0] > room[1] + 30
    for values in ([None, None], [float("nan")], ["2020-01-01"], []):
        margins(on_paper(go.Figure(go.Scatter(x=values, y=values)), palette=LIGHT, height=300))


def test_a_legend_of_many_names_gets_several_lines():
    drawn = figure()
    for number in range(12):
        drawn.add_trace(go.Scatter(x=[1.0], y=[1.0], name=f"a line with a long name {number}"))
    few = figure().add_trace(go.Scatter(x=[1.0], y=[1.0], name="b"))
    assert margins(drawn)["t"] > margins(few)["t"] + 50


def test_a_legend_gets_as_many_lines_as_its_share_of_the_page_needs():
    def room(share: float, name: str) -> float:
        drawn = figure()
        for _ in range(3):
            drawn.add_trace(go.Scatter(x=[1.0], y=[1.0], name=name))
        return with_room(drawn, share).layout.margin.t

    line = 1.5 * 14
    name = "a kind of attention"
    assert room(0.5, name) - room(1.0, name) == pytest.approx(line, abs=1)  # in two columns: two lines of the three
    assert room(0.25, name) - room(1.0, name) == pytest.approx(3 * line, abs=1)  # one below the other, with the first


def test_a_legend_of_lines_below_one_another_gets_a_line_for_each():
    drawn = figure(legend={"orientation": "v", "y": 1.02})
    before = margins(figure(showlegend=True))["t"]
    for number in range(3):
        drawn.add_trace(go.Scatter(x=[1.0], y=[1.0], name=f"{number}"))
    assert margins(drawn)["t"] - before == pytest.approx(3 * 1.5 * 14, abs=1)


@pytest.mark.parametrize(("shown", "has"), [(None, True), (False, False), (True, True)])
def test_two_named_lines_have_a_legend_unless_it_is_switched_off(shown, has):
    drawn = figure(showlegend=shown).add_trace(go.Scatter(x=[1.0], y=[1.0]))
    assert (margins(drawn)["t"] > 8) is has


def test_a_margin_that_is_larger_stays():
    assert margins(figure(margin={"l": 400, "t": 90})) | {"r": 0, "b": 0} == {"l": 400, "t": 90, "r": 0, "b": 0}
