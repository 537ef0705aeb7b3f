"""What to notice: how soon the whole picture is within reach, how little of it counts, and what it costs."""

from pages.vision.swin.compute_reach import Direction
from pages.vision.swin.cost_part import Costs
from pages.vision.swin.reaching import PART, Reached


def about_reach(windows: Reached, whole: Reached, direction: Direction) -> tuple[str, ...]:
    """What is within reach, and what really arrives."""
    return (_within(windows, whole, direction), *(_arrived(windows, whole) if direction == "back" else ()))


def _within(windows: Reached, whole: Reached, direction: Direction) -> str:
    count, after = len(windows.labels), windows.whole_after
    reaches = "can have reached the chosen place" if direction == "back" else "can hold something of the chosen patch"
    share = _percent(windows.can[1])
    first = f"After the first block of the {windows.title}, **{share}** of the picture {reaches}: one window."
    if after is None:
        then = f"After all {count} blocks it is {_percent(windows.can[-1])}: the rest stays out of reach."
    elif after == 1:
        then = "That is the whole picture."
    else:
        then = f"The whole picture can after **{after}** of {count} blocks."
    return f"{first} {then} In the {whole.title} it can after the first block."


def _arrived(windows: Reached, whole: Reached) -> tuple[str, ...]:
    told = [
        f"in the {each.title} **{_percent(each.does[-1])}** of the patches hold {PART:.0%} of what arrives, "
        f"the chosen patch itself {_percent(each.own)}"
        for each in (windows, whole)
    ]
    sentences = [f"To be within reach is not to arrive. After the last block, {told[0]}; {told[1]}."]
    rests = [
        f"{_percent(each.rest)} of the place comes from {'the ' * (each is whole)}{each.besides} in the {each.title}"
        for each in (windows, whole)
        if each.besides and each.rest > 0.0005
    ]
    if rests:
        sentences.append(f"Not all of it comes from patches: {'; '.join(rests)}.")
    return tuple(sentences)


def about_cost(costs: Costs) -> tuple[str, ...]:
    """How many times dearer the whole grid is, counted and measured."""
    windows, whole = costs.counted(costs.pixels)
    double = costs.counted(2 * costs.pixels)
    sentences = [
        f"At {costs.pixels} × {costs.pixels} pixels the whole grid costs **{whole / windows:.1f} times** as many "
        f"multiply-adds as windows. With twice the side, windows cost {double[0] / windows:.1f} times as many as "
        f"before, the whole grid {double[1] / whole:.1f} times."
    ]
    if costs.timings:
        last = costs.timings[-1]
        counted = costs.counted(last.pixels)
        sentences.append(
            f"Measured here at {last.pixels} pixels: {1e3 * last.window:.3g} ms in windows, {1e3 * last.whole:.3g} ms "
            f"over the whole grid, **{last.whole / last.window:.1f} times** as long; counted, it is "
            f"{counted[1] / counted[0]:.1f} times."
        )
    return tuple(sentences)


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.0995 else f"{100 * share:.2g}%"
