"""Sentences of "What to notice" on maps taken together: each is looked up in what is shown."""

from collections.abc import Callable

import numpy as np

from core.heads import relevance
from core.images import Patches
from core.text import Tokens
from dashboard import layout
from pages.foundations.many_heads import aggregates
from pages.foundations.many_heads.aggregates import Stack, Together


def noticed(together: Together, stack: Stack, sequence: Tokens | Patches) -> tuple[str, ...]:
    """Two or three sentences on one aggregate; `sequence` is what the tokens are."""
    return _SENTENCES[together.name](together, stack, sequence)


def _about_mean(together: Together, stack: Stack, _: Tokens | Patches) -> tuple[str, ...]:
    numbers = list(stack.calls)
    most = max(range(len(numbers)), key=lambda place: float(together.apart[place].mean()))
    apart = together.apart[most]
    sentences = [
        f"The mean hides most in **layer {numbers[most]}**: on average {apart.mean():.0%} of a head's attention lies "
        f"elsewhere than the mean says, and {apart.min():.0%} even in head {int(apart.argmin())}, the nearest to it."
    ]
    least = min(range(len(numbers)), key=lambda place: float(together.apart[place].mean()))
    if least != most:
        sentences.append(
            f"It hides least in layer {numbers[least]}, where {together.apart[least].mean():.0%} lies elsewhere."
        )
    return tuple(sentences)


def _about_largest(together: Together, stack: Stack, _: Tokens | Patches) -> tuple[str, ...]:
    sums = np.nanmean(together.maps.sum(axis=-1), axis=-1)
    numbers = list(stack.calls)
    most, heads = int(sums.argmax()), next(iter(stack.calls.values())).heads
    return (
        f"A row of a head sums to 1; here, in layer {numbers[most]}, rows sum to {sums[most]:.1f} on average. It would "
        f"be 1 if all heads did the same, and {heads} if each looked somewhere else.",
    )


def _about_overall(together: Together, stack: Stack, _: Tokens | Patches) -> tuple[str, ...]:
    numbers, means = list(stack.calls), together.means
    if len(numbers) < 2:
        return ("This model has one layer only: the mean over layers is the mean over its heads.",)
    shared = float(np.nanmean(np.minimum(means[0], means[-1]).sum(axis=-1)))
    return (
        f"The mean maps of layers {numbers[0]} and {numbers[-1]} have {shared:.0%} of their attention in common. The "
        f"map above is the mean of all {len(numbers)} layers, and shows none of them.",
    )


def _about_rollout(together: Together, stack: Stack, sequence: Tokens | Patches) -> tuple[str, ...]:
    maps, last = together.maps, list(stack.calls)[-1]
    own = maps.diagonal(axis1=1, axis2=2).mean(axis=1)
    sentences = [
        f"After the first layer a token still consists of itself by {own[0]:.0%} on average, after layer {last} by "
        f"{own[-1]:.0%}. One half in each layer was put in by the residual connection, not measured."
    ]
    if isinstance(sequence, Patches):
        sentences.append(_most_of_class(maps[-1], sequence))
    elif len(sequence) > 1:
        first = maps[:, 1:, 0].mean(axis=1)
        sentences.append(
            f"The share of the first token, {_name(sequence, 0)}, in all others goes from {first[0]:.0%} to "
            f"{first[-1]:.0%}"
            + (": it may look at itself only, so what reaches it stays there." if _is_causal(stack) else ".")
        )
    return tuple(sentences)


def _is_causal(stack: Stack) -> bool:
    return all(call.causal for call in stack.calls.values())


def _most_of_class(rolled: np.ndarray, patches: Patches) -> str:
    before = len(patches.prefix)
    looks = rolled[0 if before else len(rolled) // 2, before:]
    place, even = int(looks.argmax()), 1 / rolled.shape[1]
    whose = f"the {layout.plain(patches.prefix[0])} token" if before else "the patch in the middle"
    return (
        f"From {whose} rollout leads most to {_name(patches, before + place)}: {looks.max():.1%}, where even spread "
        f"would give {even:.1%}."
    )


def _about_strongest(together: Together, stack: Stack, sequence: Tokens | Patches) -> tuple[str, ...]:
    query, key = _best_link(together.maps[-1], sequence)
    if query == key:
        return ("There is one token only: its strongest path stays where it is.",)
    graph = aggregates.graph_of(together)
    route = relevance.strongest_route(graph, query, key)
    strongest, all_paths = float(together.maps[-1, query, key]), float(relevance.rollout(graph)[-1, query, key])
    return (
        f"The strongest path from {_name(sequence, query)} to another token leads to {_name(sequence, key)}: "
        f"{_moves(route, list(stack.calls), sequence)}. In all other layers it stays where it is.",
        f"It is worth {strongest:.2%}; all paths between the two together, which is rollout, {all_paths:.2%}.",
    )


def _about_widest(together: Together, _: Stack, sequence: Tokens | Patches) -> tuple[str, ...]:
    query, key = _best_link(together.maps[-1], sequence)
    if query == key:
        return ("There is one token only: its widest path stays where it is.",)
    own, other = float(together.maps[-1, query, query]), float(together.maps[-1, query, key])
    rolled = float(relevance.rollout(aggregates.graph_of(together))[-1, query, key])
    return (
        f"The widest path from {_name(sequence, query)} to another token leads to {_name(sequence, key)}: some way "
        f"between them has no link below {other:.2f}. Staying in place is worth {own:.2f}, at least the half that "
        "the residual connection was given.",
        f"Rollout between the two is {rolled:.2f}. Attention flow, which is not computed here, is at least "
        f"{max(rolled, other):.2f}: both are lower bounds of it.",
    )


def _best_link(values: np.ndarray, sequence: Tokens | Patches) -> tuple[int, int]:
    """From the last token (of a picture: the first, which is the class token) to the best one besides itself."""
    query = 0 if isinstance(sequence, Patches) else len(values) - 1
    if len(values) < 2:
        return query, query
    others = np.where(np.arange(len(values)) == query, -1.0, values[query])
    return query, int(others.argmax())


def _moves(route: tuple[int, ...], numbers: list[int], sequence: Tokens | Patches) -> str:
    """Where a path changes its place, from the last layer down."""
    moves = [
        f"in layer {number} from {_name(sequence, upper)} to {_name(sequence, lower)}"
        for number, upper, lower in zip(reversed(numbers), route, route[1:], strict=False)
        if upper != lower
    ]
    return ", then ".join(moves)


def _name(sequence: Tokens | Patches, place: int) -> str:
    if isinstance(sequence, Tokens):
        return f"“{layout.plain(layout.readable(sequence.labels[place]))}”"
    before = len(sequence.prefix)
    if place < before:
        return f"the {layout.plain(sequence.prefix[place])} token"
    row, column = divmod(place - before, sequence.columns)
    return f"row {row}, column {column}"


_SENTENCES: dict[str, Callable[[Together, Stack, Tokens | Patches], tuple[str, ...]]] = {
    aggregates.MEAN: _about_mean,
    aggregates.LARGEST: _about_largest,
    aggregates.OVERALL: _about_overall,
    aggregates.ROLLOUT: _about_rollout,
    aggregates.STRONGEST: _about_strongest,
    aggregates.WIDEST: _about_widest,
}
