"""Masked autoencoders, ours and those of transformers by folder: what they guess, and who may be opened as one."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
import transformers
from PIL import Image
from safetensors.torch import load_file, save_file

from core.attribution.masked_patch_sources import (
    DECODER,
    ENCODER,
    decoder_attention_shares,
    layers_over_all_patches,
    rollout_through_layers,
)
from core.capture import record_attention
from core.errors import CaptureError, ModelError
from core.models.mae import MAEConfig, MaskedAutoencoder, patches_of, pixels_of
from core.models.stored_weights import save_weights
from core.vision.patch_masks import RANDOM, hide_patches, pixel_mask
from core.zoo import inspect, load_autoencoder, load_image, load_named_joint, load_text
from core.zoo.masked_autoencoders import NORMALISED, PLAIN, AutoencoderReader
from tests.core.saved_models import save_autoencoder, save_vision_model

PICTURE = Image.fromarray(np.random.default_rng(0).integers(0, 255, (90, 70, 3)).astype(np.uint8))


@pytest.fixture(scope="module")
def ours(tmp_path_factory) -> AutoencoderReader:
    """As `weights/mae`, but untrained and small."""
    weights = tmp_path_factory.mktemp("weights")
    torch.manual_seed(0)
    config = MAEConfig(32, 8, 32, 2, 2, 16, 2, 2)
    save_weights(MaskedAutoencoder(config), weights / "mae" / "model.safetensors", eight_bits=True)
    settings = {"sizes": vars(config), "mean": [0.5, 0.4, 0.3], "deviation": [0.2, 0.3, 0.4]}
    (weights / "mae" / "config.json").write_text(json.dumps(settings))
    return load_autoencoder("mae", weights=weights)


@pytest.fixture(scope="module", params=[True, False], ids=["normalised", "plain"])
def named(request, tmp_path_factory):
    folder = save_autoencoder("ForPreTraining", tmp_path_factory.mktemp("mae"), norm_pix_loss=request.param)
    library = transformers.ViTMAEForPreTraining.from_pretrained(folder).eval()
    return load_autoencoder(str(folder)), library


def test_ours_guesses_both_targets_as_colours_and_never_sees_hidden_patches(ours):
    prepared = ours.prepare(PICTURE)
    assert prepared.pixels.shape == (1, 3, 32, 32)
    hidden = hide_patches(RANDOM, 4, 4, 0.75, seed=1)
    guessed = ours.run(prepared.pixels, hidden)
    assert set(guessed) == {PLAIN, NORMALISED} == set(ours.targets)
    assert all(guess.shape == (3, 32, 32) and guess.min() >= 0 and guess.max() <= 1 for guess in guessed.values())
    where = pixel_mask(hidden, 4, 4, 8)
    other = torch.where(where, torch.randn(3, 32, 32), prepared.pixels[0])[None]
    assert torch.equal(ours.run(other, hidden)[PLAIN], guessed[PLAIN])
    assert not torch.equal(ours.run(other, hidden)[NORMALISED], guessed[NORMALISED])  # it is told mean and deviation


def test_colours_undo_what_preparing_did(ours):
    prepared = ours.prepare(PICTURE)
    middle = torch.tensor([0.5, 0.4, 0.3])[:, None, None]
    spread = torch.tensor([0.2, 0.3, 0.4])[:, None, None]
    torch.testing.assert_close((ours.colours(prepared.pixels[0]) - middle) / spread, prepared.pixels[0])


def test_a_normalised_guess_stands_at_the_true_mean_and_deviation(ours):
    prepared, hidden = ours.prepare(PICTURE), hide_patches(RANDOM, 4, 4, 0.5)
    prediction = ours.network(prepared.pixels, hidden[None])[0, 1]
    true = patches_of(prepared.pixels, 8)[0]
    back = prediction * (true.var(dim=1, keepdim=True) + 1e-6).sqrt() + true.mean(dim=1, keepdim=True)
    wanted = ours.colours(pixels_of(back[None], 8)[0])
    torch.testing.assert_close(ours.run(prepared.pixels, hidden)[NORMALISED], wanted)


def test_where_weights_are_missing_one_sentence_says_how_to_make_them(tmp_path):
    with pytest.raises(ModelError, match=r"there is no mae/model.safetensors.*make train-mae"):
        load_autoencoder("mae", weights=tmp_path)


def test_a_named_one_says_what_the_library_says_of_any_share(named):
    model, library = named
    prepared = model.prepare(PICTURE)
    target = NORMALISED if library.config.norm_pix_loss else PLAIN
    assert model.targets == (target,)
    for share in (0.25, 0.5, 0.9):
        hidden = hide_patches(RANDOM, 4, 4, share, seed=2)
        library.config.mask_ratio = float(hidden.float().mean())
        with torch.no_grad():
            output = library(prepared.pixels, noise=hidden.float()[None])
        assert torch.equal(output.mask[0].bool(), hidden)
        values = output.logits
        if target == NORMALISED:
            true = library.patchify(prepared.pixels)
            values = values * (true.var(dim=-1, keepdim=True) + 1e-6).sqrt() + true.mean(dim=-1, keepdim=True)
        wanted = model.colours(library.unpatchify(values)[0])
        torch.testing.assert_close(model.run(prepared.pixels, hidden)[target], wanted, atol=1e-5, rtol=1e-4)


def test_eight_threads_hide_different_shares_of_one_network(named):
    model, _ = named
    pixels = model.prepare(PICTURE).pixels
    masks = [hide_patches(RANDOM, 4, 4, share / 10, seed=share) for share in range(1, 10)]
    alone = [model.run(pixels, hidden)[model.targets[0]] for hidden in masks]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda hidden: model.run(pixels, hidden)[model.targets[0]], masks * 3))
    for reconstruction, expected in zip(together, alone * 3, strict=True):
        torch.testing.assert_close(reconstruction, expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    ("open_it", "purpose"), [(load_image, "image"), (load_text, "text"), (load_named_joint, "both")]
)
def test_other_pages_say_what_it_is_and_where_it_is_shown(tmp_path, open_it, purpose):
    for kind in ("ForPreTraining", "Model"):
        folder = str(save_autoencoder(kind, tmp_path / kind))
        for ask in (open_it, lambda name: inspect(name, purpose)):
            with pytest.raises(ModelError, match=r"is a masked autoencoder: .* on the page Reconstruction"):
                ask(folder)


def test_what_is_no_whole_autoencoder_gets_a_sentence(tmp_path):
    with pytest.raises(ModelError, match="encoder of a masked autoencoder alone"):
        load_autoencoder(str(save_autoencoder("Model", tmp_path / "encoder")))
    with pytest.raises(ModelError, match=r"does not fill in hidden patches. Name a ViT-MAE"):
        load_autoencoder(str(save_vision_model("vit", tmp_path / "vit")))
    for name in ("gpt-books", "vit-tiny-imagenet"):
        with pytest.raises(ModelError, match=r"does not fill in hidden patches"):
            load_autoencoder(name)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"image_size": 10**7}, "at most 1,024 patches"),
        ({"image_size": [32, 32]}, "both are whole numbers"),
        ({"hidden_size": 10**9}, "here it is at most 4,096"),
        ({"patch_size": 0}, "at most 1,024 patches"),
        ({"hidden_act": "relu"}, "is not what transformers says"),
        ({"num_attention_heads": 3}, "cannot be loaded"),
    ],
)
def test_a_config_that_cannot_be_right_is_refused_at_once(tmp_path, changed, message):
    folder = save_autoencoder("ForPreTraining", tmp_path)
    config = json.loads((folder / "config.json").read_text()) | changed
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=message):
        load_autoencoder(str(folder))


def test_sizes_that_ours_has_not_are_refused(tmp_path):
    with pytest.raises(ModelError, match="have 32 channels between vectors of 16; here it is four times"):
        load_autoencoder(str(save_autoencoder("ForPreTraining", tmp_path / "narrow", intermediate_size=32)))
    folder = save_autoencoder("ForPreTraining", tmp_path / "framed")
    transformers.ViTImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
    with pytest.raises(ModelError, match="reads pictures of 32 × 32 pixels, and its processor makes 64 × 64"):
        load_autoencoder(str(folder))


def test_weights_that_are_no_numbers_are_warned_of(tmp_path):
    folder = save_autoencoder("ForPreTraining", tmp_path)
    weights = load_file(folder / "model.safetensors")
    weights["decoder.decoder_norm.weight"][0] = torch.nan
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert load_autoencoder(str(folder)).warnings


@pytest.fixture(scope="module")
def looked(ours):
    hidden = hide_patches(RANDOM, 4, 4, 0.75, seed=4)
    with record_attention(ours.network) as record:
        ours.run(ours.prepare(PICTURE).pixels, hidden)
    return record, hidden


def test_layers_lie_where_their_patches_lie(looked):
    record, hidden = looked
    layers = layers_over_all_patches(record, hidden)
    assert [(layer.side, layer.number) for layer in layers] == [(ENCODER, 0), (ENCODER, 1), (DECODER, 0), (DECODER, 1)]
    visible_places = [0, *(1 + place for place in range(16) if not hidden[place])]
    for layer, call in zip(layers, record.calls, strict=True):
        for head in range(call.heads):
            weights = call.weights(head)
            if layer.side == DECODER:
                assert torch.equal(layer.weights[head], weights)
                continue
            for query, row in enumerate(visible_places):
                for key, column in enumerate(visible_places):
                    assert layer.weights[head, row, column] == weights[query, key]
            assert float(layer.weights[head].sum()) == pytest.approx(len(visible_places), rel=1e-5)


def test_shares_of_what_hidden_patches_look_at_are_those_of_each_row(looked):
    record, hidden = looked
    layers = layers_over_all_patches(record, hidden)
    for shares in decoder_attention_shares(layers, hidden):
        weights = record[f"decoder.blocks.{shares.layer}.attention"].weights(1)
        rows = [place for place in range(16) if hidden[place]]
        visible = others = own = class_token = far = 0.0
        for row in rows:
            row_weights = weights[1 + row]
            class_token += float(row_weights[0])
            own += float(row_weights[1 + row])
            visible += sum(float(row_weights[1 + key]) for key in range(16) if not hidden[key])
            others += sum(float(row_weights[1 + key]) for key in rows if key != row)
            gaps = [((key // 4 - row // 4) ** 2 + (key % 4 - row % 4) ** 2) ** 0.5 for key in range(16)]
            far += sum(float(row_weights[1 + key]) * gaps[key] for key in range(16)) / float(row_weights[1:].sum())
        head_shares = [
            float(share[1])
            for share in (shares.visible, shares.hidden, shares.own, shares.class_token, shares.distance)
        ]
        assert head_shares == pytest.approx(
            [total / len(rows) for total in (visible, others, own, class_token, far)], rel=1e-4
        )
        assert sum(head_shares[:4]) == pytest.approx(1, abs=1e-5)


def test_the_way_through_all_layers_is_a_product_in_which_hidden_patches_bring_nothing(looked):
    record, hidden = looked
    layers = layers_over_all_patches(record, hidden)
    through = rollout_through_layers(layers)
    wanted = torch.eye(17)
    for layer in layers:
        mean = layer.weights.mean(dim=0)
        half = (mean + torch.eye(17)) / 2
        wanted = half / half.sum(dim=1, keepdim=True) @ wanted
    torch.testing.assert_close(through, wanted)
    torch.testing.assert_close(through.sum(dim=1), torch.ones(17))
    only = rollout_through_layers(layers, ENCODER)
    masked = 1 + hidden.nonzero()[:, 0]
    assert torch.equal(only[masked], torch.eye(17)[masked])


def test_a_record_of_another_run_is_an_error(looked):
    record, hidden = looked
    with pytest.raises(CaptureError, match="not a layer of a masked autoencoder"):
        layers_over_all_patches(record, ~hidden)
