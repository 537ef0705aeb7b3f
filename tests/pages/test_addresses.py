"""Addresses that somebody has cut or made up: each parameter of each page meets every hostile value of one list.

What a control, or the parser of a parameter that no control is bound to, makes of each value is computed without the
page. The page is then visited with one value of each outcome; a visit holds values of several parameters.
"""

import ast
import importlib
import importlib.util
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import contents
from dashboard.cache import memo
from tests.page_prose import sections_of
from tests.pages.address_parameters import AddressRequests, Control, controls_of, outcomes, watch
from tests.pages.hostile_values import NUMBERS, TEXTS, VALUES, Value, dealt
from tests.pages.ways_into_pages import Way, lighten, ways_into

FRAME = {"show", "present", "class", "lesson", "station", "answer"}  # parameters that every page has
# Of dashboard/inputs/controls.py.
CONTROLS = {"number", "number_box", "choice", "menu", "layer", "token", "text", "picture", "resolution"}
ANYTHING = "anything"  # for parameters of which a page asks no more than whether they are there
ROUNDS = 2  # of a page as it opens, where all of it is left to the slow test

Visit = Callable[..., AppTest]


@pytest.fixture
def requests(monkeypatch) -> AddressRequests:
    """What is asked of the address."""
    return watch(monkeypatch)


@pytest.fixture
def light(page, monkeypatch):
    """Narrow networks in the place of those of the page that take long."""
    lighten(page, monkeypatch)
    yield
    memo.clear()


@dataclass(frozen=True)
class Section:
    """What a page asks of the address on one way into it, and what it shows then."""

    page: contents.Page
    way: Way
    is_drawn: bool
    usual: int  # sentences that it has anyway
    controls: tuple[Control, ...]
    parsers: Mapping[str, Callable[[str], object]]
    by_hand: frozenset[str]
    presence: frozenset[str]

    @property
    def names(self) -> set[str]:
        """Parameters that are neither of every page nor a part of the way."""
        bound = {control.key for control in self.controls}
        return (bound | self.parsers.keys() | self.by_hand | self.presence) - FRAME - self.way.query.keys()


@pytest.mark.part_of("tests/pages/test_addresses.py::test_every_parameter_of_every_section_takes_any_value")
@pytest.mark.usefixtures("at_home", "light")
@pytest.mark.parametrize("page", contents.pages(), ids=lambda page: page.url or "home")
def test_a_page_as_it_opens_takes_any_value(visit, requests, page):
    section = opened(visit, requests, page, Way({}))
    for values in islice(rounds_of(values_of([section])[0]), ROUNDS):
        meet(visit, requests, section, values)


@pytest.mark.slow(seconds=15, guard="test_a_page_as_it_opens_takes_any_value")
@pytest.mark.usefixtures("at_home", "light")
@pytest.mark.parametrize("page", contents.pages(), ids=lambda page: page.url or "home")
def test_every_parameter_of_every_section_takes_any_value(visit, requests, page, tmp_path_factory):
    sections, lines = [], set()
    for way in ways_into(visit, page, tmp_path_factory):
        sections.append(opened(visit, requests, page, way))
        lines |= requests.lines
    assert not unreached(page, lines), "no way of WAYS leads to these parameters"
    for section, values_of_names in zip(sections, values_of(sections), strict=True):
        for values in rounds_of(values_of_names):
            meet(visit, requests, section, values)


def opened(visit: Visit, requests: AddressRequests, page: contents.Page, way: Way) -> Section:
    """A section as it is when its address says no more than the way to it."""
    requests.clear()
    app = visited(visit, page, way, {})
    return Section(
        page,
        way,
        has_figure(app),
        len(app.warning),
        tuple(controls_of(app, requests)),
        dict(requests.parsers),
        frozenset(requests.by_hand),
        frozenset(requests.presence),
    )


def visited(visit: Visit, page: contents.Page, way: Way, values: Mapping[str, Value]) -> AppTest:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in way.patches.items():
            patch.setattr(name, value)
        return visit(page.folder, **way.query | values)


def meet(visit: Visit, requests: AddressRequests, section: Section, values: Mapping[str, Value]) -> None:
    """Visit a section with these values; those that another one keeps from their controls, or from a figure, again.

    What is not answered in one sentence is visited again in halves: each value has a sentence of its own.
    """
    requests.clear()
    app = visited(visit, section.page, section.way, values)
    for control in controls_of(app, requests):
        if control.element is not None and control.key in app.session_state:
            assert control.is_allowed(app.session_state[control.key]), (control.key, values)
    is_drawn, is_alone = has_figure(app), len(values) == 1
    if section.is_drawn:
        assert is_drawn or app.warning or app.info, values
        assert is_answered(app, section.page, section.usual) or not is_alone, values
    missed = [name for name in values if name not in requests.names]
    if is_alone or len(missed) == len(values):
        return
    if section.is_drawn and not (is_drawn and is_answered(app, section.page, section.usual)):
        names = sorted(values)
        for half in (names[::2], names[1::2]):
            meet(visit, requests, section, {name: values[name] for name in half})
    elif missed:
        meet(visit, requests, section, {name: values[name] for name in missed})


def values_of(sections: Sequence[Section]) -> list[dict[str, list[Value]]]:
    """What stands in the addresses of each section of a page, by the names of its parameters.

    A control and a parser are led to all that they can make of a value, in every section that has them. What takes any
    text, and what is read otherwise, meets all values on the page: in each of its sections another part of them.
    """
    everywhere: dict[str, tuple[list[int], list[Value]]] = {}
    alone: list[dict[str, list[Value]]] = []
    known: dict[object, dict[str, Value]] = {}  # of controls that several sections have
    for number, section in enumerate(sections):
        values = dict[str, list[Value]]()
        for control in section.controls:
            if control.identity not in known:
                known[control.identity] = control.distinct(VALUES)
            led_to = known[control.identity]
            if control.is_free:
                everywhere.setdefault(control.key, ([], texts(led_to)))[0].append(number)
            else:
                values.setdefault(control.key, []).extend(led_to.values())
        for name, parse in section.parsers.items():
            values.setdefault(name, []).extend(outcomes(parse, VALUES).values())
        for name in section.by_hand - values.keys():
            everywhere.setdefault(name, ([], [*VALUES]))[0].append(number)
        alone.append({name: values.get(name, [ANYTHING]) for name in section.names})
    for name, (numbers, values_of_name) in everywhere.items():
        numbers = [number for number in dict.fromkeys(numbers) if name in sections[number].names]
        for place, number in enumerate(numbers):
            alone[number][name] = values_of_name[place :: len(numbers)]
    return alone


def texts(led_to: Mapping[str, Value]) -> list[Value]:
    """Values for a field that takes any text: short words of plain characters are of one kind, and TEXTS has some."""
    return [
        value
        for value in led_to.values()
        if value in TEXTS
        or not (isinstance(value, str) and value.isascii() and value.isprintable() and len(value) < 30)
    ]


def rounds_of(values_of_names: Mapping[str, list[Value]]) -> Iterator[dict[str, Value]]:
    """One visit after the other, until each parameter has had all of its values."""
    marks = [name for name, values in values_of_names.items() if values == [ANYTHING]]
    if marks:
        yield dict.fromkeys(marks, ANYTHING)
    names = sorted(values_of_names.keys() - marks)
    for row in zip_longest(*(dict.fromkeys(map(hashable, values_of_names[name])) for name in names)):
        yield {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in zip(names, row, strict=True)
            if value is not None
        }


def hashable(value: Value) -> str | bytes | tuple[str, ...]:
    return tuple(value) if isinstance(value, list) else value


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
    """Calls in the code of a page that ask the address for a parameter and were not on the way to any."""
    files = sorted((contents.ROOT / "pages" / page.folder).glob("*.py"))
    return [
        f"{file.name}:{call.lineno} {ast.unparse(call)[:80]}"
        for file in files
        for call in asking_calls(file.read_text(encoding="utf-8"))
        if not any((file, line) in lines for line in range(call.lineno, (call.end_lineno or call.lineno) + 1))
    ]


def asking_calls(source: str) -> list[ast.Call]:
    """Calls that say `bind=`, those of the shared controls, and those of `dashboard.address.parameter`."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [
        call
        for call in calls
        if any(word.arg == "bind" for word in call.keywords)
        or _is_shared(call.func)
        or (isinstance(call.func, ast.Name) and call.func.id == "parameter")
    ]


def _is_shared(called: ast.expr) -> bool:
    return (
        isinstance(called, ast.Attribute)
        and called.attr in CONTROLS
        and isinstance(called.value, ast.Name)
        and called.value.id == "controls"
    )


def test_what_no_way_leads_to_is_named():
    source = (
        'st.slider("Rank", 0, 9, bind="query-params")\ncontrols.number("Layer", 2, key="layer")\nparameter("a", str)\n'
    )
    assert [call.lineno for call in asking_calls(source)] == [1, 2, 3]
    assert any("parameter" in call for call in unreached(contents.GLOSSARY, set()))


def test_the_parameters_that_every_page_has_take_any_value(visit):
    for values in dealt(VALUES, sorted(FRAME), rounds=len(VALUES) // 2, seed="frame"):
        app = visit("explore/home", **values)
        assert is_answered(app, contents.HOME), values
    lesson = {"lesson": "inside-one-head", "station": "1"}
    for values in dealt(VALUES, ["answer"], rounds=8, seed="answer"):
        app = visit("explore/text", **lesson, **values)
        assert is_answered(app, contents.TEXT), values


BOX = """
from dashboard.inputs import controls
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


def former_section_names(page: contents.Page) -> dict[str, str]:
    """The names that sections of a page had, with those that they have: FORMER_NAMES of its prose.py."""
    name = f"pages.{page.folder.replace('/', '.')}.prose"
    return getattr(importlib.import_module(name), "FORMER_NAMES", {}) if importlib.util.find_spec(name) else {}


RENAMED = [(page, *names) for page in contents.pages() for names in former_section_names(page).items()]
# Links from before pages had sections, or from before a choice had its present name: by parameters of the section.
OLDER_LINKS = [
    (contents.STEPS, {"begin": "Your sentence", "text": "the cat"}, "Eight steps"),
    (contents.STEPS, {"X": "0x4;0x4;0x4"}, "Eight steps"),
    (contents.STEPS, {"query_turn": "90"}, "Geometry"),
]


@pytest.mark.parametrize(("page", "former", "present"), RENAMED, ids=[former for _, former, _ in RENAMED])
def test_a_link_to_a_section_by_a_former_name_opens_it(visit, page, former, present):
    app = visit(page.folder, show=former)
    choice = app.segmented_control(key="show")
    assert former not in choice.options
    assert choice.value == present
    assert app.query_params.get("show") != [former]
    again = visit(page.folder, show=present)
    assert [element.value for element in app.subheader] == [element.value for element in again.subheader]
    app.segmented_control(key="show").set_value(choice.options[0]).run()  # and the old name does not come back
    assert app.segmented_control(key="show").value == choice.options[0]


@pytest.mark.parametrize(("page", "query", "section"), OLDER_LINKS, ids=[section for *_, section in OLDER_LINKS])
def test_a_link_from_before_a_page_had_sections_opens_the_one_it_led_to(visit, page, query, section):
    assert visit(page.folder, **query).segmented_control(key="show").value == section


def test_a_link_to_maps_with_heads_silenced_opens_those_with_heads_ablated(visit):
    app = visit("explore/text", silenced="2.1", maps="heads silenced")
    assert app.segmented_control(key="maps").value == "heads ablated"


def test_no_name_that_a_section_ever_had_is_lost():
    """section_names.json lists every name since pages have sections; a new section, or a new name, is added there."""
    ever = json.loads((Path(__file__).parent / "section_names.json").read_text(encoding="utf-8"))
    present = {page.url: names for page in contents.pages() if (names := sections_of(page))}
    assert present.keys() == ever.keys()
    for url, names in present.items():
        former = former_section_names(contents.page_at(url))
        assert names | former.keys() == set(ever[url]), url
        assert set(former.values()) <= names, url
