"""Sentences of "What to notice" about what was measured, computed from the files that are shown."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dashboard.figures.costs import Point
from pages.language.translation.compute_measured import Alignment, Results
from pages.language.translation.models import TITLES
from pages.language.translation.words_measured import ALIGNED_TEXTS


def about_scores(results: Results) -> tuple[str, ...]:
    """Who is best, how far the others are behind, and what they cost."""
    ranked = sorted(results.models, key=lambda name: -results.models[name]["bleu"])
    best, worst = (results.models[ranked[place]] for place in (0, -1))
    costs = {name: results.models[name]["train_flops"] for name in ranked}
    cheapest, dearest = min(costs, key=costs.__getitem__), max(costs, key=costs.__getitem__)
    told = " > ".join(f"{TITLES[name]} {results.models[name]['bleu']:.1f}" for name in ranked)
    return (
        f"BLEU on sentences that none of them has read: **{told}**. Between the first and the last lie "
        f"{best['bleu'] - worst['bleu']:.1f} points.",
        f"{TITLES[dearest]} took **{costs[dearest] / costs[cheapest]:.1f} times** the training operations of "
        f"{TITLES[cheapest]}; by the clock, {_by_the_clock(results)}.",
    )


def _by_the_clock(results: Results) -> str:
    speed = {name: of["pairs_per_second"] for name, of in results.models.items()}
    fast, slow = max(speed, key=speed.__getitem__), min(speed, key=speed.__getitem__)
    return f"{TITLES[fast]} read {speed[fast] / speed[slow]:.1f} times as many pairs in a second as {TITLES[slow]}"


def about_lengths(lines: pd.DataFrame, score: str) -> tuple[str, ...]:
    """What is left at the longest texts of what each model reaches at best."""
    short, long = lines.index[0], lines.index[-1]
    kept = {title: lines[title].iloc[-1] / lines[title].max() for title in lines}
    told = ", ".join(f"{title} {lines[title].iloc[-1]:.1f} ({kept[title]:.0%} of its best)" for title in lines)
    most, least = max(kept, key=kept.__getitem__), min(kept, key=kept.__getitem__)
    return (
        f"{score} at {long:.0f} words, against the best that each reaches between {short:.0f} and {long:.0f}: {told}. "
        f"**{least}** loses most, **{most}** least.",
    )


def about_alignment(found: Alignment) -> tuple[str, ...]:
    """The networks against counting, and against the diagonal."""
    text, title = next(iter(ALIGNED_TEXTS.items()))
    counted, straight = (found.baselines[name][text]["aer"] for name in ("IBM model 1", "diagonal"))
    rates = {TITLES[name]: found.models[name]["agreement"][text]["aer"] for name in ("bahdanau", "transformer")}
    told = ", ".join(f"{name} **{rate:.0%}**" for name, rate in rates.items())
    better = [name for name, rate in rates.items() if rate < counted]
    against = f"Better than IBM model 1: {' and '.join(better)}." if better else "Neither reaches IBM model 1."
    influence = found.models["seq2seq"]["agreement"][text]["aer"]
    beyond = "worse" if influence > straight else "better"
    return (
        f"{title}, alignment error rate: {told}; IBM model 1, which only counts words, {counted:.0%}; the diagonal, "
        f"which looks at no word at all, {straight:.0%}. {against}",
        f"Without attention the influences align {beyond} than the diagonal: {influence:.0%} of error. What passes "
        "through one vector leaves few traces of its place.",
    )


def about_heads(rates: np.ndarray, text: str, straight: float) -> tuple[str, ...]:
    """How many heads align at all. `rates` are those shown: layer, head."""
    layer, head = np.unravel_index(np.nanargmin(rates), rates.shape)
    worse = int((rates > straight).sum())
    return (
        f"{text}: layer {layer}, head {head} aligns best, with an error rate of **{rates[layer, head]:.0%}**. "
        f"**{worse} of {rates.size} heads** are worse than the diagonal ({straight:.0%}), the worst has "
        f"{np.nanmax(rates):.0%}. A map of one head says little about the model.",
    )


def about_published(points: Sequence[Point], language: str) -> tuple[str, ...]:
    """The best of the published table, and what the cheapest that comes close did cost."""
    best = max(points, key=lambda point: point.quality)
    rivals = [point for point in points if point.group != best.group]
    rival = max(rivals, key=lambda point: point.quality)
    ratio = rival.cost / best.cost
    return (
        f"In the published table ({language}), {best.name} leads with {best.quality:g}; the best of the others, "
        f"{rival.name} with {rival.quality:g}, took **{ratio:.2g} times** as many operations to train.",
    )
