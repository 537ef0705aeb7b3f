"""What is downloaded is what the record holds, with its labels."""

import io

import numpy as np
import pytest
import torch

from core.errors import CaptureError
from dashboard.output import export
from dashboard.recordings.watched import WatchedText, silence, watch_text


@pytest.fixture(scope="module")
def watched() -> WatchedText:
    return watch_text("gpt-books", "The old man and the sea.")


def test_the_file_holds_every_head_and_label(watched):
    with np.load(io.BytesIO(export.all_heads(watched)), allow_pickle=False) as file:
        for layer, call in enumerate(watched.record.calls):
            assert str(file[f"path_{layer}"]) == call.path
            for head in range(call.heads):
                expected = call.weights(head=head).numpy()
                assert np.abs(file[f"weights_{layer}"][head] - expected).max() < 1e-3
        assert tuple(file["labels_text"]) == watched.inputs.labels


def test_a_head_that_does_not_exist_cannot_be_silenced(watched):
    with pytest.raises(CaptureError, match="no head 6 in layer 0"):
        silence(watched.record, [(0, 6)])
    with pytest.raises(CaptureError, match="no head 0 in layer 99"):
        silence(watched.record, [(99, 0)])


def test_silencing_leaves_the_shared_model_as_it_was(watched):
    changed = watch_text("gpt-books", "The old man and the sea.", ((0, 0), (1, 1)))
    again = watched.model.run(watched.inputs)
    assert torch.equal(again.logits, watched.run.logits)
    assert not torch.allclose(changed.run.logits, watched.run.logits)
    assert changed.model is watched.model


def test_the_scene_shows_the_layers_of_the_record_in_order(watched):
    scene = watched.scene
    assert [layer.path for layer in scene.layers] == [call.path for call in watched.record.calls]
    assert all(layer.causal for layer in scene.layers)
    np.testing.assert_array_equal(scene.layers[2].weights(1), watched.record.calls[2].weights(head=1).numpy())
    assert scene.start == watched.notice.start.place
