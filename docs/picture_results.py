"""Held-out results of the models that see or draw pictures."""

from collections.abc import Mapping
from functools import partial

from core.published import caption_results
from core.results import (
    attention_gan_results,
    captioning_results,
    classifier_results,
    clip_results,
    dalle_results,
    grounding,
    image_gpt_results,
    joint_results,
    mae_results,
)
from docs.result_rows import (
    BITS,
    BLEU,
    DISTANCE,
    SHARE,
    SQUARED_ERROR,
    WEIGHTS,
    Baseline,
    Result,
    parameters,
    read,
    share,
)

MASKED = 0.75  # of the patches of `mae`, as in its training
TEST = "test"  # the split of drawn scenes that are like those of the training
NETWORKS = {"lstm": "LSTM", "transformer": "transformer"}
CIFAR_CLASSES = {
    "mean of the templates": ("all", 2 * clip_results.PICTURES),
    "mean, classes with a counterpart": ("those that its picture encoder knew as a classifier", clip_results.PICTURES),
    "mean, classes without one": ("the others", clip_results.PICTURES),
}
WRONG = {"colour": "a wrong colour", "shape": "a wrong shape", "order": "two things exchanged"}
STREAMS = {"one-stream": "one stream", "two-streams": "two streams"}
KINDS = {"all words": "all words", "colour": "colours"}
Shares = Mapping[str, dalle_results.Share]  # by kind of word
METHODS = {"attention": "attention", "gradient": "gradient x attention", "occlusion": "occlusion"}


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


def captioning() -> list[Result]:
    """BLEU-4 of captions of photographs, and how many captions of drawn scenes are true."""
    results = captioning_results.results()
    bleu = {captioner.name: captioner.scores["BLEU-4"] for captioner in results.scores}
    true = {captions.name: captions.true for captions in results.true if captions.split == TEST}
    copied = {"nearest neighbour": "caption of the most similar photograph", "most frequent": "most frequent caption"}
    others = (
        *(Baseline(name, bleu[key]) for key, name in copied.items()),
        *(Baseline(f"{row.model.lower()} on larger pictures ({row.source})", row.bleu_4) for row in caption_results()),
    )
    rows = []
    for kind, name in NETWORKS.items():
        photographs, scenes = f"photographs-{kind}", f"scenes-{kind}"
        measure, size = "BLEU-4, 1,000 test photographs of Flickr8k", parameters("captioning", photographs)
        rows.append(Result("captioning", f"{name}, photographs", measure, bleu[photographs], BLEU, others, size))
        measure, size = "captions that are true of their scene", parameters("captioning", scenes)
        rows.append(Result("captioning", f"{name}, drawn scenes", measure, true[scenes], SHARE, (), size))
    return rows


def clip() -> list[Result]:
    """Retrieval of photographs and emoji, true sentences of drawn scenes, and classes by their names."""
    results = clip_results.results()
    retrievals = {retrieval.name: retrieval for retrieval in results.retrievals}
    own, emoji = retrievals["photographs: text to picture"], retrievals["emoji: text to picture"]
    similar = retrievals["photographs: text to picture, words of the nearest photograph"]
    photograph = partial(share, "clip", "photographs", parameters=parameters("clip", "photographs"))
    symbol = partial(share, "clip", "emoji", parameters=parameters("clip", "emoji"))
    measure = "recall at 10, captions to 1,000 photographs of Flickr8k"
    chance = results.classes["chance"]
    return [
        photograph(measure, own.recall[10], own.of, [("words of the most similar photograph", similar.recall[10])]),
        *(
            photograph(f"CIFAR-10 by the names of its classes: {classes}", results.classes[key], count, chance=chance)
            for key, (classes, count) in CIFAR_CLASSES.items()
        ),
        symbol(f"recall at 10, names to {emoji.of} emoji", emoji.recall[10], emoji.of, chance=10 / emoji.of),
        *scene_sentences(*(split for split in results.exchanged if split.split == TEST)),
    ]


def scene_sentences(scores: clip_results.SentencePreferences) -> list[Result]:
    """How often CLIP prefers the true sentence of a drawn scene, beside the mean of its words read one by one."""
    row = partial(share, "clip", "drawn scenes", parameters=parameters("clip", "scenes"))
    alone = "mean of its words, read one by one"
    chosen_alone = read("clip")["scenes"]["results"][TEST]["chosen, words alone"]
    return [
        row("the true one of ten sentences", scores.chosen, scores.questions, [(alone, chosen_alone)], chance=0.1),
        *(
            row(
                f"true sentence above one with {wrong}",
                scores.by_kind[kind],
                scores.pairs[kind],
                # The words read one by one are the same in either order.
                [] if kind == "order" else [(alone, scores.alone[kind])],
                chance=0.5,
            )
            for kind, wrong in WRONG.items()
        ),
    ]


def vilbert() -> list[Result]:
    """Masked words with the picture, with another one and without; true sentences above false ones."""
    results = joint_results.results()
    words = {(shares.name, shares.picture): shares for shares in results.words if shares.split == TEST}
    lies = {shares.name: shares for shares in results.lies if shares.split == TEST}
    rows = []
    for kind, name in STREAMS.items():
        row = partial(share, "vilbert", name, parameters=parameters("vilbert", kind))
        own, other, none = (words[kind, picture] for picture in joint_results.SHOWN)
        everything = joint_results.ALL
        baselines = [
            ("with another picture", other.by_kind[everything]),
            ("without a picture", none.by_kind[everything]),
        ]
        rows.append(row("masked content words right", own.by_kind[everything], own.counts[everything], baselines))
        for key, wrong in WRONG.items():
            measure, match = f"true sentence above one with {wrong}", lies[kind]
            rows.append(row(measure, match.by_kind[key], match.counts[key], chance=0.5))
    return rows


def dalle() -> list[Result]:
    """Words that hold in a drawing, and emoji nearer to their own name."""
    results = dalle_results.results()
    scenes, emoji = (parameters("dalle", "drawers", world) for world in ("scenes", "emoji"))
    return [
        *(
            words_that_hold("dalle", results.held[TEST], candidates, kind, scenes)
            for candidates in ("1", "16")
            for kind in KINDS
        ),
        *own_names("dalle", results.drawers["emoji"].own_name, emoji),
    ]


def attention_gan() -> list[Result]:
    """Words that hold in pictures of the attention GAN, emoji nearer to their own name, and the Fréchet distance."""
    results = attention_gan_results.results()
    size, emoji, cut = results.painters["scenes"].parameters, results.painters["emoji"], results.looks["cut"]
    distances = {name: crowd.frechet for name, crowd in results.crowds.items()}
    others = {
        "cut": "attention to words cut",
        attention_gan_results.DALLE: "`dalle`",
        attention_gan_results.TRUE: "other true scenes",
    }
    return [
        *(words_that_hold("attention-gan", results.held[TEST], "1", kind, size, cut) for kind in KINDS),
        Result(
            "attention-gan",
            "drawn scenes",
            "Fréchet distance from true scenes, features of `scene-reader`",
            distances["as learned"],
            DISTANCE,
            tuple(Baseline(name, distances[key]) for key, name in others.items()),
            size,
        ),
        *own_names("attention-gan", emoji.own_name, emoji.parameters),
    ]


def words_that_hold(
    folder: str,
    scores: Mapping[str, Shares],
    candidates: str,
    kind: str,
    parameters: int,
    cut: Shares | None = None,
) -> Result:
    """The share of words of a sentence that hold in the best of so many pictures, beside pictures of other sentences.

    `cut` holds the same shares with attention to words cut.
    """
    own, other = scores[candidates][kind], scores[dalle_results.CHANCE][kind]
    baselines = [Baseline("picture of another sentence", other.share, other.error)]
    if cut is not None:
        baselines.append(Baseline("attention to words cut", cut[kind].share, cut[kind].error))
    pictures = "one picture" if candidates == "1" else f"the best of {candidates} by CLIP"
    measure = f"words that hold: {KINDS[kind]}, {pictures}"
    return Result(folder, "drawn scenes", measure, own.share, SHARE, tuple(baselines), parameters, own.error)


def own_names(folder: str, own_name: float | None, parameters: int) -> list[Result]:
    """The share of drawn emoji nearer to their own name than to another; no row where it was not measured."""
    measure, chance = "nearer to their own name than to another", (Baseline("chance", 0.5),)
    return [] if own_name is None else [Result(folder, "emoji", measure, own_name, SHARE, chance, parameters)]


def scene_reader() -> list[Result]:
    """The share of new scenes that the reader of scenes reads without a mistake."""
    own = dalle_results.reader()[TEST].whole_scenes
    return [Result("scene-reader", "judges both", "new scenes read without a mistake", own, SHARE)]


def pointing_game() -> list[Result]:
    """How often the maximum of a word's map lies on what the word refers to, beside maps that ignore the word."""
    rows = [row for row in grounding.rows() if row.kind == grounding.ALL]
    names = {"random": "random place", "centre": "centre of the picture"}
    baselines = tuple(
        Baseline(names[row.way], row.pointing, row.pointing_error) for row in rows if row.model == grounding.BASELINE
    )
    return [
        Result(
            folder,
            variant,
            f"strongest place is right, by {METHODS[row.way]}",
            row.pointing,
            SHARE,
            baselines,
            error=row.pointing_error,
        )
        for row in rows
        if row.way in METHODS
        for folder, _, variant in [row.model.partition("/")]
    ]
