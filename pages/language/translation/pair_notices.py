"""What to notice in a given pair: who agrees with the visitor, and which word surprises whom."""

from collections.abc import Mapping

import numpy as np

from core.translation.alignment import Agreement, Link
from dashboard.numbers import signed
from pages.language.translation.pair_measures import DIAGONAL, closest
from pages.language.translation.word_maps import Words


def about_links(agreements: Mapping[str, Agreement], own: frozenset[Link]) -> tuple[str, ...]:
    """Whose links come closest to the visitor's, and whether that is better than a straight line."""
    if not own:
        return ("No link is chosen yet: click the cells of words that belong together.",)
    best = closest(agreements)
    if not best:
        return ()
    rate, line = agreements[best[0]].error_rate, agreements[DIAGONAL].error_rate
    verb = "comes" if len(best) == 1 else "come"
    sentences = [f"**{' and '.join(best)}** {verb} closest to your {len(own)} links: error rate **{rate:.0%}**."]
    beaten = [name for name, each in agreements.items() if name != DIAGONAL and not each.error_rate < line]
    if beaten:
        sentences.append(
            f"A straight diagonal, which knows no words at all, has {line:.0%}. No better than that: "
            f"{', '.join(beaten)}."
        )
    else:
        sentences.append(f"A straight diagonal, which knows no words at all, has {line:.0%}: every model is better.")
    return tuple(sentences)


def about_surprises(target: Words, bits: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """The word that costs each model most, and what the whole sentence costs."""
    told = ", ".join(
        f"{name} by {target.quoted(int(values.argmax()))} ({values.max():.1f} bits)" for name, values in bits.items()
    )
    totals = {name: float(values.sum()) for name, values in bits.items()}
    least = min(totals, key=lambda name: totals[name])
    whole = ", ".join(f"{name} {total:.0f}" for name, total in totals.items())
    return (
        f"Most surprised is: {told}.",
        f"The whole French sentence costs, in bits: {whole}. **{least}** finds it most probable "
        f"(log p = {signed(-totals[least] * float(np.log(2)))}).",
    )
