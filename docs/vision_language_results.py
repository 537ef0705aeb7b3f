"""Held-out results of the models that read pictures with words: captions, CLIP, ViLBERT, and the pointing game."""

from functools import partial

from core.published import caption_results
from core.results import captioning_results, clip_results, grounding, joint_results
from docs.result_rows import BLEU, CORRELATION, SHARE, Baseline, Result, parameters, read, share

TEST = "test"  # the split of drawn scenes that are like those of the training
CAPTIONERS = {"lstm": "LSTM", "transformer": "transformer"}
WRONG = {"colour": "a wrong colour", "shape": "a wrong shape", "order": "two things exchanged"}
STREAMS = {"one-stream": "one stream", "two-streams": "two streams"}
METHODS = {"attention": "attention", "gradient": "gradient x attention", "occlusion": "occlusion"}


def packaged() -> list[Result]:
    """The two networks that others trained, as they are stored here, beside what their packages hold."""
    vision, sentences = read("efficientnet-lite0"), read("minilm")
    stored, original = (vision["results"][name]["top-1"] for name in ("stored in 8 bits", "the package's"))
    measure = "top-1 of 1,000 names, pictures of Tiny ImageNet"
    correlations = sentences["results"]
    return [
        share(
            "efficientnet-lite0",
            "",
            measure,
            stored,
            vision["pictures"],
            [("in single precision", original)],
            parameters=vision["parameters"],
        ),
        Result(
            "minilm",
            "",
            "correlation of cosines with relatedness of SICK's pairs",
            correlations["stored in 8 bits"],
            CORRELATION,
            (
                Baseline("in single precision", correlations["the package's"]),
                Baseline("share of common words", correlations["share of common words"]),
            ),
            sentences["parameters"],
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
    for kind, name in CAPTIONERS.items():
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
        photograph(
            "CIFAR-10 by the names of its classes",
            results.classes["mean of the templates"],
            clip_results.PICTURES,
            chance=chance,
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
    false_sentences = {shares.name: shares for shares in results.false_sentences if shares.split == TEST}
    rows = []
    for kind, name in STREAMS.items():
        row = partial(share, "vilbert", name, parameters=parameters("vilbert", kind))
        own, other, none = (words[kind, picture] for picture in joint_results.PICTURE_CONDITIONS)
        everything = joint_results.ALL
        baselines = [
            ("with another picture", other.by_kind[everything]),
            ("without a picture", none.by_kind[everything]),
        ]
        rows.append(row("masked content words right", own.by_kind[everything], own.counts[everything], baselines))
        for key, wrong in WRONG.items():
            measure, match = f"true sentence above one with {wrong}", false_sentences[kind]
            rows.append(row(measure, match.by_kind[key], match.counts[key], chance=0.5))
    return rows


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
