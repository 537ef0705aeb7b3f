"""What the small trainings show."""

from collections.abc import Sequence

import streamlit as st

from pages.scale.scaling_comparison.figures_small_data import Learner


def notice(learners: Sequence[Learner]) -> tuple[str, ...]:
    """The best of each family with the least and with the most data, and who gained most."""
    least, most = (end(p for each in learners for p in each.reached) for end in (min, max))
    sentences = [sentence for pictures in (least, most) if (sentence := _gap(learners, pictures))]
    whole = [each for each in learners if least in each.reached and most in each.reached]
    if len(whole) > 1:
        gains = {each: each.reached[most] - each.reached[least] for each in whole}
        first = max(whole, key=lambda each: gains[each])
        last = min(whole, key=lambda each: gains[each])
        sentences.append(
            f"From {least:,} to {most:,} pictures, **{first.name}** gains most ({gains[first]:.1f} points) and "
            f"**{last.name}** least ({gains[last]:.1f})."
        )
    return tuple(sentences)


def _gap(learners: Sequence[Learner], pictures: int) -> str:
    best = {}
    for family in ("convolutional", "transformer"):
        able = [each for each in learners if each.family == family and pictures in each.reached]
        if not able:
            return ""
        best[family] = max(able, key=lambda each: each.reached[pictures])
    network, transformer = best["convolutional"], best["transformer"]
    ahead = network.reached[pictures] - transformer.reached[pictures]
    winner, loser = (network, transformer) if ahead > 0 else (transformer, network)
    trained = sum(pictures in each.reached for each in learners)
    return (
        f"Of the {trained} networks that learned from {pictures:,} pictures, the best {winner.family} one, "
        f"**{winner.name}** ({winner.reached[pictures]:.1f} %), is {abs(ahead):.1f} points ahead of the best "
        f"{loser.family} one, **{loser.name}** ({loser.reached[pictures]:.1f} %)."
    )


def formula(learners: Sequence[Learner]) -> None:
    """How sure an accuracy on 10,000 pictures is."""
    st.latex(r"\text{accuracy} = \frac{\text{right}}{10{,}000}")
    st.latex(r"\sigma = \sqrt{\frac{p\,(1-p)}{10{,}000}}")
    best = max((max(each.reached.values()), each.name) for each in learners)
    share = best[0] / 100
    st.markdown(
        f"For {best[1]}, the best one: p = {share:.3f}, so σ = {100 * (share * (1 - share) / 10_000) ** 0.5:.2f} "
        "points from the choice of test pictures alone. Another seed changes it too: by how much was not measured."
    )
