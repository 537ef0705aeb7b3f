"""A model in memory is opened in the app of the same process, at home alone."""

import os
import socket
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from core import zoo
from core.errors import ModelError
from core.hub.permissions import Permission
from core.models.gpt import GPT, GPTConfig
from core.zoo import in_memory
from dashboard.hosting import serving
from tests.core.saved_models import byte_level_tokenizer
from tests.dashboard.test_visitor import free_port

ROOT = Path(__file__).parent.parent.parent
SENTENCE = "the cat listens to the dog"


@pytest.fixture
def mine(monkeypatch):
    monkeypatch.setattr(in_memory, "_OFFERED", {})
    tokenizer = byte_level_tokenizer()
    network = GPT(GPTConfig(vocabulary=tokenizer.get_vocab_size(), context=32, width=16, layers=2, heads=2))
    model = zoo.wrap(network, tokenizer=tokenizer, task="next token", context=32, name="mine")
    assert in_memory.offer(model) == "mine"
    return model


def test_it_is_opened_by_its_name_as_one_of_a_folder_is(mine):
    opened = zoo.load_text("mine")
    assert opened.network is mine.network
    assert opened.run(opened.encode(SENTENCE)).logits.equal(mine.run(mine.encode(SENTENCE)).logits)
    assert zoo.load_text("mine", longest=5).context == 5
    offer = zoo.inspect("mine", "text")
    assert (offer.what, offer.parameters, offer.download) == ("GPT: next token", mine.parameters, 0)


@pytest.mark.usefixtures("mine")
def test_nobody_else_learns_that_it_is_there():
    with pytest.raises(ModelError, match="'mine' is not on the list of this server"):
        zoo.load_text("mine", permission=Permission())


@pytest.mark.usefixtures("mine")
def test_pages_for_other_things_say_where_it_belongs():
    with pytest.raises(ModelError, match=r"'mine' \(GPT\) reads text\. Open it in Explore / Text\."):
        zoo.load_image("mine")
    with pytest.raises(ModelError, match="no folder"):
        zoo.fetch("mine", "text")


def test_two_models_do_not_share_a_name(mine):
    assert in_memory.offer(mine) == "mine"
    for name in ("mine", "gpt-books"):
        with pytest.raises(ModelError, match=f"Another model is called '{name}'"):
            in_memory.offer(replace(mine, name=name))


SCRIPT = """
    import re
    import sys
    from {package} import zoo
    from {package}.models.gpt import GPT, GPTConfig
    from {app}.serving import serve

    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file("tokenizer.json")
    for layers, name in ((2, "first"), (3, "second")):
        network = GPT(GPTConfig(vocabulary=tokenizer.get_vocab_size(), context=64, width=16, layers=layers, heads=2))
        wrapped = zoo.wrap(network, tokenizer=tokenizer, task="next token", context=64, name=name)
        print(serve(wrapped, port={port}))
        sys.path.append({root!r})  # from now on, or a clone's `core` would be found in place of the installed one
        from tests.dashboard.test_visitor import ask

        said = ask({port}, model=name)
        print("Traceback" in said, "silence" in said.lower(), max(re.findall("blocks.([0-9])", said)))
"""


def served(python, package, app, folder, place):
    """What a process prints that serves two models, one after the other, and asks for their pages."""
    port = free_port()
    byte_level_tokenizer().save(str(folder / "tokenizer.json"))
    script = textwrap.dedent(SCRIPT).format(package=package, app=app, port=port, root=str(ROOT))
    environment = os.environ | {"PYTHONPATH": str(place)}
    ran = subprocess.run(
        [python, "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert not ran.returncode, ran.stderr
    return ran.stdout.replace(str(port), "PORT").splitlines()


OPENED = [
    "http://localhost:PORT/text?model=first",
    "False True 1",
    "http://localhost:PORT/text?model=second",
    "False True 2",
]


@pytest.mark.slow(seconds=10, guard="test_it_is_opened_by_its_name_as_one_of_a_folder_is")
def test_an_app_in_the_background_of_a_process_opens_what_is_in_its_memory(tmp_path):
    assert served(sys.executable, "core", "dashboard", tmp_path, ROOT) == OPENED


def test_a_port_that_is_taken_is_told_to_whoever_asked(mine):
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        place.listen()
        with pytest.raises(OSError, match="in use"):
            serving.serve(mine, port=place.getsockname()[1])
