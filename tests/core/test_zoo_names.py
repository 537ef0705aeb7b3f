"""Who may open which model: a rule about names alone, decided before a disk, a cache or the hub is looked at."""

import socket
from contextlib import suppress

import huggingface_hub
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ModelError
from core.hub.permissions import read_repository
from core.zoo import AT_HOME, IMAGE, TEXT, Permission, fetch, inspect, load_image, load_named_translator, load_text
from core.zoo.names import find_source
from tests.core import saved_models

LISTED = Permission(listed=frozenset({"owner/listed", "vit_tiny_patch16_224", "timm/vit_base_patch16_224.mae"}))
NAMES = Permission(listed=None)  # any of the hub, no folder
ACTS = (inspect, fetch, load_text, load_image, load_named_translator)


@pytest.fixture
def nothing_is_looked_at(monkeypatch):
    """Whoever looks at the disk, at the cache of the hub or at the network fails."""

    def touch(*_, **__):
        raise AssertionError("Something was looked at.")

    for name in ("os.path.isdir", "os.path.isfile", "os.path.exists", "pathlib.Path.is_dir", "pathlib.Path.is_file"):
        monkeypatch.setattr(name, touch)
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", touch)
    monkeypatch.setattr(socket.socket, "connect", touch)


@pytest.mark.usefixtures("nothing_is_looked_at")
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize(
    "name", ["/etc", "../secret", "./here", "~/models", "~root", "local-dir:/etc", "C:\\models", "\\\\server"]
)
def test_folders_are_closed_unless_they_are_allowed(name, act):
    for permission in (Permission(), LISTED, NAMES):
        with pytest.raises(ModelError, match="an app that you run yourself"):
            act(name, permission=permission)


@pytest.mark.usefixtures("nothing_is_looked_at")
@pytest.mark.parametrize("act", ACTS)
def test_a_name_outside_the_list_is_refused_before_a_cache_or_the_hub_is_asked(act):
    for name in ("owner/private", "gpt2", "core", "https://huggingface.co/owner/private"):
        with pytest.raises(ModelError, match=r"is not on the list of this server\. Open one of (gpt-books|hybrid-vit)"):
            act(name, permission=LISTED)


@pytest.mark.parametrize(("purpose", "ours", "others"), [("text", TEXT, IMAGE), ("image", IMAGE, TEXT)])
@pytest.mark.parametrize("name", ["owner/private", "/somewhere"])
def test_a_refusal_names_those_of_ours_that_read_the_same(purpose, ours, others, name):
    with pytest.raises(ModelError) as refused:
        find_source(name, purpose, LISTED)
    message = str(refused.value)
    assert all(model_name in message for model_name in ours)
    assert not any(model_name in message for model_name in others)


def test_a_model_in_the_cache_of_the_host_is_refused_in_the_same_words_as_one_that_is_nowhere(tmp_path, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    commit = tmp_path / "models--owner--private" / "snapshots" / ("a" * 40)
    saved_models.save_text_model("gpt2", commit)
    (commit.parents[1] / "refs").mkdir()
    (commit.parents[1] / "refs" / "main").write_text("a" * 40)
    assert load_text("owner/private").parameters  # its owner opens it
    messages = []
    for name in ("owner/private", "owner/nowhere"):
        for act in (inspect, fetch, load_text):
            with pytest.raises(ModelError) as caught:
                act(name, permission=LISTED)
            messages.append(str(caught.value).replace(name, "NAME"))
    assert len(set(messages)) == 1
    allowed = Permission(listed=frozenset({"owner/private"}))
    assert load_text("owner/private", permission=allowed).parameters  # the host has put it on the list


def test_what_is_not_said_is_not_allowed():
    assert Permission() == Permission(folders=False, login=False, listed=frozenset())


@pytest.mark.parametrize("name", [*TEXT, *IMAGE])
def test_the_models_that_come_along_are_open_to_everybody(name):
    assert find_source(name, "text", Permission()).kind == "embedded"


@pytest.mark.parametrize(
    ("name", "repository"),
    [
        ("owner/listed", "owner/listed"),
        (" https://huggingface.co/owner/listed ", "owner/listed"),
        ("vit_tiny_patch16_224", "timm/vit_tiny_patch16_224.augreg_in21k_ft_in1k"),
        ("timm/vit_tiny_patch16_224.augreg_in21k_ft_in1k", "timm/vit_tiny_patch16_224.augreg_in21k_ft_in1k"),
        ("vit_tiny_patch16_224.augreg_in21k_ft_in1k", "timm/vit_tiny_patch16_224.augreg_in21k_ft_in1k"),
        ("vit_base_patch16_224.mae", "timm/vit_base_patch16_224.mae"),
    ],
)
def test_a_listed_name_opens_in_each_of_its_forms(name, repository):
    assert find_source(name, "image", LISTED).location == repository


@pytest.mark.parametrize("name", ["vit_small_patch16_224", "test_vit4", "vit_tiny_patch16_224.no_such_tag"])
def test_other_names_of_timm_are_not_listed_by_that(name):
    with pytest.raises(ModelError, match="is not on the list"):
        find_source(name, "image", LISTED)


ABSURD = [
    *("~nosuchuser/x", "~nosuchuser", "x" * 5000, "/" + "x" * 5000, "~" + "x" * 5000, "/" * 5000, "a/" * 2500),
    *("gpt2\0", "/etc\0/x", "~\0", "a\nb", "/a\nb", "\r\n/", "C:\\models", "C:/models", "\\\\server\\share", "c:"),
    *(
        "/猫/é",
        "\u202e/gnp",
        "/\ud800",
        "~\ud800",
        "local-dir:",
        "local-dir:\0",
        "local-dir:~nosuchuser",
        ".",
        "..",
        "~",
    ),
]


@pytest.mark.parametrize("purpose", ["text", "image"])
@pytest.mark.parametrize("permission", [AT_HOME, NAMES, LISTED, Permission()])
def test_an_absurd_name_is_a_source_or_one_short_sentence(permission, purpose):
    for name in ABSURD:
        refusal = sentence(name, purpose, permission)
        assert len(refusal) < 400, name[:40]
        assert len(refusal.splitlines()) <= 1, name[:40]


def sentence(name, purpose, permission) -> str:
    """Why it is refused; empty where it is not."""
    try:
        find_source(name, purpose, permission)
    except ModelError as error:
        return str(error)
    return ""


likely = st.sampled_from(
    ["~", "/", "\\", "..", "local-dir:", "hf-hub:", "C:", "\0", "\n", "gpt2", "vit_", ".", "-", "é"]
)
names = st.lists(likely | st.text(max_size=30), max_size=8).map("".join)


@pytest.mark.parametrize("permission", [AT_HOME, LISTED, Permission()])
@given(name=names, purpose=st.sampled_from(["text", "image"]))
def test_any_name_is_found_or_refused_in_a_sentence(permission, name, purpose):
    with suppress(ModelError):  # and nothing else
        source = find_source(name, purpose, permission)
        assert permission.folders or source.kind != "folder"
        assert permission.listed is None or source.kind == "embedded" or read_repository(name) in permission.listed
