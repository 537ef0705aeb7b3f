"""Sentences of "What to notice": each is computed from the numbers that are shown."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import torch

from core.costs.complexity import WAYS, Sizes, crossover
from core.costs.one_pass import Cost
from core.memory import copy_task
from core.memory.gradient_reach import edge, half_life
from dashboard.numbers import with_power
from pages.foundations.before_attention.answers import Answers
from pages.foundations.before_attention.models import TITLES

FAR = 50  # characters: a distance at which the models are compared
SHORT = 12  # characters: below it, a line shows no curve
MOSTLY = 0.5  # a copy that succeeds more often than not

RNN, LSTM, GRU = TITLES["rnn"], TITLES["lstm"], TITLES["gru"]
CONVOLUTION, ATTENTION = TITLES["convolution"], TITLES["self_attention"]


def about_reach(lines: Mapping[str, np.ndarray], *, own: bool, window: int) -> tuple[str, ...]:
    """What the curves show: the half-lives, the edge of the convolution, and what is left far away."""
    length = len(lines[RNN])
    if length < SHORT:
        return (f"A line of {length} characters is too short to show how the reach fades: write a few words more.",)
    lives = {title: half_life(torch.from_numpy(lines[title])) for title in (RNN, LSTM, GRU)}
    told = ", ".join(f"{title} every **{_characters(life)}**" for title, life in lives.items())
    where = "in your line" if own else "on average"
    return (
        f"In the recurrent networks the gradient falls {where} to half: {told}.",
        _about_edge(lines[CONVOLUTION], window),
        _about_far(lines, where),
    )


def _about_edge(norms: np.ndarray, window: int) -> str:
    last = edge(torch.from_numpy(norms))
    if len(norms) <= window:
        return (
            f"All {len(norms)} characters are within the convolution's window of {window}: a longer line has an edge."
        )
    return (
        f"The convolution's last trace is **{last} characters** before the last one: its window holds exactly "
        f"{window}, and from beyond it comes 0, not little."
    )


def _about_far(lines: Mapping[str, np.ndarray], where: str) -> str:
    distance = min(FAR, len(lines[RNN]) - 1)
    left = ", ".join(f"{title} {_small(lines[title][distance])}" for title in (RNN, GRU, LSTM, ATTENTION))
    strongest = max(lines, key=lambda title: lines[title][distance])
    return (
        f"Of what the last character has, this much is left {where} {distance} characters away: {left}. "
        f"Most is left in: **{strongest}**."
    )


def about_copy(table: Mapping[str, np.ndarray], distances: np.ndarray, answers: Answers) -> tuple[str, ...]:
    """How far each model carries a digit, and what became of the question that is shown."""
    far = {title: longest_copied(distances, values) for title, values in table.items()}
    told = ", ".join(f"{title} **{distance or 'none'}**" for title, distance in far.items())
    right = {TITLES[name]: answers.right(name) for name in answers.probabilities}
    best = [title for title, count in right.items() if count == max(right.values())]
    return (
        f"More than half of the digits come back up to these distances: {told}.",
        *(_about_unlearned(title, values) for title, values in table.items() if not far[title]),
        f"At distance {distances[-1]}, guessing would give {copy_task.CHANCE:.0%}; the convolution gives "
        f"{table[CONVOLUTION][-1]:.0%}, self-attention {table[ATTENTION][-1]:.0%}.",
        f"In the question shown, {_and(best)} got most digits right: {max(right.values())} of {copy_task.REMEMBERED}.",
    )


def _about_unlearned(title: str, accuracies: np.ndarray) -> str:
    """What may be said of a model that fails at every distance: that it did, and what is known of such training."""
    return (
        f"{title} gives {accuracies.min():.0%} to {accuracies.max():.0%} at all distances, near and far: it does not "
        "forget on the way, it has learned next to nothing of this task. A known reason is that the gradient which "
        "should teach a recurrent network fades on its way back (Bengio et al. 1994); in this training nobody measured "
        "it."
    )


def longest_copied(distances: np.ndarray, accuracies: np.ndarray) -> int:
    """The longest distance up to which, at every distance measured, more than half came back right; 0 if none."""
    failed = np.flatnonzero(accuracies <= MOSTLY)
    reached = failed[0] if len(failed) else len(distances)
    return int(distances[reached - 1]) if reached else 0


def about_ways(sizes: Sizes) -> tuple[str, ...]:
    """Where attention is cheaper than recurrence, and what each pays in steps."""
    attention, recurrent = WAYS["self_attention"], WAYS["recurrent"]
    here, there = attention.operations.of(sizes), recurrent.operations.of(sizes)
    if here == there:
        compared = "self-attention and recurrence need the same number of operations"
    elif here < there:
        compared = f"recurrence needs **{_times(there / here)}** as many operations as self-attention"
    else:
        compared = f"self-attention needs **{_times(here / there)}** as many operations as recurrence"
    meeting = crossover(sizes)
    dilated, contiguous = WAYS["dilated"].path.of(sizes), WAYS["convolution"].path.of(sizes)
    return (
        f"With n = {sizes.n:,} and d = {sizes.d:,}, {compared}: the two meet at n = d = "
        f"{meeting['recurrent']:,}. Self-attention meets convolution at n = k·d = {meeting['convolution']:,}.",
        f"Between the two ends of these {sizes.n:,} tokens a signal takes **{recurrent.path.of(sizes):,}** steps "
        f"through a recurrent layer, {contiguous:,} layers of convolution, {dilated:,} if they are dilated, and 1 "
        "through self-attention.",
        f"However many processors there are, a recurrent layer computes its {recurrent.sequential.of(sizes):,} tokens "
        "one after another; the others compute all of them at once.",
    )


def about_measured(costs: tuple[Cost, ...]) -> str:
    """How time and memory grew when n doubled for the last time."""
    lengths = sorted({cost.tokens for cost in costs})[-2:]
    by_layer = {
        name: [next(c for c in costs if c.name == name and c.tokens == length) for length in lengths]
        for name in dict.fromkeys(cost.name for cost in costs)
    }
    grown = ", ".join(
        f"{name} **{last.seconds / first.seconds:.1f}** and **{last.bytes / first.bytes:.1f}**"
        for name, (first, last) in by_layer.items()
    )
    return f"From {lengths[0]:,} to {lengths[1]:,} tokens, time and memory grew by these factors: {grown}."


def about_models(facts: pd.DataFrame, characters: int) -> tuple[str, ...]:
    """Which predicts best, which learns fastest, and that far and good are two things."""
    best = facts.loc[facts["bits per character"].idxmin()]
    worst = facts.loc[facts["bits per character"].idxmax()]
    fast = facts.loc[facts["seconds per epoch"].idxmin()]
    slow = facts.loc[facts["seconds per epoch"].idxmax()]
    far = facts["copies up to"].max()
    farthest = facts["model"][facts["copies up to"] == far].tolist()
    return (
        f"**{best['model']}** predicts Shakespeare best, with {best['bits per character']:.2f} bits per character; "
        f"{worst['model']} needs {worst['bits per character']:.2f}. Guessing evenly among all {characters} characters "
        f"would take {math.log2(characters):.2f}.",
        f"**{fast['model']}** goes through the text in {fast['seconds per epoch']:.0f} seconds, {slow['model']} in "
        f"{slow['seconds per epoch']:.0f}: {slow['seconds per epoch'] / fast['seconds per epoch']:.1f} times as long.",
        f"The longest distance over which digits were copied is {far} characters, by **{_and(farthest)}**.",
    )


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.2g} times"


def _characters(life: float) -> str:
    return f"{life:.1f} characters" if np.isfinite(life) else "∞ characters (it does not fall)"


def _small(value: float) -> str:
    if value >= 1e-3:
        return f"{value:.1%}"
    return with_power(value, digits=1) if value > 0 else "0"


def _and(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
