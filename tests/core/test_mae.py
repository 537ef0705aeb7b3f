import pytest
import torch
from transformers import ViTMAEConfig, ViTMAEForPreTraining

from core.capture import record_attention
from core.models.mae import (
    MAEConfig,
    MaskedAutoencoder,
    denormalise,
    loss_of,
    normalised,
    patches_of,
    pixels_of,
    random_mask,
    visible_patches,
)
from core.models.mae_checkpoint import load_mae

SMALL = MAEConfig(32, 8, 32, 2, 2, 16, 2, 2)


@pytest.fixture
def network() -> MaskedAutoencoder:
    torch.manual_seed(0)
    return MaskedAutoencoder(SMALL).eval()


def test_hidden_patches_are_never_seen(network: MaskedAutoencoder):
    pixels = torch.randn(2, 3, 32, 32)
    hidden = random_mask(2, 16, 0.75, torch.Generator().manual_seed(1))
    patches = patches_of(pixels, 8)
    changed = pixels_of(torch.where(hidden[..., None], torch.randn(patches.shape), patches), 8)
    assert not torch.equal(changed, pixels)
    assert torch.equal(network(pixels, hidden), network(changed, hidden))
    other = pixels_of(torch.where(hidden[..., None], patches, patches + 1), 8)
    assert not torch.equal(network(pixels, hidden), network(other, hidden))


def test_the_encoder_computes_nothing_of_hidden_patches(network: MaskedAutoencoder):
    hidden = random_mask(1, 16, 0.75)
    with record_attention(network) as record:
        network(torch.randn(1, 3, 32, 32), hidden)
    lengths = {call.path: call.key_length for call in record.calls}
    assert {length for path, length in lengths.items() if path.startswith("encoder")} == {1 + 4}
    assert {length for path, length in lengths.items() if path.startswith("decoder")} == {1 + 16}


def test_the_loss_counts_hidden_patches_only():
    pixels = torch.randn(2, 3, 32, 32)
    hidden = random_mask(2, 16, 0.5, torch.Generator().manual_seed(2))
    predictions = torch.randn(2, 2, 16, 192)
    loss = loss_of(predictions, pixels, hidden, SMALL)
    elsewhere = torch.where(hidden[:, None, :, None], predictions, predictions + 100)
    assert torch.equal(loss, loss_of(elsewhere, pixels, hidden, SMALL))
    total, count = 0.0, 0
    for item in range(2):
        for place in range(16):
            if hidden[item, place]:
                row, column = divmod(place, 4)
                patch = pixels[item, :, 8 * row : 8 * row + 8, 8 * column : 8 * column + 8].permute(1, 2, 0).flatten()
                scaled = (patch - patch.mean()) / (patch.var() + 1e-6).sqrt()
                targets = zip((patch, scaled), predictions[item, :, place], strict=True)
                total += sum(float((guess - target).square().mean()) for target, guess in targets)
                count += 1
    assert float(loss) == pytest.approx(total / count, rel=1e-5)


def test_patches_come_together_again_and_normalising_is_undone():
    pixels = torch.rand(2, 3, 32, 32)
    patches = patches_of(pixels, 8)
    assert torch.equal(pixels_of(patches, 8), pixels)
    assert torch.allclose(denormalise(normalised(patches), patches), patches, atol=1e-5)


@pytest.mark.parametrize(("share", "hidden"), [(0.0, 1), (0.1, 2), (0.75, 12), (1.0, 15)])
def test_a_share_is_hidden_and_something_is_always_seen(share: float, hidden: int):
    chosen = random_mask(5, 16, share, torch.Generator().manual_seed(0))
    assert (chosen.sum(dim=1) == hidden).all()


def test_pictures_of_a_batch_that_show_different_numbers_of_patches_are_refused():
    hidden = torch.zeros(2, 16, dtype=torch.bool)
    hidden[0, 0] = True
    with pytest.raises(ValueError, match="show 15 and 16 patches"):
        visible_patches(hidden)
    with pytest.raises(ValueError, match="at least one must be seen"):
        visible_patches(torch.ones(1, 16, dtype=torch.bool))


@pytest.fixture
def theirs() -> ViTMAEForPreTraining:
    torch.manual_seed(0)
    config = ViTMAEConfig(
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=128,
        image_size=32,
        patch_size=8,
        decoder_hidden_size=16,
        decoder_num_hidden_layers=2,
        decoder_num_attention_heads=2,
        decoder_intermediate_size=64,
        norm_pix_loss=True,
    )
    network = ViTMAEForPreTraining(config).eval()
    for table in (network.vit.embeddings.position_embeddings, network.decoder.decoder_pos_embed):
        torch.nn.init.normal_(table)  # those of a checkpoint; here they would be zeros
    return network


def test_with_the_same_weights_it_says_what_the_reference_library_says(theirs: ViTMAEForPreTraining):
    ours = load_mae(theirs.state_dict(), heads=(4, 2), side=32)
    pixels = torch.randn(2, 3, 32, 32)
    with torch.no_grad():
        output = theirs(pixels, noise=torch.rand(2, 16))
        hidden = output.mask.bool()
        predictions = ours(pixels, hidden)
    assert torch.allclose(predictions[:, 0], output.logits, atol=1e-5)
    assert float(loss_of(predictions, pixels, hidden, ours.config)) == pytest.approx(float(output.loss), rel=1e-5)


def test_attention_of_the_reference_library_is_recorded_exactly(theirs: ViTMAEForPreTraining):
    ours = load_mae(theirs.state_dict(), heads=(4, 2), side=32)
    pixels, noise = torch.randn(1, 3, 32, 32), torch.arange(16.0)[None]  # in order: its first four are seen
    with torch.no_grad(), record_attention(theirs) as record:
        theirs(pixels, noise=noise)
    with torch.no_grad(), record_attention(ours) as own:
        ours(pixels, noise >= 4)
    assert len(record.calls) == len(own.calls) == 5
    for call, expected in zip(record.calls, own.calls, strict=True):
        for head in range(call.heads):
            assert torch.allclose(call.weights(head), expected.weights(head), atol=1e-5)
    theirs.set_attn_implementation("eager")
    with torch.no_grad():
        output = theirs(pixels, noise=noise, output_attentions=True)
    for call, eager in zip(record.calls, output.attentions, strict=False):
        assert torch.allclose(torch.stack([call.weights(head) for head in range(4)]), eager[0], atol=1e-5)


def test_weights_that_do_not_fit_are_an_error_that_names_them(theirs: ViTMAEForPreTraining):
    weights = theirs.state_dict()
    del weights["decoder.decoder_pred.bias"]
    with pytest.raises(ValueError, match=r"missing \['decoder.pixels.bias'\]"):
        load_mae(weights, heads=(4, 2), side=32)
