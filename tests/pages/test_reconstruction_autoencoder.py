"""The page Reconstruction, the masked autoencoder: its sections open, what is hidden stands in the address, and what is
told is true."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

from core.attribution.masked_patch_sources import DecoderAttentionShares
from core.capture import record_attention
from core.images import Patches
from core.models.mae import MAEConfig, MaskedAutoencoder, patches_of
from core.vision.fillings import FILLINGS
from core.vision.patch_masks import RANDOM, hide_patches
from core.zoo.image_models import Framing
from core.zoo.masked_autoencoders import AUTOENCODERS, AutoencoderReader
from dashboard.cache import memo, models
from dashboard.inputs import hidden_patches
from pages.vision.reconstruction import compute_autoencoder, gaps, sources
from pages.vision.reconstruction.hidden import NOTHING_HIDDEN, Hidden
from tests.core.saved_models import save_autoencoder, save_vision_model
from tests.pages.conftest import message_text, prose

ROOM = "vision/reconstruction"
PLACES = tuple(hide_patches(RANDOM, 8, 8, 0.75).nonzero()[:, 0].tolist())


@pytest.fixture(autouse=True)
def untrained(monkeypatch):
    """An autoencoder of random weights in place of the one that comes along: what is claimed holds for any."""
    torch.manual_seed(0)
    network = MaskedAutoencoder(MAEConfig(64, 8, 32, 2, 2, 16, 2, 2))
    framing = Framing((3, 64, 64), (0.48, 0.45, 0.4), (0.28, 0.27, 0.28))
    reader = AutoencoderReader("mae", AUTOENCODERS["mae"], network, framing)
    monkeypatch.setattr(
        models, "load_autoencoder", lambda name, **more: reader if name == "mae" else LOAD(name, **more)
    )
    memo.clear()
    yield reader
    memo.clear()


LOAD = models.load_autoencoder


def encoded(places) -> str:
    """Runs of places, as the address has them."""
    return hidden_patches.encode(places, Patches(8, 8)).removeprefix("8x8_")


@pytest.mark.parametrize("section", [gaps.SECTION.name, sources.SECTION.name])
@pytest.mark.parametrize("way", ["random", "block", "grid", "by hand"])
def test_every_way_of_hiding_opens(visit, section, way):
    app = visit(ROOM, show=section, hiding=way, hidden="8x8_1-9.20", hidden_share="40")
    assert not message_text(app, "warning"), message_text(app, "warning")
    assert "How it is computed" in [element.value for element in app.subheader]
    count = 10 if way == "by hand" else round(0.4 * 64)
    assert f"{count} of 64 patches are hidden" in prose(app)


def test_a_click_hides_one_more_patch_and_from_then_on_the_choice_is_by_hand(visit):
    app = visit(ROOM, show="Fill the gaps")
    assert f"{len(PLACES)} of 64 patches are hidden (75%)" in prose(app)
    app.selectbox(key="hiding").set_value("block").run()
    assert f"{len(PLACES)} of 64 patches are hidden (75%)" in prose(app)
    app.selectbox(key="hiding").set_value("random").run()
    app.selectbox(key="hiding").set_value("by hand").run()
    assert app.query_params["hidden"] == "8x8_" + encoded(PLACES)
    assert f"{len(PLACES)} of 64 patches are hidden" in prose(app)
    next(button for button in app.button if button.label == "Swap hidden and shown").click().run()
    assert f"{64 - len(PLACES)} of 64 patches are hidden" in prose(app)
    next(button for button in app.button if button.label == "Show all").click().run()
    assert NOTHING_HIDDEN in prose(app)
    app.run()
    assert NOTHING_HIDDEN in prose(app)  # and not another random draw
    app.slider(key="hidden_share").set_value(50).run()
    assert "32 of 64 patches are hidden (50%)" in prose(app)
    assert not message_text(app, "warning")


@pytest.mark.parametrize("section", [gaps.SECTION.name, sources.SECTION.name])
def test_what_cannot_be_shown_gets_one_sentence(visit, section):
    app = visit(ROOM, show=section, hiding="by hand", hidden="8x8_0-63")
    assert "All 64 patches are hidden, so there is nothing to guess from" in message_text(app, "warning")
    assert any(button.label == "Show all" and not button.disabled for button in app.button)
    app = visit(ROOM, show=section, hiding="by hand", hidden="9x9_0-3")
    assert "belonged to a grid of 9 × 9" in message_text(app, "info")
    assert "cannot be read" in message_text(visit(ROOM, show=section, hiding="by hand", hidden="<script>"), "info")
    assert not message_text(visit(ROOM, show=section, hiding="", gaps_target="", hidden_share="12345"), "warning")


@pytest.mark.usefixtures("at_home")
def test_a_vit_mae_from_a_folder_fills_the_gaps_of_its_own_grid(visit, tmp_path):
    folder = str(save_autoencoder("ForPreTraining", tmp_path / "mae", norm_pix_loss=True))
    app = visit(ROOM, show="Fill the gaps", autoencoder=folder)
    assert not message_text(app, "warning"), message_text(app, "warning")
    assert "12 of 16 patches are hidden (75%)" in prose(app)
    assert gaps.SECTION.text("Normalised patches") in [
        caption.value for caption in app.caption
    ]  # it learned nothing else
    app = visit(ROOM, show="Who told it?", autoencoder=folder)
    assert "12 of 16 patches are hidden" in prose(app)
    other = str(save_vision_model("vit", tmp_path / "vit"))
    assert "does not fill in hidden patches" in message_text(
        visit(ROOM, show="Fill the gaps", autoencoder=other), "warning"
    )
    assert "on the page Reconstruction" in message_text(visit("explore/text", model=folder), "warning")
    assert "on the page Reconstruction" in message_text(visit("explore/image", network=folder), "warning")


def test_where_the_weights_are_missing_the_page_says_how_to_make_them(visit, monkeypatch, tmp_path):
    monkeypatch.setattr(models, "load_autoencoder", lambda name, **_: LOAD(name, weights=tmp_path))
    for section in (gaps.SECTION.name, sources.SECTION.name):
        assert "make train-mae" in message_text(visit(ROOM, show=section), "warning")


def test_errors_are_those_of_hidden_patches_and_guesses_never_change_what_is_seen():
    chosen = Hidden("mae", "cat", PLACES, "plain")
    filled = compute_autoencoder.fill(chosen)
    truth = patches_of(filled.truth[None], 8)[0]
    for name, picture in {**filled.guesses, **filled.fillings}.items():
        squares = (patches_of(picture[None], 8)[0] - truth).square()
        assert filled.errors[name] == pytest.approx(float(squares[chosen.mask].mean()), rel=1e-4)
    mixed = patches_of(filled.mixed("plain")[None], 8)[0]
    assert torch.equal(mixed[~chosen.mask], truth[~chosen.mask])
    guess = patches_of(filled.guesses["plain"][None], 8)[0]
    assert torch.equal(mixed[chosen.mask], guess[chosen.mask])
    torch.testing.assert_close(
        filled.patch_errors("plain").flatten(), (guess - truth).square().mean(dim=1), atol=1e-6, rtol=1e-4
    )


errors = some.floats(0.0005, 0.3)


@given(errors, some.lists(errors, min_size=3, max_size=3))
@settings(max_examples=60)
def test_the_nearest_filling_is_named_with_how_much_it_is_off(own, others):
    given_errors = {"plain": own, **dict(zip(FILLINGS, others, strict=True))}
    sentence = gaps.tell_nearest(given_errors, "plain")
    assert f"**{own:.4f}**" in sentence
    best = sorted(zip(others, FILLINGS, strict=True), key=lambda one: one[0])[0]
    assert best[1] in sentence
    if abs(own - best[0]) <= 0.05 * best[0]:
        assert "about that of" in sentence
    else:
        assert ("less than" if own < best[0] else "more than") in sentence
        assert f"{abs(own - best[0]) / best[0]:.0%}" in sentence
    helped = gaps.tell_nearest({"normalised": own} | given_errors, "normalised")
    assert "no filling can be compared with that" in helped


@pytest.mark.parametrize(
    ("own", "other", "says"),
    [
        ((2 / 255) ** 2, 0.0, "(bilinear) is exact"),  # of a black photograph
        (0.0, 0.0, "exact as the best filling"),
        (4e-5, 2e-5, "100% more"),  # both would be 0.0000
    ],
)
def test_a_filling_that_is_exact_or_nearly_so_is_not_called_equal(own, other, says):
    given_errors = {"plain": own, **dict.fromkeys(FILLINGS, 0.5), "bilinear": other}
    sentence = gaps.tell_nearest(given_errors, "plain")
    assert says in sentence
    assert "about that of" not in sentence


def test_a_black_photograph_is_filled_exactly_and_the_network_is_told_by_its_levels():
    by_patch, mask = np.full((4, 4), (2 / 255) ** 2), np.ones(16, dtype=bool)
    mask[0] = False
    sentences = gaps.noticed({"plain": (2 / 255) ** 2, "bilinear": 0.0}, by_patch, mask, "plain")
    assert "is exact" in sentences[0]
    assert "all 15 hidden patches about as well" in sentences[1]
    assert "about 2.0 of 255 levels" in sentences[2]
    exact = gaps.noticed({"plain": 0.0, "bilinear": 0.0}, np.zeros((4, 4)), mask, "plain")
    assert "worst" not in " ".join(exact)


@given(some.integers(0, 10**6), some.integers(1, 15))
@settings(max_examples=30)
def test_the_best_and_the_worst_patch_are_hidden_ones(seed, count):
    dice = np.random.default_rng(seed)
    by_patch, mask = dice.random((4, 4)), np.zeros(16, dtype=bool)
    mask[dice.permutation(16)[:count]] = True
    sentences = gaps.noticed({"plain": 0.01, "bilinear": 0.02}, by_patch, mask, "plain")
    assert f"{count} of 16 patches {'is' if count == 1 else 'are'} hidden" in sentences[0]
    assert "about 26 of 255 levels" in sentences[-1]
    if count == 1:
        assert len(sentences) == 2
        return
    if "about as well" in sentences[1]:
        hidden = by_patch.ravel()[mask]
        assert hidden.max() - hidden.min() <= 0.05 * hidden.max()
        return
    own = [(by_patch[row, column], row, column) for row in range(4) for column in range(4) if mask[4 * row + column]]
    for patch, word in ((min(own), "best"), (max(own), "worst")):
        assert f"row {patch[1]}, column {patch[2]}** {word}" in sentences[1]
    half = sorted((patch[0] for patch in own), reverse=True)[: (count + 1) // 2]
    assert f"{sum(half) / sum(patch[0] for patch in own):.0%}" in sentences[1]


def test_where_nothing_is_hidden_nothing_is_claimed():
    assert gaps.noticed({}, np.zeros((4, 4)), np.zeros(16, dtype=bool), "plain") == (NOTHING_HIDDEN,)


def one_told(layer, visible, others, own, class_token, far) -> DecoderAttentionShares:
    return DecoderAttentionShares(layer, *(torch.tensor(values) for values in (visible, others, own, class_token, far)))


def test_sentences_of_sources_say_the_means_of_what_was_recorded():
    layers = (
        one_told(0, [0.2, 0.4], [0.5, 0.3], [0.2, 0.1], [0.1, 0.2], [2.0, 3.0]),
        one_told(1, [0.8, 0.6], [0.1, 0.3], [0.1, 0.0], [0.0, 0.1], [1.0, 1.5]),
    )
    sentence = sources.tell_shares(layers, 0.25)
    assert "**50%** of its attention to visible patches, 30% to other hidden ones, 10% to itself and 10%" in sentence
    assert f"{0.5 / 0.9 / 0.25:.1f} times their share" in sentence
    heads = sources.tell_heads(layers)
    assert "most in **layer 1, head 0** (80%) and least in layer 0, head 0 (20%)" in heads
    assert "about as much" in sources.tell_heads((one_told(0, [0.5], [0.5], [0.0], [0.0], [1.0]),))
    reach = sources.tell_reach(layers, [3.0, 2.0, 1.0])
    assert "1.2 patches away on average in layer 1 and 2.5 in layer 0" in reach
    assert "3.0 patches away in the first layer and 1.0 in the last" in reach


def test_the_view_holds_every_layer_then_all_of_them_and_begins_at_a_hidden_patch(untrained):
    chosen = Hidden("mae", "cat", PLACES, "plain")
    scene = sources.scene_of(chosen)
    assert [(layer.group, layer.label) for layer in scene.layers] == [
        ("encoder", "0"),
        ("encoder", "1"),
        ("decoder", "0"),
        ("decoder", "1"),
        ("decoder", "all layers"),
        (sources.BOTH, "all layers"),
    ]
    assert scene.place in PLACES
    assert scene.layers[0].absent == PLACES
    assert scene.layers[2].absent == ()
    pixels = compute_autoencoder.prepare("mae", "cat").pixels
    with torch.no_grad(), record_attention(untrained.network) as record:
        untrained.run(pixels, chosen.mask)
    for layer, call in zip(scene.layers[2:4], record.calls[2:], strict=True):
        np.testing.assert_allclose(layer.weights(1), call.weights(1).numpy())
    layer, head = scene.start
    visible = [1 + place for place in range(64) if place not in PLACES]
    queries = [1 + place for place in PLACES]
    shares = {
        (number, one): scene.layers[number].weights(one)[queries][:, visible].sum(axis=1).mean()
        for number in (2, 3)
        for one in range(2)
    }
    assert shares[layer, head] == pytest.approx(max(shares.values()))


def test_nothing_is_told_of_sources_where_nothing_is_hidden(visit):
    app = visit(ROOM, show="Who told it?", hiding="by hand", hidden="8x8_")
    assert NOTHING_HIDDEN in message_text(app, "info")
