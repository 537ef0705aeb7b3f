"""Sentences of "What to notice" about one step of decoding: each is computed from the numbers that are shown."""

import math

from core.text import Tokens
from core.translation.decoder_step import Look, Memory
from core.translation.decoding import Decoded
from dashboard import layout
from pages.language.translation.compute import Translated
from pages.language.translation.compute_steps import WorkedStep
from pages.language.translation.step_tree import winning_places
from pages.language.translation.step_words import symbols

DIFFERENT = 0.05  # of the share of the mixed vector and the weight: from here on it is worth a sentence


def about_step(translated: Translated, worked: WorkedStep, step: int) -> tuple[str, ...]:
    """What is written, where the step looked, and how the beam came to it."""
    sentences = [about_next(translated, worked, step)]
    if isinstance(worked.known, Look):
        sentences += about_look(worked.known, translated.source)
    else:
        sentences.append(about_memory(worked.known, step))
    return (*sentences, about_beam(translated.decoded, step))


def about_best_head(best: dict) -> tuple[str, ...]:
    """That the head which aligns best looks one word back, if it was measured so; nothing otherwise."""
    if best.get("shift") != 1:
        return ()
    return (
        f"Of all heads, layer {best['layer']}, head {best['head']} agrees best with alignments made by people, but one "
        "step late: it looks at the source of the token that the decoder has **just read**, not of the one that it "
        "writes.",
    )


def about_next(translated: Translated, worked: WorkedStep, step: int) -> str:
    """The token that was written, and the one that it beat or was beaten by."""
    chosen = translated.target.ids[step - 1]
    first, second = worked.log_probabilities.topk(2).indices.tolist()
    other = second if first == chosen else first
    ours, theirs = (float(worked.log_probabilities[number].exp()) for number in (chosen, other))

    def name(number: int) -> str:
        return f"“{layout.plain(layout.readable(translated.model.tokens([number]).labels[0]))}”"

    if first == chosen:
        return (
            f"The model writes **{name(chosen)}** with {percent(ours)}; next comes {name(other)} with "
            f"{percent(theirs)}."
        )
    return (
        f"The beam writes **{name(chosen)}** with {percent(ours)} although {name(other)} has {percent(theirs)}: what "
        "follows it made up for that."
    )


def percent(probability: float) -> str:
    """With one digit behind the point, and in words where that would be zero."""
    return f"{probability:.1%}" if probability >= 0.0005 else "less than 0.1%"


def about_look(look: Look, source: Tokens) -> list[str]:
    """How a difference of scores became a ratio of weights, and whether weight and share agree."""
    if len(look.weights) < 2:
        return ["The source is a single token, so all of the weight is on it, whatever its score."]
    (top, following), places = look.scores.topk(2).values.tolist(), look.scores.topk(2).indices.tolist()
    strongest, other = (f"“{layout.plain(layout.readable(source.labels[place]))}”" for place in places)
    weights = look.weights[places].tolist()
    sentences = [
        f"It looks most at **{strongest}**, weight {weights[0]:.1%}. Its score is {top - following:.2f} above that of "
        f"{other} ({weights[1]:.1%}), and softmax makes of a difference a factor: "
        f"$e^{{{top - following:.2f}}}$ ≈ {_factor(top - following)}."
    ]
    share, names = float(look.shares[places[0]]), symbols(look)
    if abs(share - weights[0]) >= DIFFERENT:
        more = "more" if share > weights[0] else "less"
        sentences.append(
            f"In the {names.mixed_means} {strongest} has {share:.1%}, {more} than its weight: what counts is the "
            "weight times the vector, and vectors differ in length and direction."
        )
    else:
        sentences.append(f"Its share of the {names.mixed_means} is {share:.1%}, close to its weight.")
    return sentences


def _factor(difference: float) -> str:
    factor = math.exp(min(difference, 50))
    return f"{factor:.2f}" if factor < 10 else f"{factor:,.0f}"


def about_memory(memory: Memory, step: int) -> str:
    """How far the state moved while the summary stayed."""
    cosine = float((memory.before @ memory.after) / (memory.before.norm() * memory.after.norm()))
    return (
        f"The summary is the same {len(memory.summary)} numbers in every step; only the decoder's state moves. Step "
        f"{step} turned it by {math.degrees(math.acos(max(-1.0, min(1.0, cosine)))):.0f}° (cosine {cosine:.2f})."
    )


def about_beam(decoded: Decoded, step: int) -> str:
    """How many candidates there were, and where the one that led to the result stood."""
    candidates = decoded.steps[step - 1]
    rank = winning_places(decoded)[step] + 1
    kept = sum(each.kept for each in candidates)
    where = "first" if rank == 1 else f"only number {rank}"
    return (
        f"The beam weighed **{len(candidates)} candidates** in this step and kept {kept}. The one that leads to the "
        f"translation stood {where} among them."
    )


def about_tree(decoded: Decoded, step: int) -> str:
    """What the drawing leaves out, and how the search ended."""
    told = "Solid: kept. Dotted: the best of those that were dropped; the others are in the table."
    if step < len(decoded.best.tokens):
        return told
    more = len(decoded.steps) - step
    if not decoded.best.ended:
        return f"{told} The search was stopped here: as many tokens as it may write were written."
    if more:
        steps = "one step" if more == 1 else f"{more} steps"
        return f"{told} The search went on for {steps}, until nothing could overtake this translation any more."
    return f"{told} Here the search ended: nothing that was still going could overtake this translation."
