"""What `pip install` gives: the wheel of this clone, beside torch, numpy and jaxtyping alone, and with the app."""

import ast
import contextlib
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.core import saved_models
from tests.dashboard.test_serving import OPENED, served
from tests.dashboard.test_visitor import ask, free_port
from tests.polling import wait_until_served

ROOT = Path(__file__).parent.parent
LIBRARY, APP = ["core"], ["dashboard", "pages", "lessons", ".streamlit", "streamlit_app.py", "weights/gpt-books"]
BESIDE = ["pyproject.toml", "setup.py", "README.md", "LICENSE"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ALONE = {"torch", "numpy", "jaxtyping"}
EXTRAS = [
    "PIL",
    "msgspec",
    "pandas",
    "safetensors",
    "scipy",
    "streamlit",
    "timm",
    "tokenizers",
    "torchvision",
    "transformers",
]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
EXAMPLES = [
    textwrap.dedent(block).strip() + "\n"
    for page in ("README.md", "docs/library.md")
    for block in re.findall(r"(?:^(?: {4}.*)?\n)+", (ROOT / page).read_text(), re.MULTILINE)
    if "attention_atlas" in block and "import" in block
]
# What the reader of README.md has, who has a model.
MODEL = """
from torch import nn, randn
model, inputs = nn.TransformerEncoderLayer(64, 4, batch_first=True), randn(1, 10, 64)
"""


def run(*command, **settings):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **settings)


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A clone whose folders hold what has been left there, as folders do; of the weights only one small model."""
    folder = tmp_path_factory.mktemp("clone")
    for name in (*LIBRARY, *APP):
        (folder / name).parent.mkdir(exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    (folder / "pages" / "__pycache__").mkdir(exist_ok=True)
    (folder / "pages" / "__pycache__" / "left.pyc").touch()
    (folder / "tests").mkdir()
    for name in BESIDE:
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(clone, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    built = run(*PIP, "wheel", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, clone)
    assert not built.returncode, built.stderr
    return next(folder.glob("attention_atlas-*.whl"))


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """The Python of an environment with the wheel and what torch, numpy and jaxtyping need: links to what is here."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    site = next(folder.glob("lib/python3*/site-packages"))
    for entry in {entry for package in closure(ALONE) for entry in entries(package)}:
        (site / entry.name).symlink_to(entry)
    python = folder / "bin" / "python"
    installed = run(*PIP, f"--python={python}", "install", "--no-index", "--no-deps", "--no-compile", wheel)
    assert not installed.returncode, installed.stderr
    return python


def closure(names):
    """The packages of these names and all that they need, as they are installed here."""
    packages, left = {}, [Requirement(name) for name in names]
    while left:
        need = left.pop()
        if (key := (need.name, *sorted(need.extras))) in packages:
            continue
        with contextlib.suppress(metadata.PackageNotFoundError):  # of another platform
            packages[key] = package = metadata.distribution(need.name)
            extras = need.extras | {""}
            for requirement in map(Requirement, package.requires or ()):
                if not requirement.marker or any(requirement.marker.evaluate({"extra": extra}) for extra in extras):
                    left.append(requirement)
    return packages.values()


def entries(package):
    """What a package has put right into site-packages."""
    names = {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}
    return {Path(package.locate_file(name)) for name in names if not name.endswith(".pth")}


def test_the_wheel_holds_the_library_and_the_app_and_nothing_else(wheel, clone):
    def files(name):
        paths = [clone / name] if (clone / name).is_file() else (clone / name).rglob("*")
        return {file.relative_to(clone) for file in paths if file.is_file() and "__pycache__" not in file.parts}

    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    library = {f"attention_atlas/{file.relative_to('core').as_posix()}" for name in LIBRARY for file in files(name)}
    app = {f"attention_atlas/app/{file.as_posix()}" for name in APP for file in files(name)}
    assert len(library) > 300
    assert len(app) > 400
    assert names == library | app


def test_it_needs_torch_numpy_and_jaxtyping_and_all_that_is_pinned_is_in_an_extra():
    extras = PROJECT["optional-dependencies"]
    assert {Requirement(line).name for line in PROJECT["dependencies"]} == ALONE
    assert extras["app"][0] == "attention-atlas[models]"
    bounds = [Requirement(line) for line in [*PROJECT["dependencies"], *extras["models"], *extras["app"][1:]]]
    assert {lowest(bound) for bound in bounds} == {lowest(pin) for pin in pins("requirements.txt")}
    assert extras["cluster"][0] == "attention-atlas[app]"
    more = {requirement.name: requirement for requirement in map(Requirement, extras["cluster"][1:])}
    for pin in pins("requirements-cluster.txt"):
        assert next(iter(pin.specifier)).version in more.pop(pin.name).specifier
    assert not more


def pins(file):
    """The requirements of a file, without those that it takes from another one."""
    lines = (ROOT / file).read_text().splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith(("#", "-r"))]


def lowest(need):
    """A package, and the version that it has at least, without what changes with every repair."""
    (at_least,) = need.specifier
    return canonicalize_name(need.name), ".".join(at_least.version.split(".")[:2]), str(need.marker).replace("'", '"')


@pytest.mark.parametrize(
    ("before", "example", "path"),
    [(MODEL, EXAMPLES[0], "self_attn"), ("", EXAMPLES[1], "layers.1.self_attn")],
    ids=["README.md", "docs/library.md"],
)
def test_the_first_lines_of_a_page_run_where_nothing_else_is_installed(python, tmp_path, before, example, path):
    assert example.startswith("from attention_atlas import ")
    more = f"""
print(tuple(record[{path!r}].weights(head=2).shape))
from importlib.util import find_spec
print([name for name in {EXTRAS} if find_spec(name)])
"""
    ran = run(python, "-I", "-c", before + example + more, cwd=tmp_path)
    assert not ran.returncode, ran.stderr
    assert ran.stdout == "(10, 10)\n[]\n"


def test_the_package_offers_what_capture_does():
    import core
    from core import capture

    assert set(core.__all__) == set(capture.__all__)
    assert all(getattr(core, name) is getattr(capture, name) for name in core.__all__)
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = core.nothing_of_the_kind


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.splitlines()[0])
def test_what_the_examples_import_is_there(example):
    lines = [ast.unparse(node) for node in ast.parse(example).body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert lines
    exec("\n".join(lines).replace("attention_atlas.app.", "").replace("attention_atlas", "core"), {})


def test_without_the_app_the_command_says_what_to_install(python, tmp_path):
    ran = run(python.with_name("attention-atlas"), cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "The app needs more than the library does: pip install 'attention-atlas[app]'.\n"


def test_the_command_serves_the_installed_app_on_a_folder(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    saved_models.save_text_model("gpt2", tmp_path / "a model")
    (tmp_path / "core.py").write_text("raise SystemExit('A module of the visitor in place of ours.')")
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "attention_atlas.app.dashboard.hosting.command",
        "--model",
        "a model",
        f"--port={port}",
    ]
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site")}
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_until_served(f"http://127.0.0.1:{port}/_stcore/health", server)
        page = ask(port, model=str(tmp_path / "a model"))
    finally:
        server.terminate()
        server.wait(timeout=20)
    log = (tmp_path / "log").read_text()
    assert f"http://localhost:{port}/text?model=" in log
    assert "Traceback" not in page
    assert "Who listens to whom?" in page
    assert "silence" in page.lower(), "The page has no heads: the model was not opened."


def test_the_installed_library_serves_a_model_in_memory(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    app = "attention_atlas.app.dashboard"
    assert served(sys.executable, "attention_atlas", app, tmp_path, tmp_path / "site") == OPENED
