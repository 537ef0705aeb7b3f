"""A model of which only some layers have a softmax: its own numbers of them, and what is not shown, on every page."""

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from core.capture import by_layer
from core.errors import CaptureError
from dashboard.recordings.watched import silence, watch_text
from tests.core import saved_models
from tests.pages.conftest import message_text, prose

TEXT = "The quick brown fox jumps over the lazy dog."
OWN = [1, 3]  # of its layers 0 to 3
UNSEEN = "`model.layers.0.linear_attn`"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(saved_models.save_text_model("qwen3-next", tmp_path_factory.mktemp("hybrid")))


pytestmark = pytest.mark.usefixtures("at_home")


def test_the_layers_shown_are_those_of_the_library_s_own_eager_maps(folder):
    watched = watch_text(folder, TEXT)
    eager = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        attentions = eager(torch.tensor([watched.inputs.ids]), output_attentions=True).attentions
    maps = [own[0].numpy() for own in attentions if own is not None]
    assert [layer.label for layer in watched.scene.layers] == [str(number) for number in OWN]
    for layer, own, number in zip(watched.scene.layers, maps, OWN, strict=True):
        assert layer.path == f"model.layers.{number}.self_attn"
        assert np.abs(np.stack([layer.weights(head) for head in range(layer.heads)]) - own).max() < 1e-5
    assert watched.notice.start.layer in OWN


def test_a_head_is_silenced_in_the_layer_of_its_number(folder):
    plain = watch_text(folder, TEXT)
    assert list(silence(plain.record, [(3, 1)])) == [("model.layers.3.self_attn", 1)]
    changed = watch_text(folder, TEXT, ((3, 1),))
    assert not torch.equal(changed.run.logits, plain.run.logits)
    assert torch.equal(by_layer(changed.record.calls)[1].weights(), by_layer(plain.record.calls)[1].weights())
    with pytest.raises(CaptureError, match=r"no head 0 in layer 0 to silence: .* 2 attention layers, 1 to 3"):
        silence(plain.record, [(0, 0)])


def test_explore_offers_the_layers_of_the_model_and_says_what_is_not_shown(visit, folder):
    app = visit("explore/text", model=folder, text=TEXT, silenced="3.1")
    assert app.multiselect(key="silenced").options == ["1.0", "1.1", "3.0", "3.1"]
    assert app.multiselect(key="silenced").value == ["3.1"]
    assert UNSEEN in message_text(app, "caption")


def test_many_heads_offers_the_layers_of_the_model_and_says_what_is_not_shown(visit, folder):
    app = visit("foundations/many_heads", model=folder, text=TEXT, layer="3")
    assert app.selectbox(key="layer").options == ["1", "3"]
    assert "Layer 3, head" in message_text(app, "caption")
    assert UNSEEN in message_text(app, "caption")
    for section in ("Ablated heads", "Added up", "Taken together"):
        app = visit("foundations/many_heads", model=folder, text=TEXT, show=section, silenced="3.1")
        assert "layer 0" not in prose(app).lower()
        assert "layer 2" not in prose(app).lower()


def test_of_a_model_without_holes_nothing_is_said(visit):
    assert "Not shown" not in message_text(visit("explore/text"), "caption")
