"""Held-out results of the models that draw pictures from sentences, and of the reader of scenes that judges them."""

from collections.abc import Mapping

from core.results import attention_gan_results, dalle_results
from docs.result_rows import DISTANCE, SHARE, Baseline, Result, parameters

TEST = "test"  # the split of drawn scenes that are like those of the training
KINDS = {"all words": "all words", "colour": "colours"}
Shares = Mapping[str, dalle_results.Share]  # by kind of word


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
