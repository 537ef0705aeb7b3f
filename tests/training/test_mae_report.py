"""The masked autoencoder measured: whose pictures, which errors, what is stored, and that a reader takes it."""

import json
from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.flop_counter import FlopCounterMode

from core.errors import ModelError
from core.models.mae import MAEConfig, MaskedAutoencoder
from core.models.stored_weights import save_weights
from core.results.mae_results import AUTOENCODER, FEATURES, FILLED_BY, NETWORK, PATCHES, SCRATCH, results
from core.vision.fillings import BILINEAR, FILLINGS
from core.vision.patch_masks import RANDOM, error_of, hide_patches, pixel_mask
from core.vision.skipped_patches import ALL, FORWARD, STEP, VISIBLE, count_operations, measure
from core.zoo.masked_autoencoders import load_autoencoder
from training.mae import fine_tuning
from training.mae import report as mae_report
from training.mae.fine_tuning import sample_per_class
from training.mae.linear_probe import encode, fit_probe
from training.mae.report import errors_by_share, sample_pictures

SMALL = MAEConfig(64, 8, 16, 1, 2, 8, 1, 2)


@pytest.fixture
def data(tmp_path):
    """Six classes, of each six pictures to learn from and two held out: noise around a colour of the class."""
    dice, arrays = np.random.default_rng(0), {}
    for split, count in (("train", 36), ("val", 12)):
        files = []
        for number in range(count):
            own = number % 6
            colour = [200 * ((own % 3 == channel) == (own < 3)) + 20 for channel in range(3)]
            noise = dice.integers(-15, 16, (64, 64, 3))
            file = BytesIO()
            Image.fromarray((np.array(colour) + noise).clip(0, 255).astype(np.uint8)).save(file, "PNG")
            files.append(np.frombuffer(file.getvalue(), dtype=np.uint8))
        arrays[f"{split}_jpeg"] = np.concatenate(files)
        arrays[f"{split}_offsets"] = np.cumsum([0, *map(len, files)])
        arrays[f"{split}_labels"] = np.arange(count) % 6
    np.savez(tmp_path / "tiny_imagenet_100.npz", **arrays)
    return tmp_path


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run of `training.mae.train` that has learned nothing."""
    for module in (mae_report, fine_tuning):
        monkeypatch.setattr(module, "CONFIG", SMALL)
    monkeypatch.setattr(mae_report, "SHARES", (25, 75))
    torch.manual_seed(0)
    folder = tmp_path / "runs" / "mae"
    save_weights(MaskedAutoencoder(SMALL), folder / "model.safetensors")
    story = {"plan": {"steps": 7}, "batch": 4, "seconds": 120.0, "hardware": "a card"}
    (folder / "run.json").write_text(json.dumps(story))
    return folder


def test_the_report_and_fine_tuning_write_what_the_page_reads(data, run, tmp_path, monkeypatch):
    out, tuned = tmp_path / "weights" / "mae", tmp_path / "runs" / "tuned"
    report = ["mae_report", "--data", str(data), "--run", str(run), "--out", str(out), "--tuned", str(tuned)]
    monkeypatch.setattr("sys.argv", [*report, "--pictures", "5"])
    mae_report.main()
    measurements = results(out)
    assert (measurements.pictures, measurements.validation, measurements.tuned) == (5, 12, ())
    assert [error.share for error in measurements.errors] == [0.25, 0.75]
    assert all(set(probe.top1) == set(FEATURES) for probe in measurements.probes)
    assert measurements.probes[1].top1["pixels"] == 1.0  # the colours give the class away
    assert "Not yet run." in (out / "CARD.md").read_text()
    for start in (AUTOENCODER, SCRATCH):
        arguments = ["--data", str(data), "--labels", "10", "--start", start, "--steps", "2", "--run", str(tuned)]
        monkeypatch.setattr("sys.argv", ["mae_fine_tuning", *arguments, "--weights", str(out.parent)])
        fine_tuning.main()
    monkeypatch.setattr("sys.argv", [*report, "--pictures", "5"])
    mae_report.main()
    measurements = results(out)
    assert [(one.labels, one.start, one.steps) for one in measurements.tuned] == [
        (10, AUTOENCODER, 2),
        (10, SCRATCH, 2),
    ]
    card = (out / "CARD.md").read_text()
    assert "7 steps of 4 pictures, three quarters of the patches hidden; 2 minutes on\na card" in card
    assert "| 10 % | autoencoder | 2 |" in card
    assert "{" not in card


def test_errors_are_means_over_pictures_with_their_standard_errors(run, tmp_path):
    out = tmp_path / "weights" / "mae"
    mae_report.install(run / "model.safetensors", out)
    reader = load_autoencoder("mae", weights=out.parent)
    pictures = torch.randint(0, 256, (4, 3, 64, 64), dtype=torch.uint8)
    mean_errors = errors_by_share(reader, pictures)["75"]
    alone: dict[str, list[float]] = {name: [] for name in FILLED_BY}
    for number, picture in enumerate(pictures):
        truth, hidden = picture.float() / 255, hide_patches(RANDOM, 8, 8, 0.75, seed=number)
        where = pixel_mask(hidden, 8, 8, 8)
        mean, deviation = (
            torch.tensor(statistic)[:, None, None] for statistic in (reader.framing.mean, reader.framing.std)
        )
        guess = reader.run((truth - mean)[None] / deviation, hidden)["plain"]
        alone[NETWORK].append(error_of(guess, truth, where))
        for name, fill in FILLINGS.items():
            alone[name].append(error_of(fill(truth, hidden, 8), truth, where))
    for name, errors in alone.items():
        assert mean_errors[name] == pytest.approx(np.mean(errors), rel=1e-3)
        assert mean_errors[f"{name}, standard error"] == pytest.approx(np.std(errors, ddof=1) / 2, rel=1e-2)
    assert mean_errors[BILINEAR] < mean_errors["nearest visible patch"]


def test_of_each_class_a_share_is_labelled_and_always_the_same():
    labels = torch.arange(60) % 3
    few = sample_per_class(labels, 0.1)
    assert torch.equal(labels[few].bincount(), torch.tensor([2, 2, 2]))
    assert torch.equal(few, sample_per_class(labels, 0.1))
    assert sorted(sample_per_class(labels, 1.0).tolist()) == list(range(60))
    assert len(sample_per_class(labels, 0.001)) == 3
    assert len({tuple(sample.tolist()) for sample in sample_pictures(torch.arange(20)[:, None], 5)}) == 5


def test_a_probe_finds_what_is_linear_and_only_that():
    dice = torch.Generator().manual_seed(0)
    features = torch.randn(600, 5, generator=dice)
    labels = (3 * features[:, 1] - features[:, 4] > 0.5).long()
    classify = fit_probe(features[:400] * 40 + 7, labels[:400])
    right = (classify(features[400:] * 40 + 7).argmax(dim=1) == labels[400:]).float().mean()
    assert right > 0.97


def test_features_are_the_encoders_own_of_all_patches():
    network = MaskedAutoencoder(SMALL).eval()
    pictures = torch.randint(0, 256, (3, 3, 64, 64), dtype=torch.uint8)
    with torch.no_grad():
        vectors = network.encoder(mae_report.normalise(pictures.float() / 255))
    # They are computed in bfloat16.
    torch.testing.assert_close(encode(network, pictures)[PATCHES], vectors[:, 1:].mean(dim=1), atol=0.03, rtol=0.03)


@pytest.mark.parametrize("visible", [1, 16, 64])
def test_multiply_adds_are_those_that_torch_counts(visible):
    config = MAEConfig(64, 8, 32, 3, 2, 16, 2, 2)
    network, places = MaskedAutoencoder(config), torch.arange(visible)[None]
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        network.decoder(network.encoder(torch.zeros(1, 3, 64, 64), places), places)
    assert counter.get_total_flops() == 2 * count_operations(config, visible)


def test_what_is_left_out_saves_time_and_changes_no_weight():
    heard = []
    config = MAEConfig(64, 8, 64, 3, 2, 16, 1, 2)
    saving = measure(config, lambda done, total: heard.append((done, total)), batch=8, repeats=2)
    assert heard[-1] == (12, 12)
    assert saving.operations == {ALL: count_operations(config, 64), VISIBLE: count_operations(config, 16)}
    assert saving.times() == pytest.approx(count_operations(config, 64) / count_operations(config, 16))
    for work in (FORWARD, STEP):
        assert saving.times(work) == pytest.approx(saving.seconds[work][ALL] / saving.seconds[work][VISIBLE])
        assert min(saving.seconds[work].values()) > 0


def test_results_that_make_no_sense_name_their_field(data, run, tmp_path, monkeypatch):
    out = tmp_path / "weights" / "mae"
    monkeypatch.setattr("sys.argv", ["mae_report", "--data", str(data), "--run", str(run), "--out", str(out)])
    mae_report.main()
    good = json.loads((out / "results.json").read_text())
    for change, message in (
        ({"errors": {"many": good["errors"]["75"]}}, "'errors.many' is not a share"),
        ({"probe": {"10": good["probe"]["10"]}}, "'probe.100' is missing"),
        ({"saving": None}, "'saving' is missing"),
        ({"fine_tuning": {"10": {AUTOENCODER: {"top1": 2}}}}, "'fine_tuning.10.autoencoder.top1' is 2"),
    ):
        (out / "results.json").write_text(json.dumps(good | change))
        with pytest.raises(ModelError, match=message):
            results(out)
