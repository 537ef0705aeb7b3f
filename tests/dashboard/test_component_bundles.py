from pathlib import Path

import pytest

from core.view.codec import whole_number
from core.view.scripts import BROWSER, bundle
from dashboard import components
from dashboard.components.kit import place_of

KIT = BROWSER / "kit"
FOLDERS = (BROWSER, Path(components.__file__).parent)
VIEWS = {file.parent.name: file.parent for folder in FOLDERS for file in sorted(folder.glob("*/view.js"))}
MARKUP = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")
XML = ("http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML")


def test_each_file_stands_before_those_that_need_it_and_only_once(tmp_path):
    (tmp_path / "main.js").write_text(
        'import { b } from "./b.js";\nimport {\n  a,\n} from "./a.js";\nexport default () => a + b;\n'
    )
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\n/** Two. */\nexport const b = a + 1;\n')
    (tmp_path / "a.js").write_text("export const a = 1;\n")
    assert bundle(tmp_path, "main.js") == "const a = 1;\n\nconst b = a + 1;\n\nexport default () => a + b;\n"


def test_a_name_declared_in_two_files_is_an_error_that_says_which(tmp_path):
    (tmp_path / "view.js").write_text('import { a } from "./other.js";\nconst size = 1;\n')
    (tmp_path / "other.js").write_text("function size() {}\nexport const a = 1;\n")
    with pytest.raises(ValueError, match="declared twice: size"):
        bundle(tmp_path)


def test_a_component_cannot_import_what_is_not_a_file_here(tmp_path):
    (tmp_path / "view.js").write_text('import { d3 } from "https://example.org/d3.js";\n')
    with pytest.raises(ValueError, match="nothing is fetched"):
        bundle(tmp_path)


@pytest.mark.parametrize("name", VIEWS)
def test_every_script_of_a_component_is_part_of_it(name):
    joined = bundle(VIEWS[name])
    assert joined.count("export default") == 1
    for script in VIEWS[name].glob("*.js"):
        last_line = script.read_text(encoding="utf-8").rstrip().splitlines()[-2]
        assert last_line in joined, script.name


def test_every_script_of_the_kit_is_part_of_some_component():
    joined = "".join(map(bundle, VIEWS.values()))
    for script in KIT.glob("*.js"):
        assert script.read_text(encoding="utf-8").rstrip().splitlines()[-2] in joined, script.name


@pytest.mark.parametrize("name", VIEWS)
def test_a_component_needs_nothing_from_outside_and_writes_no_markup(name):
    joined = bundle(VIEWS[name])
    for address in XML:
        joined = joined.replace(address, "")
    for forbidden in ("import ", "http://", "https://", *MARKUP):
        assert forbidden not in joined, forbidden


def test_a_place_in_a_browsers_message_is_whole_numbers_below_their_counts_or_nothing():
    assert place_of({"row": 1, "column": 4, "have": ""}, row=2, column=5) == (1, 4)
    broken = (None, "x", {}, {"row": 2, "column": 0}, {"row": 0, "column": -1}, {"row": 0.0, "column": 1})
    for message in (*broken, {"row": True, "column": 1}, {"row": "0", "column": "1"}):
        assert place_of(message, row=2, column=5) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        (7, 7),
        ("-1", None),
        ("1e3", None),
        (None, None),
        ("9" * 10, None),
        ("00019", 19),
        ("²", None),
        ("٣", None),
    ],
)
def test_a_number_in_an_address_is_whole_and_not_enormous(text, number):
    assert whole_number(text) == number
