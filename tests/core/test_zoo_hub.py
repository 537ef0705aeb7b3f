"""The hub, played by a small server on this computer and asked by the hub's own client; and no hub at all."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

import huggingface_hub
import pytest

from core.errors import ModelError
from core.zoo import fetch, folders, inspect, load_image, load_text
from tests.core import saved_models

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(ThreadingHTTPServer):
    """Repositories as {name: {file: bytes}}; `refuse` maps a name to (status, the hub's error code)."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.refuse: dict[str, tuple[int, str]] = {}
        self.sent: list[str] = []
        self.requests: dict[str, list[dict]] = {}  # pull requests: {name: [{"num", "author", "title", "files"}]}


class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        path = unquote(urlsplit(self.path).path)
        if path.startswith("/api/models/"):
            name, _, asked = path.removeprefix("/api/models/").partition("/revision/")
            if name.endswith("/discussions"):
                self.send_discussions(name.removesuffix("/discussions"))
            elif self.known(name):
                siblings = [{"rfilename": f, "size": len(c)} for f, c in self.files(name, asked).items()]
                self.send(json.dumps({"id": name, "siblings": siblings, "tags": ["license:mit"], "sha": COMMIT}))
            return
        name, _, asked = path[1:].partition("/resolve/")
        revision, _, file = asked.removeprefix("refs/pr/").partition("/")
        if self.known(name):
            if self.command == "GET":
                self.server.sent.append(file)
            self.send(self.files(name, revision)[file])

    def files(self, name, revision):
        """Those of the repository, or of one of its pull requests."""
        number = revision.removeprefix("refs/pr/")
        requests = {str(request["num"]): request["files"] for request in self.server.requests.get(name, [])}
        return requests.get(number, self.server.repositories[name])

    def send_discussions(self, name):
        if name not in self.server.requests:
            self.send("", 403)
            return
        made = [
            {
                **{"title": request["title"], "num": request["num"], "author": {"name": request["author"]}},
                **{"createdAt": "2026-01-01T00:00:00.000Z", "status": "open", "isPullRequest": True},
                "repo": {"name": name, "type": "model"},
            }
            for request in self.server.requests[name]
        ]
        self.send(json.dumps({"count": len(made), "start": 0, "discussions": made}))

    do_HEAD = do_GET  # noqa: N815

    def known(self, name):
        if name in self.server.refuse:
            self.send("", *self.server.refuse[name])
            return False
        if name not in self.server.repositories:
            self.send("", 401, "RepoNotFound")
            return False
        return True

    def send(self, content, status=200, code=None):
        content = content.encode() if isinstance(content, str) else content
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{abs(hash(content)):x}"')
        self.send_header("X-Repo-Commit", COMMIT)
        if code:
            self.send_header("X-Error-Code", code)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *_):
        pass


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
    server = Hub()
    server.repositories = {name: dict(content) for name, content in files.items()}
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    go_online(monkeypatch, tmp_path, f"http://127.0.0.1:{server.server_port}")
    yield server
    server.shutdown()
    server.server_close()


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
    seen = []
    folder = fetch("owner/gpt2", progress=lambda done, total: seen.append((done, total)))
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= {file.name for file in folder.iterdir()}
    assert not {"pytorch_model.bin", "README.md", "onnx"} & {file.name for file in folder.iterdir()}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == seen[-1][1] == sum((folder / file).stat().st_size for file in hub.sent)

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


def test_a_download_can_be_stopped_and_taken_up_again(hub):
    asked = iter([False, False, True])
    with pytest.raises(ModelError, match="download of 'owner/gpt2' was stopped after"):
        fetch("owner/gpt2", cancelled=lambda: next(asked))
    assert "model.safetensors" not in hub.sent
    assert inspect("owner/gpt2").download > 0
    hub.sent.clear()
    fetch("owner/gpt2")
    assert "model.safetensors" in hub.sent
    assert "config.json" not in hub.sent


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
    with pytest.raises(ModelError, match=r"\(resnet10t\) is no transformer"):
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
        with pytest.raises(ModelError, match=r"cannot be reached from here.*gpt-books-long, vit-tiny-imagenet"):
            act("owner/model")


@pytest.mark.usefixtures("hub")
def test_the_login_of_this_computer_is_used_only_when_it_is_allowed(monkeypatch):
    asked = []
    original = huggingface_hub.HfApi.__init__

    def watch(self, *arguments, **options):
        asked.append(options["token"])
        original(self, *arguments, **options)

    monkeypatch.setattr(huggingface_hub.HfApi, "__init__", watch)
    inspect("owner/gpt2")
    inspect("owner/gpt2", allow_folders=True)
    assert asked == [False, None]
