"""The hub, played by a small server on this computer and asked by the hub's own client; and no hub at all."""

import json
import os
import re
import threading
from collections import namedtuple

import huggingface_hub
import pytest

from benchmarks.hostile import hub as hostile
from benchmarks.hostile.played_hub import Hub
from core.errors import ModelError, OfflineError
from core.hub import deadlines, disk, folders
from core.hub.deadlines import NoAnswerError, wait_for
from core.zoo import IMAGE, TEXT, Permission, fetch, inspect, load_image, load_text
from tests.core import saved_models
from tests.polling import wait_until


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    made = {
        "owner/gpt2": saved_models.save_text_model("gpt2", root / "gpt2"),
        "timm/vit_tiny_patch16_224.augreg_in21k_ft_in1k": saved_models.save_timm_model("vit", root / "vit"),
        "timm/resnet10t.c3_in1k": saved_models.save_timm_model("resnet", root / "resnet"),
    }
    return {name: {file.name: file.read_bytes() for file in folder.iterdir()} for name, folder in made.items()}


@pytest.fixture
def hub(files, tmp_path, monkeypatch):
    with Hub().open() as server:
        server.repositories = {name: dict(content) for name, content in files.items()}
        go_online(monkeypatch, tmp_path, server.address)
        yield server


def go_online(monkeypatch, tmp_path, address):
    monkeypatch.setenv("HF_ENDPOINT", address)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)


def test_an_offer_names_the_cost_and_only_the_configuration_is_fetched(hub):
    offer = inspect("owner/gpt2")
    sizes = {file: len(content) for file, content in hub.repositories["owner/gpt2"].items()}
    assert offer.download == sum(sizes.values())
    assert offer.licence == "mit"
    assert offer.what == "GPT2LMHeadModel: next token"
    assert set(hub.sent) == {"config.json"}


def test_a_model_is_fetched_once_with_progress_and_then_works_without_the_hub(hub, monkeypatch):
    hub.repositories["owner/gpt2"] |= {"pytorch_model.bin": b"pickle", "onnx/model.onnx": b"x", "README.md": b"#"}
    reports = []
    folder = fetch("owner/gpt2", progress=lambda done, total: reports.append((done, total)))
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= {file.name for file in folder.iterdir()}
    assert not {"pytorch_model.bin", "README.md", "onnx"} & {file.name for file in folder.iterdir()}
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    assert reports[-1][0] == reports[-1][1] == sum((folder / file).stat().st_size for file in hub.sent)

    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    hub.sent.clear()
    assert inspect("owner/gpt2").download == 0
    model = load_text("owner/gpt2")
    assert model.title == "gpt2"
    assert model.run(model.encode("Who listens?")).logits.shape[0] > 1
    assert hub.sent == []


@pytest.mark.usefixtures("hub")
def test_a_model_of_timm_is_fetched_by_its_short_name():
    model = load_image("vit_tiny_patch16_224.augreg_in21k_ft_in1k")
    assert (model.patch, model.prefix) == ((16, 16), ("class",))


def test_a_download_can_be_given_up_and_leaves_no_part_of_a_file_behind(hub, tmp_path):
    hub.manners["model.safetensors"] = hostile.drip

    def give_up(done, _total):
        if done:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        fetch("owner/gpt2", progress=give_up)
    hub.closed.set()  # the next byte, at which the thread notices that nobody waits any more
    wait_until(lambda: not list(tmp_path.rglob("*.incomplete")))
    assert inspect("owner/gpt2").download > 0
    hub.manners.clear()
    hub.sent.clear()
    assert fetch("owner/gpt2")
    assert "model.safetensors" in hub.sent
    assert "config.json" not in hub.sent


def test_parts_that_a_killed_server_has_left_are_removed_before_the_next_download(hub, tmp_path):
    blobs = tmp_path / "cache" / "models--owner--gpt2" / "blobs"
    blobs.mkdir(parents=True)
    old, new = blobs / "a.0123abcd.incomplete", blobs / "b.0123abcd.incomplete"
    for part in (old, new):
        part.write_bytes(b"part")
    os.utime(old, (0, 0))
    fetch("owner/gpt2")
    assert not old.exists()
    assert new.exists()  # somebody may be writing it
    assert hub.sent


@pytest.mark.parametrize("case", list(hostile.cases()), ids=lambda case: f"{case.kind}: {case.name}"[:90])
def test_whatever_a_hub_does_there_is_a_result_or_a_sentence_in_time(case):
    outcome = hostile.try_one(case)
    assert outcome == "result" or outcome.endswith(".")
    if "byte at a time" in case.kind or "never" in case.kind:
        assert "The hub has" in outcome


def test_one_who_asks_too_many_things_at_once_is_told_so(monkeypatch):
    monkeypatch.setattr(deadlines, "_threads", threading.BoundedSemaphore(1))
    done = threading.Event()
    try:
        with pytest.raises(NoAnswerError, match="has not answered within 0 seconds"):
            wait_for(lambda: done.wait(60), seconds=0.01)
        with pytest.raises(NoAnswerError, match="is asked for 8 other things"):
            wait_for(lambda: None, seconds=0.01)
    finally:
        done.set()
    wait_until(lambda: answers(lambda: 7))


def answers(work) -> bool:
    try:
        return wait_for(work, seconds=20.0) == 7
    except NoAnswerError:
        return False


def test_what_is_raised_in_the_thread_or_by_whoever_waits_is_raised_again():
    def fail():
        raise KeyError("in the thread")

    with pytest.raises(KeyError, match="in the thread"):
        wait_for(fail, seconds=20.0)

    def leave(_done, _total):
        raise InterruptedError

    done = threading.Event()
    with pytest.raises(InterruptedError):
        wait_for(lambda: done.wait(60), seconds=60.0, progress=leave)
    done.set()


def test_a_download_that_the_disk_cannot_hold_is_refused_with_the_numbers(hub, monkeypatch):
    usage = namedtuple("usage", "free")
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda _: usage(disk.RESERVE + 100))
    for act in (inspect, fetch, load_text):
        with pytest.raises(ModelError, match=r"2\.0 GB are free on the disk here, of which 2 GB stay free"):
            act("owner/gpt2")
    assert "model.safetensors" not in hub.sent


def test_a_download_larger_than_a_server_allows_is_refused_with_both_numbers(hub):
    small = Permission(listed=frozenset({"owner/gpt2"}), largest=1000)
    for act in (inspect, fetch, load_text):
        with pytest.raises(ModelError, match=r"this server fetches at most 0\.0 GB"):
            act("owner/gpt2", permission=small)
    assert "model.safetensors" not in hub.sent


def test_the_login_stays_with_the_hub_when_a_file_lies_elsewhere(hub, files, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with Hub().open() as other:
        other.repositories = {"owner/gpt2": files["owner/gpt2"]}
        size = str(len(files["owner/gpt2"]["model.safetensors"]))

        def send_elsewhere(answer):
            answer.begin(302, 0, Location=other.address + answer.path, X_Linked_Size=size, X_Linked_ETag='"e"')

        hub.manners["model.safetensors"] = send_elsewhere
        fetch("owner/gpt2")
        assert "model.safetensors" in other.sent
        assert "Bearer hf_secret" in hub.tokens
        assert set(other.tokens) == {None}


@pytest.mark.usefixtures("hub")
def test_a_model_that_is_not_there_is_a_sentence():
    for act in (inspect, fetch, load_text, load_image):
        with pytest.raises(ModelError, match="no model 'owner/nothing' on the hub, or it is private"):
            act("owner/nothing")


@pytest.mark.parametrize(
    ("status", "code", "sentence"),
    [
        (403, "GatedRepo", "is gated: its owner wants to know"),
        (401, "GatedRepo", "is gated: its owner wants to know"),
        (403, "", "error 403"),
        (500, "", "error 500"),
        (503, "", "error 503"),
    ],
)
def test_what_the_hub_refuses_is_a_sentence(hub, status, code, sentence):
    hub.refuse["owner/gpt2"] = (status, code)
    with pytest.raises(ModelError, match=sentence):
        inspect("owner/gpt2")


def test_weights_in_pickle_are_refused_before_anything_is_fetched(hub):
    content = hub.repositories["owner/gpt2"]
    content["pytorch_model.bin"] = content.pop("model.safetensors")
    for act in (inspect, fetch, load_text):
        with pytest.raises(ModelError, match=r"keeps its weights in pytorch_model\.bin"):
            act("owner/gpt2")
    assert hub.sent == []


def pickled(hub, author, title="Adding `safetensors` variant of this model"):
    """As many older models are: pickle in the repository, safetensors in a pull request."""
    content = hub.repositories["owner/gpt2"]
    request = {"num": 2, "author": author, "title": title, "files": dict(content)}
    hub.requests["owner/gpt2"] = [request]
    content["pytorch_model.bin"] = content.pop("model.safetensors")


def test_safetensors_that_the_converter_of_the_hub_has_offered_are_found_and_fetched(hub, monkeypatch):
    pickled(hub, "SFconvertbot")
    offer = inspect("owner/gpt2")
    assert offer.download > 0
    assert offer.what.endswith("weights from SFconvertbot's refs/pr/2")
    folder = fetch("owner/gpt2")
    assert (folder / "model.safetensors").exists()
    assert "pytorch_model.bin" not in hub.sent
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert inspect("owner/gpt2").download == 0
    assert load_text("owner/gpt2").parameters


@pytest.mark.parametrize(("author", "title"), [("somebody", "Adding `safetensors` variant"), ("SFconvertbot", "Hello")])
def test_pull_requests_of_others_are_never_opened(hub, author, title):
    pickled(hub, author, title)
    for act in (inspect, fetch, load_text):
        with pytest.raises(ModelError, match=r"keeps its weights in pytorch_model\.bin"):
            act("owner/gpt2")
    assert hub.sent == []


def test_a_repository_without_a_configuration_is_a_sentence(hub):
    del hub.repositories["owner/gpt2"]["config.json"]
    for act in (inspect, fetch, load_text):
        with pytest.raises(ModelError, match=r"has no config\.json"):
            act("owner/gpt2")
    assert hub.sent == []


def test_code_is_refused_before_the_weights_are_fetched(hub):
    config = json.loads(hub.repositories["owner/gpt2"]["config.json"])
    hub.repositories["owner/gpt2"]["config.json"] = json.dumps(config | {"auto_map": {"AutoModel": "x.Y"}}).encode()
    for act in (inspect, load_text):
        with pytest.raises(ModelError, match="such code is never run here"):
            act("owner/gpt2")
    assert set(hub.sent) == {"config.json"}


def test_a_network_without_attention_is_refused_before_the_weights_are_fetched(hub):
    with pytest.raises(ModelError, match=r"\(resnet10t\) is not a transformer"):
        inspect("resnet10t.c3_in1k", "image")
    assert set(hub.sent) == {"config.json"}


def test_a_model_larger_than_memory_is_refused_before_the_weights_are_fetched(hub, monkeypatch):
    monkeypatch.setattr(folders, "free_memory", lambda: 10_000)
    with pytest.raises(ModelError, match="Choose a smaller one"):
        inspect("owner/gpt2")
    assert set(hub.sent) == {"config.json"}


def test_a_shard_for_shard_model_is_fetched_whole(hub):
    content = hub.repositories["owner/gpt2"]
    content["model-00001-of-00001.safetensors"] = content.pop("model.safetensors")
    index = {"metadata": {}, "weight_map": {"transformer.wte.weight": "model-00001-of-00001.safetensors"}}
    content["model.safetensors.index.json"] = json.dumps(index).encode()
    assert (fetch("owner/gpt2") / "model.safetensors.index.json").exists()
    assert inspect("owner/gpt2").download == 0


@pytest.mark.parametrize("offline", [True, False])
def test_without_a_network_the_sentence_says_what_works(tmp_path, monkeypatch, offline):
    go_online(monkeypatch, tmp_path, "http://127.0.0.1:9")  # a port at which nobody listens
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", offline)
    for act in (inspect, fetch, load_text, load_image):
        with pytest.raises(OfflineError, match="cannot be reached from here") as error:
            act("owner/model")
        named = set(re.findall(r"[\w-]+", str(error.value)))
        ours, others = (IMAGE, TEXT) if act is load_image else (TEXT, IMAGE)
        assert named.issuperset(ours)
        assert named.isdisjoint(others)


@pytest.mark.usefixtures("hub")
def test_the_login_of_this_computer_is_used_only_when_it_is_allowed(monkeypatch):
    login_tokens = []
    original = huggingface_hub.HfApi.__init__

    def watch(self, *arguments, **options):
        login_tokens.append(options["token"])
        original(self, *arguments, **options)

    monkeypatch.setattr(huggingface_hub.HfApi, "__init__", watch)
    inspect("owner/gpt2", permission=Permission(listed=None))
    inspect("owner/gpt2")
    assert login_tokens == [False, None]
