"""Addresses that somebody has cut or made up: a page shows its figure or one sentence, whatever its address holds."""

import ast
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest

from dashboard import contents
from tests.pages.hostile_values import NUMBERS, TEXTS, dealt

ROUNDS, ROUNDS_OF_TEXTS = 3, 2  # of each section
FRAME = {"show", "present", "class", "lesson", "station", "answer"}  # parameters that every page has
CONTROLS = {"number", "number_box", "choice", "token", "text", "picture", "resolution"}  # of dashboard/controls.py
# Choices that show controls which a section does not have at first, by the address of the page.
WAYS: dict[str, tuple[dict[str, str], ...]] = {
    "steps": ({"begin": "Your sentence"}, {"example": "The classic: scores 112 and 96"}),
    "heads": ({"show": "Measured", "input": "Picture"}, {"show": "Silenced", "silenced": "0.0"}),
    "order": (
        {"show": "Shuffle", "shuffled": "A photograph"},
        {"show": "Learned", "learner": "An image model"},
        {"show": "Relative", "way": "T5"},
        {"show": "Relative", "way": "Swin", "network": "swin-tiny-imagenet"},
    ),
    "inside": (
        {"show": "Walk", "machine": "Encoder"},
        {"show": "Walk", "machine": "Encoder-decoder"},
        {"show": "Stream", "machine": "Encoder-decoder"},
        {"show": "Walk", "part": "token_embedding"},
    ),
    "translation": (
        {"show": "Word by word", "steps_model": "Transformer"},
        {"show": "Cut a link", "change_model": "Transformer"},
    ),
    "next-word": ({"show": "Tokens", "tokens_look": "One sentence, many scripts"},),
    "missing-word": (
        {"show": "Fill in", "hide": "1.3"},
        {"show": "Grammar", "grammar_from": "annotated"},
        {"show": "Grammar", "grammar_heads": "one head"},
        {"show": "Grammar", "text": "The dog that had seen the cat slept. It rained."},
        {"show": "Grammar", "text": "The dog and the cat and the bird and " * 5 + "the fish slept."},
        {"show": "Across languages", "hide_english": "1.2"},
        {"show": "Across languages", "across_head": "any head"},
    ),
    "swin": ({"show": "Maps", "maps_of": "the difference of two heads"},),
    "clip": ({"show": "Agreement", "world": "Photographs"}, {"show": "Agreement", "world": "Emoji"}),
    "generation": (
        {"show": "Go on", "way_on": "half a picture"},
        {"show": "Painted in stages", "painted_view": "another word"},
        {"show": "Painted in stages", "painted_view": "another word", "drawn_world": "Emoji"},
    ),
    "efficient": (
        {"show": "Maps", "source": "Your own"},
        {"show": "Maps", "maps_method": "Linformer", "maps_projection": "random"},
    ),
    "shrinking": (
        {"show": "Heads", "shrunk": "Vision transformer"},
        {"show": "Distilled", "distilled_of": "Vision transformer"},
    ),
}
# Controls that a page has only with a model that is fetched, or where a measurement would take long.
BEYOND = {
    "translation": {"any_model.py"},
    "captioning": {"any_model.py"},
    "joint": {"any_model.py"},
    "sentiment": {"faithful.py"},
    "vit": {"faithful.py"},
    "inside": {"parts.py"},
    "order": {"learned.py"},
    "efficient": {"reading.py"},
}


@dataclass
class Asked:
    """Parameters that a page has asked for, each with the kind of value that its control takes (None: read by hand),
    and the lines of code that stood on the way to a control."""

    kinds: dict[str, str | None] = field(default_factory=dict)
    lines: set[tuple[Path, int]] = field(default_factory=set)


@pytest.fixture
def asked(monkeypatch) -> Asked:
    """What is asked of the address, as soon as it is asked, so that no list of parameters can be incomplete."""
    found = Asked()
    bind, read = SessionState._handle_query_param_binding, QueryParams.__getitem__

    def binding(state, metadata, key, widget):
        found.kinds[key] = metadata.value_type
        frame = sys._getframe()
        while frame := frame.f_back:
            found.lines.add((Path(frame.f_code.co_filename), frame.f_lineno))
        return bind(state, metadata, key, widget)

    def reading(params, key):
        found.kinds.setdefault(key, None)
        return read(params, key)

    monkeypatch.setattr(SessionState, "_handle_query_param_binding", binding)
    monkeypatch.setattr(QueryParams, "__getitem__", reading)
    return found


@pytest.mark.parametrize("page", contents.pages(), ids=lambda page: page.url or "home")
def test_every_parameter_of_every_section_may_hold_anything(visit, asked, page):
    lines = set()
    for way in ways_into(visit, page):
        asked.kinds.clear()
        asked.lines.clear()
        plain = visit(page.room, **way)
        is_drawn, usual = has_figure(plain), len(plain.warning)
        lines |= asked.lines
        kinds = {name: kind for name, kind in asked.kinds.items() if name not in FRAME | way.keys()}
        texts = [name for name, kind in kinds.items() if kind == "string_value"]
        others = [name for name in kinds if name not in texts]
        seed = f"{page.url} {way}"
        for values in dealt(NUMBERS, others, rounds=ROUNDS, seed=seed):
            app = visit(page.room, **way, **values)
            assert is_answered(app, page, usual) or not is_drawn, values
        for values in dealt(TEXTS, texts, rounds=ROUNDS_OF_TEXTS if texts else 0, seed=seed):
            app = visit(page.room, **way, **values)
            assert is_answered(app, page, usual) or not is_drawn, values
    forgotten = unreached(page, lines)
    assert not forgotten, "no way of WAYS leads to these controls"


def test_the_parameters_that_every_page_has_may_hold_anything(visit):
    everything = NUMBERS + TEXTS
    for values in dealt(everything, sorted(FRAME), rounds=len(everything) // 2, seed="frame"):
        app = visit("explore/home", **values)
        assert is_answered(app, contents.HOME), values
    lesson = {"lesson": "inside-one-head", "station": "1"}
    for values in dealt(everything, ["answer"], rounds=8, seed="answer"):
        app = visit("explore/text", **lesson, **values)
        assert is_answered(app, contents.TEXT), values


BOX = """
from dashboard import controls
controls.number_box("Layer", 0, 11, 3, key="layer")
"""


@pytest.mark.parametrize("value", NUMBERS, ids=lambda value: repr(value)[:20])
def test_a_box_for_numbers_takes_any_address_and_cleans_it_of_what_is_no_number_of_it(value):
    app = AppTest.from_string(BOX, default_timeout=60)
    app.query_params["layer"] = value
    for _ in range(2):  # a box that was not bound for the first run is bound in the second
        app.run()
        assert not app.exception
        number = app.number_input[0].value
        assert isinstance(number, int)
        assert 0 <= number <= 11
        left = app.query_params.get("layer", "3")
        assert int(float(left[-1] if isinstance(left, list) else left)) == number
    app.number_input[0].set_value(7).run()
    assert app.number_input[0].value == 7


@pytest.mark.parametrize("station", ["00019", "0", "99", "²", "-1", "1e3", "9" * 400, "", b"\xff"])
def test_a_station_that_a_lesson_does_not_have_is_one_sentence(visit, station):
    app = visit("explore/text", lesson="inside-one-head", station=station)
    assert [warning.value for warning in app.warning if "there is no station" in warning.value]


def ways_into(visit, page: contents.Page) -> list[dict[str, str]]:
    """Queries that show all of a page: each of its sections, and then what else has to be chosen."""
    rows = visit(page.room).get("button_group")
    sections = [option.content for row in rows if row.proto.label == "What to look at" for option in row.proto.options]
    return [*({"show": section} for section in sections), *([] if sections else [{}]), *WAYS.get(page.url, ())]


def has_figure(app: AppTest) -> bool:
    """Whether there is a figure, a table or a picture; what stands around every page is none."""
    parts = {part.proto.component_name.rpartition("attention_atlas_")[2] for part in app.get("bidi_component")}
    return bool(parts - AROUND) or any(app.get(kind) for kind in FIGURES)


FIGURES = ("plotly_chart", "arrow_data_frame", "imgs")
AROUND = {"larger", "section_name", "term_popover", "class_link", "class_answers"}


def is_answered(app: AppTest, page: contents.Page, usual: int = 0) -> bool:
    """Whether a page shows its figure, or one sentence, and no more than one besides those that it has anyway.

    Of numbers in matrices there is one sentence for each matrix.
    """
    sentences = len(app.warning)
    return (has_figure(app) or sentences + len(app.info) > 0) and (sentences < 2 + usual or page is contents.STEPS)


def unreached(page: contents.Page, lines: set[tuple[Path, int]]) -> list[str]:
    """Controls in the code of a page that are bound to the address and were not on the way to any."""
    beyond = BEYOND.get(page.url, set())
    files = [file for file in sorted((contents.ROOT / "pages" / page.room).glob("*.py")) if file.name not in beyond]
    return [
        f"{file.name}:{call.lineno}"
        for file in files
        for call in bound_controls(file.read_text(encoding="utf-8"))
        if not any((file, line) in lines for line in range(call.lineno, (call.end_lineno or call.lineno) + 1))
    ]


def bound_controls(source: str) -> list[ast.Call]:
    """Calls that say `bind=`, and those of the shared controls."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [call for call in calls if any(word.arg == "bind" for word in call.keywords) or _is_shared(call.func)]


def _is_shared(called: ast.expr) -> bool:
    return (
        isinstance(called, ast.Attribute)
        and called.attr in CONTROLS
        and isinstance(called.value, ast.Name)
        and called.value.id == "controls"
    )


@pytest.mark.parametrize(
    ("room", "query"),
    [
        ("explore/home", {"example": ""}),
        ("explore/image", {"picture": ""}),
        ("foundations/order", {"show": ""}),
        ("foundations/before_attention", {"show": "Copy", "draw": "", "asked": "", "distance": ""}),
        ("vision/swin", {"show": "Reach and cost", "reach_follow": ""}),
        ("scale/scaling_comparison", {"show": "Laws", "laws_law": "", "laws_from": ""}),
    ],
)
def test_an_address_that_names_no_choice_shows_the_page_all_the_same(visit, room, query):
    assert visit(room, **query).title
