from pathlib import Path

import pytest

import dashboard.components.attention_view as attention_view
from dashboard.components.bundle import bundle

FOLDER = Path(attention_view.__file__).parent


def test_each_file_stands_before_those_that_need_it_and_only_once(tmp_path):
    (tmp_path / "main.js").write_text(
        'import { b } from "./b.js";\nimport {\n  a,\n} from "./a.js";\nexport default () => a + b;\n'
    )
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\n/** Two. */\nexport const b = a + 1;\n')
    (tmp_path / "a.js").write_text("export const a = 1;\n")
    assert bundle(tmp_path, "main.js") == "const a = 1;\n\nconst b = a + 1;\n\nexport default () => a + b;\n"


def test_a_name_declared_in_two_files_is_an_error_that_says_which(tmp_path):
    (tmp_path / "main.js").write_text('import { a } from "./a.js";\nconst same = 1;\n')
    (tmp_path / "a.js").write_text("function same() {}\nexport const a = 1;\n")
    with pytest.raises(ValueError, match="declared twice: same"):
        bundle(tmp_path, "main.js")


def test_every_script_is_part_of_the_view():
    joined = bundle(FOLDER, "main.js")
    for script in FOLDER.glob("*.js"):
        last_line = script.read_text(encoding="utf-8").rstrip().splitlines()[-2]
        assert last_line in joined, script.name


def test_the_module_needs_nothing_from_outside_and_writes_no_markup():
    joined = bundle(FOLDER, "main.js")
    for forbidden in ("import ", "innerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://", "https://"):
        assert forbidden not in joined.replace("http://www.w3.org/2000/svg", ""), forbidden
