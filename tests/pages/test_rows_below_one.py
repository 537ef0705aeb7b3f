"""Pages with a model in memory whose rows do not sum to 1: no NaN is written, and what took the rest is said."""

import re

import pytest

from core import zoo
from core.zoo import in_memory
from tests.core.rows_below_one import Language
from tests.core.saved_models import byte_level_tokenizer
from tests.pages.conftest import message_text, prose

TEXT = "the cat listens to the dog, and the dog listens to the cat."
NAN = re.compile(r"\bnan\b", re.IGNORECASE)

pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture(params=["mask", "sink"])
def named(request, monkeypatch):
    monkeypatch.setattr(in_memory, "_OFFERED", {})
    tokenizer = byte_level_tokenizer()
    network = Language(request.param, tokenizer.get_vocab_size())
    name = f"rows-{request.param}"
    in_memory.offer(zoo.wrap(network, tokenizer=tokenizer, task="next token", context=64, name=name))
    return name


def written(app) -> str:
    return "\n".join(
        [
            prose(app),
            message_text(app, "caption"),
            message_text(app, "markdown"),
            *(head.value for head in app.subheader),
        ]
    )


def test_explore_says_what_took_the_rest_of_a_row(visit, named):
    text = written(visit("explore/text", model=named, text=TEXT))
    assert not NAN.search(text)
    assert ("mask after the softmax" if named == "rows-mask" else "attention sink that is no token") in text
    assert "of each row's own sum" in text


def test_no_sentence_of_many_heads_has_a_nan(visit, named):
    for section in ("Measured", "Ablated heads", "Added up", "Taken together"):
        app = visit("foundations/many_heads", model=named, text=TEXT, show=section)
        assert not NAN.search(written(app)), section
    for name in ("Mean over heads", "Largest over heads", "Mean over layers", "Rollout"):
        app = visit("foundations/many_heads", model=named, text=TEXT, show="Taken together", together=name)
        assert not NAN.search(written(app)), name


def test_a_silenced_head_is_not_taken_for_a_mask(visit):
    assert "not to 1" not in written(visit("explore/text", text=TEXT, silenced="2.1"))
