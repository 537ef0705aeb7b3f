"""What is worth noticing in an approximation beside the exact map."""

from collections.abc import Sequence

from core.efficient import Linformer, Performer, Sparse
from core.efficient.approximation_error import Comparison
from core.efficient.error_curve import Point
from core.text import Tokens
from dashboard import layout
from pages.scale.efficient_attention import words_maps as said
from pages.scale.efficient_attention.links_part import SEEN
from pages.scale.efficient_attention.methods import Method
from pages.scale.efficient_attention.side_by_side import percent

NEAR = 0.1  # of the output: an error that may pass as small


def sentences(
    found: Comparison, method: Method, points: Sequence[Point], tokens: Tokens, heard: tuple[int, int] | None
) -> tuple[str, ...]:
    """Two to four sentences."""
    told = [_error(found, method), _lost(found, method, tokens), _enough(points, method)]
    if heard is not None:
        told.append(_reach(heard, found.tokens))
    return tuple(sentence for sentence in told if sentence)


def _error(found: Comparison, method: Method) -> str:
    work = f"{found.cost:.2g} times the work" if found.cost > 1 else f"{percent(found.cost)} of the work"
    told = f"With {work} of the exact kernel, *{method.name}* changes what this head hands on by "
    told += f"**{percent(found.output_error)}**."
    if found.cost > 1:
        told += " It would save nothing here: the text is too short for this setting."
    return told


def _lost(found: Comparison, method: Method, tokens: Tokens) -> str:
    told = ""
    if isinstance(method.variant, Sparse):
        told = f"{percent(found.dropped)} of the attention falls on links that are left out"
        told = f"{told[0].upper()}{told[1:]}; what is left of a row is shared out among the others."
    elif isinstance(method.variant, Performer):
        told = (
            f"No link is dropped, but weights are estimated: {percent(found.moved)} of the attention lies elsewhere. "
            "Strong, sharp weights suffer most."
        )
    elif isinstance(method.variant, Linformer):
        told = f"Neighbours share a weight: {percent(found.moved)} of the attention lies elsewhere."
    strongest = next((link for link in found.links if link.exact - link.approximate >= SEEN), None)
    if strongest is None:
        return told
    query, key = (layout.plain(layout.readable(tokens.labels[at])) for at in (strongest.query, strongest.key))
    return (
        f"{told} The strongest loss: “{query}” (token {strongest.query:,}) gave **{strongest.exact:.2f}** to “{key}” "
        f"(token {strongest.key:,}), {strongest.query - strongest.key:,} tokens back, and gives "
        f"{strongest.approximate:.2f} now."
        if strongest.query >= strongest.key
        else f"{told} The strongest loss: “{query}” (token {strongest.query:,}) gave **{strongest.exact:.2f}** to "
        f"“{key}” (token {strongest.key:,}) and gives {strongest.approximate:.2f} now."
    ).strip()


def _enough(points: Sequence[Point], method: Method) -> str:
    setting = said.SETTINGS[method.name]
    enough = next((p for n, p in enumerate(points) if all(q.error <= NEAR for q in points[n:])), None)
    if enough is None:
        best = min(points, key=lambda point: point.error)
        return (
            f"No setting of the curve brings the error below {NEAR:.0%} for good: the nearest is {setting} "
            f"{best.setting:,} with {percent(best.error)}."
        )
    work = f"{percent(enough.cost)} of the work" if enough.cost <= 1 else "more work than the exact kernel"
    return f"The error stays below {NEAR:.0%} from {setting} {enough.setting:,} on, which takes {work}."


def _reach(heard: tuple[int, int], tokens: int) -> str:
    count, layers = heard
    within = f"{layers} layer{'s' * (layers > 1)}"
    if count == tokens:
        return f"Within {within} the last token can hear of every token before it, over others in between."
    return f"Within {within} the last token can hear of {count:,} of the {tokens:,} tokens; nothing else reaches it."
