"""README.md and docs/: what they link to is there, what they name exists, and no figure is copied by hand."""

import json
import math
import re
from pathlib import Path

import pytest
import torch

from dashboard import contents
from docs import results
from docs.result_rows import BITS, SHARE, WEIGHTS, Baseline, Result, compare, share
from training.__main__ import chosen, steps_of_models

ROOT = Path(__file__).parents[1]
README, CONTRIBUTING = ROOT / "README.md", ROOT / "CONTRIBUTING.md"
TEXTS = [README, CONTRIBUTING, *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("text", TEXTS, ids=lambda file: file.name)
def test_every_link_and_picture_is_there(text):
    for _, target in LINK.findall(prose(text)):
        # Those without a file's name are addresses of pages of the app, in examples.
        if re.match(r"https?://|mailto:", target) or "?" in target:
            continue
        name, _, heading = target.partition("#")
        file = text.parent / name if name else text
        assert file.exists(), f"{text.name} links to {target}."
        assert not heading or heading in anchors(file), f"{text.name} links to {target}."


def test_the_readme_has_one_picture_and_fits_into_8_kilobytes():
    assert README.stat().st_size <= 8192
    assert [picture for picture, _ in LINK.findall(README.read_text())].count("!") == 1


@pytest.mark.parametrize("text", [README, CONTRIBUTING], ids=lambda file: file.name)
def test_every_command_of_make_that_is_named_is_one(text):
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([\w% -]+?):(?!=)", makefile, re.MULTILINE))
    known = {name for line in targets for name in line.split()}
    named = set(re.findall(r"(?:^ {4}|`(?:\w+=\S+ )?)make ([a-z-]+)(?![a-z<-])", text.read_text(), re.MULTILINE))
    assert named
    assert {name for name in named if name not in known and not trains(name)} == set()


def test_what_a_change_has_to_pass_is_what_the_readme_names():
    commands = re.findall(r"^make .+$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    assert commands == ["make check", "make test-all", "make test-cluster"]
    assert all(f"`{command}`" in README.read_text() for command in commands)


def test_the_tree_of_the_readme_is_that_of_the_project():
    tree = README.read_text().partition("## The tree")[2].partition("##")[0]
    lines = re.findall(r"^ {4}(\S+) {2,}\S", tree, re.MULTILINE)
    assert 9 <= len(lines) <= 15
    for name in lines:
        assert (ROOT / name.partition("<")[0]).exists(), name


def test_every_package_of_the_library_and_of_the_dashboard_has_a_line():
    packages = (ROOT / "docs" / "library.md").read_text().partition("## Packages")[2].partition("\n## ")[0]
    named = re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]+)\|", packages, re.MULTILINE)))
    assert sorted(named) == sorted(
        folder.name for folder in (ROOT / "core").iterdir() if (folder / "__init__.py").exists()
    )
    kit = (ROOT / "docs" / "adding-a-page.md").read_text().partition("is the kit")[2].partition("\n## ")[0]
    named = re.findall(r"(\w+)/(?= )", "".join(re.findall(r"^ {4}((?:\w+/ )+)", kit, re.MULTILINE)))
    folders = [folder.name for folder in (ROOT / "dashboard").iterdir() if folder.is_dir() and "__" not in folder.name]
    assert sorted(named) == sorted(folders)


@pytest.mark.parametrize("text", TEXTS, ids=lambda file: file.name)
def test_every_file_and_module_that_is_named_is_there(text):
    for name in re.findall(r"`([\w.]+(?:/[\w.-]+)+/?)`", text.read_text()):
        assert (ROOT / name).exists(), f"{text.name} names {name}."
    for name in re.findall(r"`((?:core|dashboard|training|benchmarks|docs)(?:\.\w+)+)`", text.read_text()):
        parts = name.split(".")
        module = [ROOT.joinpath(*parts[:count]) for count in (len(parts), len(parts) - 1)]
        assert any(path.is_dir() or path.with_suffix(".py").exists() for path in module), f"{text.name} names {name}."


def test_the_lines_of_the_readme_run():
    notebook = README.read_text().partition("## In a notebook")[2].partition("\n## ")[0]
    lines = "\n".join(re.findall(r"^ {4}(.+)$", notebook, re.MULTILINE))
    names = {"model": torch.nn.TransformerEncoderLayer(64, 4, batch_first=True), "inputs": torch.randn(1, 10, 64)}
    exec(lines.replace("attention_atlas", "core"), names)
    weights = names["record"].calls[0].weights(head=2)
    assert weights.shape == (10, 10)
    assert torch.allclose(weights.sum(-1), torch.ones(10))


def test_every_page_has_a_line_and_a_picture():
    text = (ROOT / "docs" / "pages.md").read_text()
    for page in contents.pages():
        (line,) = re.findall(
            rf"^\[{re.escape(page.name)}\]\(\.\./pages/{page.folder}\): .+\n\n!\[.*\]\(\S+\.png\)$", text, re.MULTILINE
        )
        assert line


def test_results_are_those_of_the_models():
    assert results.FILE.read_text(encoding="utf-8") == results.page(), "make results"


def test_every_model_has_a_result():
    folders = {result.folder for section in results.sections().values() for result in section}
    assert {card.parent.name for card in WEIGHTS.glob("*/CARD.md")} <= folders


def test_a_classifier_below_tf_idf_says_so():
    models = json.loads((WEIGHTS / "sentiment" / "results.json").read_text())["english"]
    best = models["tfidf-svm"]["accuracy"]
    below = {name for name, scores in models.items() if scores["accuracy"] < best and "tfidf" not in name}
    rows = [results.row(result) for result in results.texts.sentiment()]
    rows_below = [row for row in rows if re.search(rf"machine {best:.1%}: \*\*below\*\*", row)]
    assert below
    assert len(rows_below) == len(below)
    assert all("English" in row for row in rows_below)


@pytest.mark.parametrize(
    ("unit", "value", "baseline", "sentence"),
    [
        (SHARE, 0.52, 0.5, "better by 2.0 points"),
        (SHARE, 0.48, 0.5, "**below** by 2.0 points"),
        (SHARE, 0.5001, 0.5, "the same"),
        (BITS, 1.5, 1.75, "better by 0.25 bits"),
        (BITS, 1.75, 1.5, "**worse** by 0.25 bits"),
    ],
)
def test_a_comparison_has_a_sign_and_a_size(unit, value, baseline, sentence):
    assert compare(Result("", "", "", value, unit), Baseline("", baseline)) == sentence


def test_a_difference_within_its_standard_error_is_none():
    # Of 100 questions the error of a share of a half is 5 points, of the difference of two 7.1.
    level = share("", "", "", 0.56, 100, [("", 0.5)])
    assert math.isclose(level.error, 0.04964, abs_tol=1e-5)
    assert compare(level, level.baselines[0]) == "no clear difference"
    assert compare(share("", "", "", 0.58, 100, [("", 0.5)]), level.baselines[0]) == "better by 8.0 points"
    # On the same questions the difference can be surer than each of the two.
    assert compare(level, Baseline("", 0.5, gap_error=0.02)) == "better by 6.0 points"


def trains(command: str) -> bool:
    """Whether a command such as train-mae or train-mae-report runs a script."""
    parts = re.fullmatch(r"train-(.+?)(-report)?", command)
    if parts is None:
        return False
    try:
        chosen(steps_of_models(), [parts[1], *(["report"] if parts[2] else [])])
    except SystemExit:
        return False
    return True


def prose(file: Path) -> str:
    """A page without its examples, whose links are none."""
    return "\n".join(line for line in file.read_text().splitlines() if not line.startswith("    "))


def anchors(file: Path) -> set[str]:
    """What links to headings of a page may end with."""
    heads = re.findall(r"^#+ (.+)$", file.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
