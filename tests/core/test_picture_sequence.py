"""From picture to sequence, for tiny random models of many families, against the networks' own modules."""

import numpy as np
import pytest
import timm
import torch
import transformers

from core.errors import ModelError
from core.images import open_example
from core.models import from_timm, from_transformers
from core.vision.patches import components_for, cut, principal_filters
from core.vision.picture_sequence import PictureSequence, sequence_of
from core.zoo.image_models import Framing, ImageModel
from tests.core.tiny_models import _awake

SIDE, WIDTH = 64, 32
_TIMM = {"img_size": SIDE, "patch_size": 16, "embed_dim": WIDTH, "depth": 2, "num_heads": 4, "num_classes": 5}
# Name -> (timm's model, labels of the prefix tokens, which positions are added in which order, what the head reads).
REGISTERS = tuple(f"register {number}" for number in range(1, 5))
FAMILIES = {
    "ViT": ("vit_tiny_patch16_224", ("class",), (1, "after"), ("class",)),
    "DeiT distilled": ("deit_tiny_distilled_patch16_224", ("class", "distilled"), (2, "after"), ("class", "distilled")),
    "DeiT-III": ("deit3_small_patch16_224", ("class",), (0, "before"), ("class",)),
    "DINOv2 with registers": ("vit_small_patch14_reg4_dinov2", ("class", *REGISTERS), (0, "before"), ("class",)),
    "DINOv3": ("vit_small_patch16_dinov3", ("class", *REGISTERS), None, ("mean of the patches",)),
    "EVA-02": ("eva02_tiny_patch14_224", ("class",), (1, "after"), ("mean of the patches",)),
    "BEiT": ("beit_base_patch16_224", ("class",), None, ("mean of the patches",)),
    "CLIP": ("vit_base_patch16_clip_224", ("class",), (1, "after"), ("class",)),
    "hybrid": ("vit_tiny_r_s16_p8_224", ("class",), (1, "after"), ("class",)),
    "without a class token": ("vit_medium_patch16_gap_256", (), (0, "before"), ("mean of the patches",)),
}
MORE = {"hybrid": {"patch_size": 4}}  # of features, which halve the picture twice


def image_model(network, size, patch, prefix) -> ImageModel:
    framing = Framing((3, *size), (0.5, 0.4, 0.3), (0.2, 0.25, 0.3))
    return ImageModel("tiny", "Tiny", network, framing, patch, prefix, tuple(f"class {number}" for number in range(5)))


def of_timm(architecture: str, **more) -> ImageModel:
    torch.manual_seed(0)
    network = _awake(timm.create_model(architecture, pretrained=False, **(_TIMM | more)))
    size = more.get("img_size", (SIDE, SIDE))
    grid = network.patch_embed.grid_size
    patch = size[0] // grid[0], size[1] // grid[1]
    return image_model(network, size, patch, from_timm.prefix_of(network))


def follow(model: ImageModel) -> tuple[PictureSequence, torch.Tensor]:
    prepared = model.prepare(open_example("cat"))
    return sequence_of(model, prepared), prepared.pixels


@pytest.fixture(scope="module")
def followed():
    """Each family once: the model, its sequence and the pixels."""
    cache = {}

    def of(family: str):
        if family not in cache:
            model = of_timm(FAMILIES[family][0], **MORE.get(family, {}))
            cache[family] = (model, *follow(model))
        return cache[family]

    return of


@pytest.mark.parametrize("family", FAMILIES)
def test_the_projection_written_out_is_the_networks_own_patch_embedding(followed, family):
    model, sequence, pixels = followed(family)
    with torch.no_grad():
        own = model.network.patch_embed(pixels).reshape(-1, WIDTH)
    written = sequence.flattened @ sequence.projection.weight.T
    if sequence.projection.bias is not None:
        written = written + sequence.projection.bias
    torch.testing.assert_close(sequence.projected, written)
    torch.testing.assert_close(sequence.projected, own, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_enters_the_first_block_is_what_its_own_code_makes_of_positions_and_prefix(followed, family):
    model, sequence, pixels = followed(family)
    network = model.network
    with torch.no_grad():
        if hasattr(network, "_pos_embed"):
            own = network._pos_embed(network.patch_embed(pixels))
            own = own[0] if isinstance(own, tuple) else own  # EVA also returns its rotations
        else:  # BEiT
            own = torch.cat([network.cls_token, network.patch_embed(pixels)], dim=1)
        torch.testing.assert_close(sequence.joined, own[0], rtol=1e-4, atol=1e-5)
        normed = network.norm_pre(own)[0] if hasattr(network, "norm_pre") else own[0]
        torch.testing.assert_close(sequence.encoder_input, normed, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_prefix_patches_and_positions_add_up_to_the_tokens(followed, family):
    _, sequence, _ = followed(family)
    tokens = torch.cat([sequence.prefix, sequence.projected])
    if sequence.positions is not None:
        own, covered = len(sequence.prefix), len(sequence.positions.prefix)
        tokens[:covered] += sequence.positions.prefix
        tokens[own:] += sequence.positions.patches
    torch.testing.assert_close(sequence.joined, tokens, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_prefix_tokens_positions_and_what_the_head_reads_are_told_from_the_model(followed, family):
    _, sequence, _ = followed(family)
    _, labels, positions, read = FAMILIES[family]
    assert sequence.patches.prefix == labels
    assert len(sequence.prefix) == len(labels)
    if positions is None:
        assert sequence.positions is None
    else:
        assert (len(sequence.positions.prefix), sequence.positions.order) == positions
    assert sequence.read == read
    assert sequence.blocks == 2


@pytest.mark.parametrize("family", FAMILIES)
def test_the_scores_are_those_of_the_network(followed, family):
    model, sequence, pixels = followed(family)
    with torch.no_grad():
        torch.testing.assert_close(sequence.logits, model.network(pixels)[0], rtol=1e-4, atol=1e-5)
        features = model.network.forward_features(pixels)[0]
    last = sequence.encoded if sequence.normed is None else sequence.normed
    torch.testing.assert_close(last, features, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["ViT", "Dinov2WithRegisters", "DINOv3ViT"])
def test_models_of_transformers_are_followed_like_those_of_timm(kind):
    sizes = {"hidden_size": WIDTH, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
    config_class = getattr(transformers, f"{kind}Config")
    torch.manual_seed(0)
    registers = {} if kind == "ViT" else {"num_register_tokens": 2}
    config = config_class(image_size=SIDE, patch_size=16, num_labels=5, **sizes, **registers)
    has_head = hasattr(transformers, f"{kind}ForImageClassification")
    network = getattr(transformers, f"{kind}ForImageClassification" if has_head else f"{kind}Model")(config)
    prefix = from_transformers.prefix_of(_awake(network))
    sequence, pixels = follow(image_model(network, (SIDE, SIDE), (16, 16), prefix))
    body = getattr(network, network.base_model_prefix, network) if has_head else network
    with torch.no_grad():
        own = body.embeddings(pixels)
    torch.testing.assert_close(sequence.encoder_input, own[0], rtol=1e-4, atol=1e-5)
    if kind == "DINOv3ViT":
        assert sequence.positions is None
    else:
        assert len(sequence.positions.prefix) == 1  # the class token has a position, registers have none
        table = body.embeddings.position_embeddings[0]
        torch.testing.assert_close(
            torch.cat([sequence.positions.prefix, sequence.positions.patches]), table.detach(), rtol=1e-5, atol=1e-6
        )
        torch.testing.assert_close(sequence.prefix[0], body.embeddings.cls_token[0, 0].detach())
    if has_head:
        with torch.no_grad():
            torch.testing.assert_close(sequence.logits, network(pixels).logits[0], rtol=1e-4, atol=1e-5)


def test_a_grid_need_not_be_square():
    model = of_timm("vit_tiny_patch16_224", img_size=(48, 80))
    sequence, pixels = follow(model)
    assert (sequence.patches.rows, sequence.patches.columns) == (3, 5)
    torch.testing.assert_close(sequence.cut[7], pixels[0, :, 16:32, 32:48])
    assert sequence.token_of(7) == 8


def test_a_patch_is_a_part_of_the_picture_and_a_remainder_is_cut_off():
    pixels = torch.arange(3 * 9 * 11, dtype=torch.float32).reshape(3, 9, 11)
    pieces = cut(pixels, (4, 5))
    assert pieces.shape == (4, 3, 4, 5)
    torch.testing.assert_close(pieces[3], pixels[:, 4:8, 5:10])


def test_positions_are_stretched_for_a_finer_grid():
    torch.manual_seed(0)
    network = _awake(timm.create_model("vit_tiny_patch16_224", dynamic_img_size=True, **_TIMM))
    model = image_model(network, (96, 96), (16, 16), ("class",))
    sequence, pixels = follow(model)
    with torch.no_grad():
        own = network._pos_embed(network.patch_embed(pixels))
    torch.testing.assert_close(sequence.joined, own[0], rtol=1e-4, atol=1e-5)
    assert len(sequence.positions.patches) == 36


def test_merged_patches_leave_fewer_and_wider_tokens():
    torch.manual_seed(0)
    sizes = {"img_size": SIDE, "window_size": 4, "embed_dim": 16, "depths": (2, 2), "num_heads": (2, 4)}
    network = _awake(timm.create_model("swin_tiny_patch4_window7_224", num_classes=5, **sizes))
    sequence, pixels = follow(image_model(network, (SIDE, SIDE), (4, 4), ()))
    assert sequence.is_merged
    assert sequence.encoded.shape == (64, 32)
    with torch.no_grad():
        own = network.patch_embed(pixels).reshape(256, 16)
    torch.testing.assert_close(sequence.embedded, own, rtol=1e-4, atol=1e-5)


def test_a_network_without_attention_is_refused_in_a_sentence():
    network = timm.create_model("resnet10t", num_classes=5).eval()
    with pytest.raises(ModelError, match="convolutional network: it never makes a sequence"):
        follow(image_model(network, (SIDE, SIDE), (32, 32), ()))


def test_overlapping_patches_are_refused_in_a_sentence():
    network = timm.create_model("pvt_v2_b0", num_classes=5).eval()
    with pytest.raises(ModelError, match="several or overlapping convolutions"):
        follow(image_model(network, (SIDE, SIDE), (4, 4), ()))


def test_nothing_stays_on_the_network():
    model = of_timm("vit_tiny_patch16_224")
    follow(model)
    assert not any(module._forward_hooks for module in model.network.modules())


def test_principal_filters_are_the_eigenvectors_of_the_covariance(followed):
    _, sequence, _ = followed("ViT")
    filters = principal_filters(sequence.projection, limit=6)
    weight = sequence.projection.weight.double().numpy()
    values, vectors = np.linalg.eigh(np.cov(weight, rowvar=False))
    np.testing.assert_allclose(filters.shares.numpy(), values[::-1][:6] / values.sum(), rtol=1e-3)
    for number in range(6):
        own = filters.pictures[number].flatten().double().numpy()
        assert abs(own @ vectors[:, -1 - number]) == pytest.approx(1, abs=1e-3)
        assert own.sum() >= 0
    assert filters.pictures.shape == (6, 3, 16, 16)


def test_components_are_counted_until_they_hold_the_share():
    shares = torch.tensor([0.5, 0.3, 0.1])
    assert components_for(shares, 0.5) == 1
    assert components_for(shares, 0.85) == 3
    assert components_for(shares, 0.95) is None
