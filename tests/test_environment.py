"""Which torch `bin/environment` installs: played indexes offer small packages of its name, with and without CUDA."""

import os
import shutil
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TORCH = "KIND = {kind!r}\n"
VISION = "import torch\nif torch.KIND != {kind!r}:\n    raise ImportError('of another kind')\n"


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """An address with three indexes: PyPI's, PyTorch's, and one of PyTorch's that lacks torchvision."""
    folder = tmp_path_factory.mktemp("indexes")
    for index, local, packages in (
        ("pypi", "", ("torch", "torchvision")),
        ("cpu", "+cpu", ("torch", "torchvision")),
        ("half", "+cpu", ("torch",)),
    ):
        for package in packages:
            source = (TORCH if package == "torch" else VISION).format(kind=local)
            write_wheel(folder / index / package, package, f"2.15.0{local}", source)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with nothing but the script, requirements and an environment."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "bin").mkdir()
    shutil.copy(ROOT / "bin" / "environment", folder / "bin")
    (folder / "requirements.txt").write_text("torch==2.15.0\ntorchvision==2.15.0\n")
    subprocess.run([sys.executable, "-m", "venv", ".venv"], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"ATLAS_TORCH": "cpu", "index": "cpu"}, "+cpu"),
        ({"ATLAS_TORCH": "cuda", "index": "cpu"}, ""),
        ({"ATLAS_TORCH": "cpu", "index": "missing"}, ""),  # it answers that there is none
        ({"ATLAS_TORCH": "cpu", "index": "half"}, ""),  # a torch and a torchvision that do not fit
    ],
    ids=["without CUDA", "with CUDA", "no index", "two kinds"],
)
def test_torch_comes_from_the_index_that_was_chosen_and_fits_its_torchvision(project, address, settings, kind):
    ran = install(project, address, settings | {"ATLAS_TORCH_INDEX": f"{address}/{settings['index']}"})
    assert ran.returncode == 0, ran.stderr
    python = project / ".venv" / "bin" / "python"
    imported = [python, "-c", "import torch, torchvision; print(torch.KIND)"]
    assert subprocess.run(imported, capture_output=True, text=True, check=True).stdout.strip() == kind
    subprocess.run([python, "-m", "pip", "uninstall", "-qy", "torch", "torchvision"], check=True)


def test_another_word_for_the_kind_is_refused(project, address):
    ran = install(project, address, {"ATLAS_TORCH": "gpu"})
    assert ran.returncode != 0
    assert "'gpu'" in ran.stderr


def install(project: Path, address: str, settings: dict[str, str]) -> subprocess.CompletedProcess:
    pip = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    pip |= {"PIP_INDEX_URL": f"{address}/pypi", "PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1"}
    command = [project / "bin" / "environment", "requirements.txt"]
    return subprocess.run(command, env=pip | settings, capture_output=True, text=True, timeout=120, check=False)


def write_wheel(folder: Path, name: str, version: str, source: str) -> None:
    """A package of one module as a wheel in a folder of an index."""
    folder.mkdir(parents=True)
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": source,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for file, content in (files | {f"{info}/RECORD": record}).items():
            wheel.writestr(file, content)
