"""What a masked autoencoder has learned without labels: a linear probe of its frozen encoder (He et al. 2022, 4.1)."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from core.models.mae import MaskedAutoencoder
from core.results.mae_results import CLASS, FEATURES, LABELS, PATCHES, PIXELS, TRAINED, UNTRAINED
from training.mae.fine_tuning import sample_per_class
from training.tiny_imagenet.data import normalise
from training.tiny_imagenet.report import shrink

BATCH_SIZE = 250  # pictures in one forward pass
PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1)  # of squared weights, of which the best on a tenth left aside is taken
ROUNDS = 60  # of L-BFGS

Features = Float[Tensor, "_ feature"]


def probes(
    network: MaskedAutoencoder, train: tuple[Tensor, Tensor], validation: tuple[Tensor, Tensor]
) -> dict[str, dict[str, float]]:
    """Top-1 of a linear classifier on each of FEATURES, by per cent of the labels."""
    torch.manual_seed(1)
    untrained = MaskedAutoencoder(network.config).eval()
    numbers_by_share = {share: sample_per_class(train[1], share / 100) for share in LABELS}
    accuracies: dict[str, dict[str, float]] = {str(share): {} for share in LABELS}
    for name, features in zip(FEATURES, _kinds(network, untrained), strict=True):
        train_features, validation_features = features(train[0]), features(validation[0])
        for share, numbers in numbers_by_share.items():
            classify = fit_probe(train_features[numbers], train[1][numbers])
            right = (classify(validation_features).argmax(dim=1) == validation[1]).float().mean()
            accuracies[str(share)][name] = round(right.item(), 4)
    return accuracies


def _kinds(trained: MaskedAutoencoder, untrained: MaskedAutoencoder) -> Sequence[Callable[[Tensor], Features]]:
    """The functions from pictures to each of FEATURES, in that order."""

    def encoded(network: MaskedAutoencoder, read: str) -> Callable[[Tensor], Features]:
        return lambda pictures: both(network, pictures)[read]

    networks = {TRAINED: trained, UNTRAINED: untrained}
    # Both kinds of features come from one pass, which takes minutes.
    both = cache(encode)
    features_by_name = {
        f"{name}, {read}": encoded(networks[name], read) for name in networks for read in (PATCHES, CLASS)
    }
    features_by_name[PIXELS] = lambda pictures: torch.cat(
        [shrink(normalise(part.float() / 255)) for part in pictures.split(1000)]
    )
    return [features_by_name[name] for name in FEATURES]


@torch.inference_mode()
def encode(network: MaskedAutoencoder, pictures: Tensor) -> Mapping[str, Features]:
    """The encoder's features of pictures without masks: the mean of all patches, and the class token."""
    with torch.autocast("cpu", torch.bfloat16):
        encoded = [network.encoder(normalise(part.float() / 255)) for part in pictures.split(BATCH_SIZE)]
    parts = [part.float() for part in encoded]
    return {
        PATCHES: torch.cat([part[:, 1:].mean(dim=1) for part in parts]),
        CLASS: torch.cat([part[:, 0] for part in parts]),
    }


def fit_probe(features: Features, labels: Int[Tensor, " _"]) -> Callable[[Features], Tensor]:
    """Multinomial logistic regression on standardised features; a tenth of them is held out to choose the penalty."""
    middle, spread = features.mean(dim=0), features.std(dim=0).clamp_min(1e-6)
    standardised = (features - middle) / spread
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
    validation, training = order[: len(order) // 10], order[len(order) // 10 :]

    def validation_accuracy(penalty: float) -> float:
        weight, bias = _fit(standardised[training], labels[training], int(labels.max()) + 1, penalty)
        return ((standardised[validation] @ weight + bias).argmax(dim=1) == labels[validation]).float().mean().item()

    best = max(PENALTIES, key=validation_accuracy) if len(validation) else PENALTIES[0]
    weight, bias = _fit(standardised, labels, int(labels.max()) + 1, best)
    return lambda inputs: (inputs - middle) / spread @ weight + bias


def _fit(features: Features, labels: Tensor, classes: int, penalty: float) -> tuple[Tensor, Tensor]:
    weight = torch.zeros(features.shape[1], classes, requires_grad=True)
    bias = torch.zeros(classes, requires_grad=True)
    optimiser = torch.optim.LBFGS([weight, bias], max_iter=ROUNDS, history_size=10, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = F.cross_entropy(features @ weight + bias, labels) + penalty * weight.square().sum()
        value.backward()
        return value

    optimiser.step(loss)
    return weight.detach(), bias.detach()
