"""Two streams, and one: what each may look at, what is hidden stays hidden, and every look is recorded."""

import pytest
import torch
from torch.testing import assert_close

from core.capture import edit_attention, record_attention
from core.models.vilbert import JointConfig, SingleStream, ViLBERT, patches_of

SIZES = JointConfig(vocabulary=30, width=16, heads=2, alone=1, joint=2, side=32, context=10)
PIXELS = torch.randn(2, 3, 32, 32, generator=torch.Generator().manual_seed(0))
IDS = torch.tensor([[1, 5, 7, 9, 2, 0], [1, 3, 2, 0, 0, 0]])
PADDING = IDS == 0
KINDS = [ViLBERT, SingleStream]


def network(kind: type) -> torch.nn.Module:
    torch.manual_seed(1)
    return kind(SIZES).eval().requires_grad_(False)


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing(kind):
    made = network(kind)
    long, short = made(PIXELS, IDS, PADDING), made(PIXELS[1:], IDS[1:, :3])
    assert_close(long.words[1:, :3], short.words, rtol=1e-4, atol=1e-5)
    assert_close(long.patches[1:], short.patches, rtol=1e-4, atol=1e-5)
    assert_close(long.match[1:], short.match, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_hidden_patch_cannot_be_seen(kind):
    made = network(kind)
    hidden = torch.zeros(2, 16, dtype=torch.bool)
    hidden[:, 5] = True  # second row, second column
    other = PIXELS.clone()
    other[:, :, 8:16, 8:16] += 1.0
    before, after = made(PIXELS, IDS, PADDING, hidden), made(other, IDS, PADDING, hidden)
    assert_close(before.words, after.words)
    assert_close(before.patches, after.patches)
    assert not torch.allclose(made(PIXELS, IDS, PADDING).words, made(other, IDS, PADDING).words)


def test_patches_are_cut_row_by_row():
    patches = patches_of(PIXELS, 8)
    assert_close(patches[1, 6], PIXELS[1, :, 8:16, 16:24].flatten())


def test_every_look_of_both_streams_is_recorded():
    made = network(ViLBERT)
    with record_attention(made) as record:
        made(PIXELS[:1], IDS[:1, :5])
    looks = [(call.path, call.query_length, call.key_length) for call in record.calls]
    one = [("words_look", 5, 17), ("picture_looks", 17, 5), ("words", 5, 5), ("picture", 17, 17)]
    expected = [("alone.0.attention", 5, 5), *((f"seen_alone.{layer}.attention", 17, 17) for layer in range(2))]
    expected += [(f"joint.{layer}.{name}.attention", *sizes) for layer in range(2) for name, *sizes in one]
    assert looks == expected
    for call in record.calls:
        assert_close(call.weights(1).sum(dim=-1), torch.ones(call.query_length))


def test_with_all_co_attention_silent_the_words_do_not_know_the_picture():
    made = network(ViLBERT)
    edits = {(f"joint.{layer}.words_look.attention", head): "silence" for layer in range(2) for head in range(2)}
    with edit_attention(made, edits):
        before = made(PIXELS[:1], IDS[:1, :5])
        after = made(PIXELS[:1] + 1.0, IDS[:1, :5])
    assert_close(before.words, after.words)
    assert not torch.allclose(made(PIXELS[:1], IDS[:1, :5]).words, made(PIXELS[:1] + 1.0, IDS[:1, :5]).words)


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="3 heads cannot share 16"):
        JointConfig(vocabulary=9, width=16, heads=3)
    with pytest.raises(ValueError, match="60 pixels cannot be cut into patches of 8"):
        JointConfig(vocabulary=9, side=60)
