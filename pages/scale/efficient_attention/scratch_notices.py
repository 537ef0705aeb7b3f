"""From scratch: what is to be seen, in sentences, and the loss as a formula."""

from collections.abc import Sequence

import streamlit as st

from core.measured import HIDDEN, NEXT, EfficientRun
from pages.scale.efficient_attention import words_scratch as said

EXACT, LOW_RANK = "Exact", "Low rank"
LOSS = {
    NEXT: r"\text{loss} = -\frac{1}{n}\sum_{t=1}^{n} \log_2 p(c_t \mid c_1 \ldots c_{t-1})",
    HIDDEN: r"\text{loss} = -\frac{1}{|H|}\sum_{t \in H} \log_2 p(c_t \mid c_s,\; s \notin H)",
}


def notice(runs: Sequence[EfficientRun]) -> tuple[str, ...]:
    """The best approximation, the cheapest and the worst one, and what each costs in bits; then the bound."""
    exact = next((run for run in runs if run.variant == EXACT), None)
    others = [run for run in runs if run.variant not in (EXACT, LOW_RANK)]
    if exact is None or not others:
        return ()
    best, worst = min(others, key=lambda run: run.bits), max(others, key=lambda run: run.bits)
    cheapest = min(others, key=lambda run: run.multiplications)
    sentences = [
        f"Of all that leave something out, **{best.variant}** ({best.settings}) predicts best: {best.bits:.3f} bits a "
        f"character, {_against(best, exact)}, with {best.multiplications / exact.multiplications:.0%} of its "
        "multiplications.",
    ]
    if cheapest != best:
        sentences.append(
            f"**{cheapest.variant}** multiplies least, {cheapest.multiplications / exact.multiplications:.0%} of what "
            f"exact attention does, and needs {_against(cheapest, exact)}."
        )
    if worst not in (best, cheapest):
        why = said.WHY.get(worst.variant)
        sentences.append(
            f"**{worst.variant}** predicts worst of them, with {_against(worst, exact)}{f': {why}' if why else ''}."
        )
    sentences += [
        said.BOUND.format(against=_against(run, exact), rank=run.settings.removeprefix("rank "))
        for run in runs
        if run.variant == LOW_RANK
    ]
    if best.bits < exact.bits:
        sentences.append(said.BETTER.format(steps=exact.steps))
    return tuple(sentences)


def _against(run: EfficientRun, exact: EfficientRun) -> str:
    gap = run.bits - exact.bits
    return f"{abs(gap):.3f} bits {'more' if gap >= 0 else 'fewer'} than exact attention"


def formula(runs: Sequence[EfficientRun]) -> None:
    """The loss, and what it means."""
    st.latex(LOSS[runs[0].task])
    if runs[0].task == HIDDEN:
        st.markdown("H: the letters that are hidden together, a quarter of them; each is hidden exactly once.")
    best = min(runs, key=lambda run: run.bits)
    st.markdown(
        f"{best.bits:.3f} bits a character: as undecided as between 2^{best.bits:.2f} = {2**best.bits:.1f} letters "
        "that are equally likely."
    )
