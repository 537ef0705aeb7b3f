"""Held-out results of the models that see pictures: classifiers, masked patches, next pixels."""

from core.results import classifier_results, image_gpt_results, mae_results
from docs.result_rows import BITS, SQUARED_ERROR, WEIGHTS, Baseline, Result, parameters, read, share

MASKED = 0.75  # of the patches of `mae`, as in its training


def tiny_imagenet() -> list[Result]:
    """Top-1 and top-5 of four image classifiers beside a logistic regression of pixels."""
    return [
        share(
            folder,
            "",
            f"{name}, a hundred classes of Tiny ImageNet",
            value,
            quality.pictures,
            [("logistic regression of pixels", read(folder)["logistic_regression"][key])],
            parameters=quality.parameters,
        )
        for folder in (f"{kind}-tiny-imagenet" for kind in ("vit", "swin", "resnet", "plain"))
        for quality in [classifier_results.quality(WEIGHTS / folder)]
        for key, name, value in (("top1", "top-1", quality.top1), ("top5", "top-5", quality.top5))
    ]


def hybrid_vit() -> list[Result]:
    """The hybrid beside EfficientNet, which taught it: how often right, and how often of the same opinion."""
    results = read("hybrid-vit")
    own, taught_by = (results["accuracy"][name]["top-1"] for name in ("hybrid-vit", "efficientnet-lite0"))
    agreed = results["agreement"]["Flickr8k, test"]
    return [
        share(
            "hybrid-vit",
            "",
            "top-1 of 1,000 names, pictures of Tiny ImageNet",
            own,
            results["validation"]["pictures"],
            [("EfficientNet, which taught it", taught_by)],
            parameters=results["parameters"],
        ),
        share(
            "hybrid-vit",
            "",
            "the first answer is EfficientNet's, photographs of Flickr8k",
            agreed["first"],
            agreed["pictures"],
            [("always its commonest answer", agreed["commonest answer"])],
            parameters=results["parameters"],
        ),
    ]


def mae() -> list[Result]:
    """Reconstruction with most patches masked, linear probes, and fine-tuning."""
    results, size = mae_results.results(), parameters("mae")
    (errors,) = [errors.by_filling for errors in results.errors if errors.share == MASKED]
    own, own_error = errors[mae_results.NETWORK]
    fillings = ("bilinear", "mean colour", "nearest visible patch")
    others = ("untrained, mean of patches", "untrained, class token", "pixels")
    tuned = [results.tuned_with(labels) for labels in mae_results.LABELS]
    return [
        Result(
            "mae",
            "",
            f"mean squared error, {MASKED:.0%} of the patches masked",
            own,
            SQUARED_ERROR,
            tuple(Baseline(name, *errors[name]) for name in fillings),
            size,
            own_error,
        ),
        *(
            share(
                "mae",
                "linear probe",
                f"top-1, {probe.labels}% of the labels",
                probe.top1["trained, mean of patches"],
                results.validation,
                [(name, probe.top1[name]) for name in others],
                parameters=size,
            )
            for probe in results.probes
        ),
        *(
            share(
                "mae",
                "fine-tuned",
                f"top-1, {run.labels}% of the labels, {run.steps} steps",
                run.top1,
                results.validation,
                [("from random weights", runs[mae_results.SCRATCH].top1)],
                parameters=size,
            )
            for runs in tuned
            for run in [runs[mae_results.AUTOENCODER]]
        ),
    ]


def image_gpt() -> list[Result]:
    """Bits of the next pixel, masked pixels, and a linear probe."""
    results = image_gpt_results.results()
    bits, filled, probe = results.bits, results.filled, results.probe
    if not (bits and filled and probe):
        return []
    layers = probe.layers[image_gpt_results.NEXT]
    best = max(range(len(layers)), key=layers.__getitem__)
    own, drawn = bits.by_way[image_gpt_results.IMAGE_GPT], filled.errors[image_gpt_results.MEAN]
    neighbours = filled.errors[image_gpt_results.NEIGHBOURS]
    counts = {"left and above": "counts of the pixels left and above", "palette histogram": "histogram of colours"}
    return [
        Result(
            "image-gpt",
            "next pixel",
            f"bits of a pixel of {read('image-gpt')['next']['sizes']['colours']} colours, CIFAR-10",
            own.mean,
            BITS,
            tuple(Baseline(name, bits.by_way[way].mean, bits.by_way[way].error) for way, name in counts.items()),
            parameters("image-gpt", "next"),
            own.error,
        ),
        Result(
            "image-gpt",
            "masked pixels",
            f"mean squared error, {filled.share:.0%} of the pixels masked",
            drawn.mean,
            SQUARED_ERROR,
            (Baseline("mean of neighbours", neighbours.mean, neighbours.error),),
            parameters("image-gpt", "hidden"),
            drawn.error,
        ),
        share(
            "image-gpt",
            f"linear probe after layer {best}, the best of {len(layers)} places on these pictures",
            f"right, {probe.test} pictures of CIFAR-10",
            layers[best],
            probe.test,
            [
                ("untrained network, same layer", probe.layers[image_gpt_results.UNTRAINED][best]),
                ("pixels", probe.pixels),
            ],
            parameters=parameters("image-gpt", "next"),
        ),
    ]
