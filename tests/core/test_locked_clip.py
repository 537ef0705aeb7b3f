"""CLIP between two locked networks: it reads the mean of MiniLM's tokens, and sees EfficientNet's places."""

from pathlib import Path

import timm
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from core.capture import record_attention
from core.models.bert import BERT, BERTConfig
from core.models.clip import EncoderConfig
from core.models.efficientnet import CHANNELS, EfficientNetFeatures
from core.models.image_classifiers import make_image_classifier
from core.models.locked_clip import (
    HybridEncoder,
    LockedCLIP,
    LockedCLIPConfig,
    PlaceTransformer,
    SentenceEncoder,
    TextAdapter,
    TunedLayers,
)
from core.models.stored_weights import load_weights, save_weights

SMALL = LockedCLIPConfig(EncoderConfig(24, 2, 4), side=64, patch=16, space=16, adapter=20)
IDS = torch.tensor([[5, 7, 9, 0, 0], [3, 4, 5, 6, 7]])
PLACES = torch.randn(2, 16, CHANNELS, generator=torch.Generator().manual_seed(1))


def place_transformer() -> PlaceTransformer:
    torch.manual_seed(0)
    return PlaceTransformer(SMALL).eval()


def sentence_encoder() -> SentenceEncoder:
    torch.manual_seed(0)
    return SentenceEncoder(BERT(BERTConfig(vocabulary=40, context=12, width=16, layers=2, heads=2, hidden=32))).eval()


def tuned_layers() -> TunedLayers:
    """Random weights, those of the adapter too."""
    torch.manual_seed(0)
    tuned = TunedLayers(SMALL).eval()
    torch.nn.init.normal_(tuned.adapter.out.weight)
    torch.nn.init.normal_(tuned.adapter.out.bias)
    return tuned


def locked_clip(tuned: TunedLayers) -> LockedCLIP:
    return LockedCLIP(SMALL, torch.nn.Identity(), tuned, sentence_encoder().bert).eval()


@torch.no_grad()
def test_features_are_those_that_timm_gives_for_the_last_stage():
    torch.manual_seed(0)
    network = make_image_classifier("efficientnet", {"variant": "tf_efficientnet_lite0", "output_stride": 16}).eval()
    pixels = torch.randn(1, 3, 64, 64)
    expected = network.forward_intermediates(pixels, indices=[-1], intermediates_only=True)[0]
    assert expected.shape == (1, CHANNELS, 4, 4)
    assert_close(EfficientNetFeatures(network)(pixels), expected)


@torch.no_grad()
def test_dilated_kernels_see_what_the_usual_ones_see_at_every_second_place():
    torch.manual_seed(0)
    usual = timm.create_model("tf_efficientnet_lite0").eval()
    dilated = make_image_classifier("efficientnet", {"variant": "tf_efficientnet_lite0", "output_stride": 16}).eval()
    dilated.load_state_dict(usual.state_dict())
    pixels = torch.randn(1, 3, 128, 128)
    # TensorFlow's padding shifts the usual grid by half a step where a kernel of 5 meets a stride of 2.
    fine, coarse = EfficientNetFeatures(dilated)(pixels), EfficientNetFeatures(usual)(pixels)
    errors = [(fine[:, :, row::2, column::2] - coarse).abs().mean() for row in (0, 1) for column in (0, 1)]
    assert min(errors) < 1e-4 * coarse.abs().mean()


@torch.no_grad()
def test_a_sentence_is_the_mean_of_its_tokens_and_padding_does_not_count():
    encoder = sentence_encoder()
    both = encoder(IDS)
    assert_close(both[0], encoder.bert(IDS[:1, :3])[0].mean(dim=0))
    assert_close(both[1], encoder.bert(IDS[1:])[0].mean(dim=0))


@torch.no_grad()
def test_an_adapter_is_the_identity_before_training():
    vectors = torch.randn(3, 16, generator=torch.Generator().manual_seed(3))
    assert torch.equal(TextAdapter(16, 20)(vectors), vectors)
    assert_close(locked_clip(TunedLayers(SMALL)).text(IDS), F.normalize(sentence_encoder()(IDS), dim=-1))


@torch.no_grad()
def test_the_network_gives_the_vectors_that_its_layers_give_from_locked_features():
    tuned = tuned_layers()
    network, sentences = locked_clip(tuned), F.normalize(sentence_encoder()(IDS), dim=-1)
    adapter = tuned.adapter
    written_out = sentences + F.gelu(sentences @ adapter.up.weight.t() + adapter.up.bias) @ adapter.out.weight.t()
    assert_close(network.text(IDS), F.normalize(written_out + adapter.out.bias, dim=-1))
    assert_close(network.text(IDS), tuned.text(sentences))
    assert not torch.allclose(tuned.text(sentences), sentences, atol=0.1)
    assert_close(network.picture(PLACES.transpose(1, 2).unflatten(2, (4, 4))), tuned.picture(PLACES))
    assert_close(network.temperature, tuned.temperature)


@torch.no_grad()
def test_transformer_and_adapter_come_back_from_one_file(tmp_path: Path):
    tuned, file = tuned_layers().half().float(), tmp_path / "photographs.safetensors"
    save_weights(tuned, file)
    loaded = load_weights(lambda: TunedLayers(SMALL), file)
    assert torch.equal(locked_clip(loaded).text(IDS), locked_clip(tuned).text(IDS))
    assert torch.equal(loaded.picture(PLACES), tuned.picture(PLACES))


def test_gradients_for_attention_over_tokens_pass_through_the_adapter():
    def gradients(tuned: TunedLayers) -> list[torch.Tensor]:
        network = locked_clip(tuned)
        with record_attention(network.texts, differentiable=True) as record:
            score = network.text(IDS[:1])[0, 0]
        assert [call.path for call in record.calls] == ["bert.blocks.0.attention", "bert.blocks.1.attention"]
        return list(torch.autograd.grad(score, [call.written.weights for call in record.calls if call.written]))

    adapted, before = gradients(tuned_layers()), gradients(TunedLayers(SMALL))
    assert all(not torch.allclose(one, other) for one, other in zip(adapted, before, strict=True))


@torch.no_grad()
def test_all_places_kept_are_all_places_and_their_order_does_not_matter():
    network = place_transformer()
    order = torch.randperm(16, generator=torch.Generator().manual_seed(2))
    assert_close(network(PLACES, torch.arange(16)), network(PLACES))
    assert_close(network(PLACES[:, order], order), network(PLACES), rtol=1e-4, atol=1e-5)
    assert not torch.allclose(network(PLACES[:, :4], torch.arange(4)), network(PLACES), atol=1e-3)


@torch.no_grad()
def test_attention_over_places_is_recorded_as_it_is_written_out():
    network = HybridEncoder(torch.nn.Identity(), place_transformer())
    picture = PLACES[:1].transpose(1, 2).unflatten(2, (4, 4))
    with record_attention(network) as record:
        network(picture)
    assert [call.path for call in record.calls] == ["places.blocks.0.attention", "places.blocks.1.attention"]
    first, places = record.calls[0], network.places
    x = torch.cat([places.class_token.expand(1, 1, -1), places.embedding(PLACES[:1])], dim=1) + places.positions.weight
    block = places.blocks[0]
    query, key, _ = block.attention.qkv(block.attention_norm(places.first_norm(x))).chunk(3, dim=-1)
    for head in range(4):
        part = slice(6 * head, 6 * head + 6)
        scores = query[0, :, part] @ key[0, :, part].t() / 6**0.5
        assert_close(first.weights(head), scores.softmax(dim=-1), rtol=1e-4, atol=1e-5)
