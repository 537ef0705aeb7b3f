"""What to notice after a change: the verdict, who lost and who gained, and what single patches are worth."""

import numpy as np
import streamlit as st
import torch

from core.vision.hidden_patches import Occlusion
from dashboard import layout
from pages.vision.vision_transformer import words_change as said
from pages.vision.vision_transformer.change_occlusion import points
from pages.vision.vision_transformer.changed import Changed


def about(changed: Changed, found: Occlusion | None) -> tuple[str, ...]:
    """Sentences that are true of what is shown."""
    alone = () if found is None else (_most(changed, found), _together(changed, found))
    if not changed.is_changed:
        return (_first(changed), *alone)
    return (_verdict(changed), _moved(changed), *alone)


def _named(changed: Changed, number: int) -> str:
    return f"**{layout.plain(changed.label(number))}**"


def _first(changed: Changed) -> str:
    ranked = np.argsort(-changed.before.probabilities)
    first, second = (float(changed.before.probabilities[number]) for number in ranked[:2])
    return (
        f"The model says {_named(changed, int(ranked[0]))} ({first:.1%}), before "
        f"{_named(changed, int(ranked[1]))} ({second:.1%}). Hide patches or silence heads, and see what is left of it."
    )


def _verdict(changed: Changed) -> str:
    was, now = changed.before.first, changed.after.first
    what = _what(changed)
    before, after = float(changed.before.probabilities[was]), float(changed.after.probabilities[was])
    if was == now:
        return f"With {what} the verdict stays {_named(changed, was)}: {before:.1%} before, {after:.1%} now."
    return (
        f"With {what} the verdict turns from {_named(changed, was)} ({before:.1%} before, {after:.1%} now) to "
        f"{_named(changed, now)} ({float(changed.after.probabilities[now]):.1%})."
    )


def _what(changed: Changed) -> str:
    """What was changed, with its share of the whole."""
    parts = []
    if changed.hidden:
        count = len(changed.hidden)
        parts.append(f"{count:,} of {changed.count:,} patches hidden ({count / changed.count:.0%} of the picture)")
    if changed.silenced:
        parts.append(f"{len(changed.silenced)} of {sum(changed.heads)} heads silenced")
    return " and ".join(parts)


def _moved(changed: Changed) -> str:
    gains = changed.gains
    lost, gained = int(gains.argmin()), int(gains.argmax())
    moved = float(np.abs(gains).sum() / 2)
    return (
        f"Most is lost by {_named(changed, lost)} ({points(float(gains[lost]))} points) and gained by "
        f"{_named(changed, gained)} ({points(float(gains[gained]))} points). In all, **{moved:.0%}** of the "
        "probability went elsewhere."
    )


def _most(changed: Changed, found: Occlusion) -> str:
    row, column = found.most
    loss = float(found.losses[row, column])
    if loss <= 0:
        return f"No square hidden alone takes anything from {_named(changed, found.target)}."
    helped = int((found.losses < 0).sum())
    return (
        f"Hidden alone, row {row}, column {column} takes most from {_named(changed, found.target)}: {points(-loss)} "
        f"points. Of {found.losses.numel()} squares, {helped} raise it when they are hidden."
    )


def _together(changed: Changed, found: Occlusion) -> str:
    """How many squares would have to be hidden if losses added up, and that they do not."""
    losses = found.losses.flatten().clamp_min(0).sort(descending=True).values
    whole = float(losses.sum())
    strong = int((losses >= max(float(losses[0]) / 2, torch.finfo(torch.float32).tiny)).sum())
    if strong == 0:
        return "The verdict rests on no single square."
    plural = strong != 1
    to_lose = found.probability
    adds_up = abs(whole - to_lose) <= 0.1 * to_lose
    return (
        f"{strong} square{'s' if plural else ''} cost{'' if plural else 's'} at least half as much as the strongest "
        f"one. The losses of single squares add up to {100 * whole:.0f} points, while {_named(changed, found.target)} "
        f"has {100 * to_lose:.0f} to lose"
        + ("." if adds_up else ": what a patch is worth depends on the others that are there.")
    )


def formula(changed: Changed) -> None:
    """The probability before and after, with the page's own numbers."""
    target = changed.before.first
    st.latex(r"p_c(X, S) = \operatorname{softmax}\big(f_S(X)\big)_c")
    st.latex(
        r"\begin{gathered} x_i = 0 \ \text{ for } i \in H \\ "
        r"A^{(l,h)} = 0 \ \text{ for } (l,h) \in S \end{gathered}"
    )
    before, after = float(changed.before.probabilities[target]), float(changed.after.probabilities[target])
    st.markdown(f"For *c* = {layout.plain(changed.label(target))}:")
    st.latex(rf"p_c = {before:.3f} \;\longrightarrow\; {after:.3f}")
    st.markdown(said.FORMULA)
