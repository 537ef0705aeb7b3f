"""The candidates of a beam search as nodes of a tree, as rows of a table and in sentences."""

from collections.abc import Callable

import pandas as pd

from core.translation.decoding import PENALTY, Candidate, Decoded, length_penalty
from dashboard.figures.beam_tree import Node
from dashboard.number_format import signed

Label = Callable[[int], str]  # a token as a person reads it

DROPPED = 3  # candidates of each step that are drawn although they were dropped: the best of them
CONTEXT = 4  # tokens: so much of what a candidate continues is written in the table


def nodes_of(decoded: Decoded, label: Label, *, last: int, columns: int) -> tuple[Node, ...]:
    """The nodes of at most `columns` steps up to `last` (counted from 1), and a root before the first step."""
    first = max(1, last - columns + 1)
    winning = winning_places(decoded)
    nodes: list[Node] = []
    places: dict[tuple[int, int | None], int] = {}  # (step, place among its candidates) -> place among the nodes
    if first == 1:
        nodes.append(Node(0, None, "<s>", "Here writing begins.", winning=True))
    for number in range(first, last + 1):
        for place in drawn_places(decoded.steps[number - 1], winning.get(number)):
            candidate = decoded.steps[number - 1][place]
            parent = 0 if number == 1 else places.get((number - 1, candidate.parent))
            places[number, place] = len(nodes)
            is_winning = winning.get(number) == place
            nodes.append(
                Node(
                    number,
                    parent,
                    label(candidate.token),
                    hover_text(candidate, label, is_winning=is_winning),
                    is_kept=candidate.is_kept,
                    ended=candidate.is_kept and candidate.hypothesis.ended,
                    winning=is_winning,
                )
            )
    return tuple(nodes)


def drawn_places(step: tuple[Candidate, ...], winning: int | None) -> list[int]:
    """The places of the candidates to draw: all that were kept, the best of the others, and the winning one."""
    dropped = [place for place, candidate in enumerate(step) if not candidate.is_kept][:DROPPED]
    return [place for place, candidate in enumerate(step) if candidate.is_kept or place in dropped or place == winning]


def winning_places(decoded: Decoded) -> dict[int, int]:
    """For each step (from 1), the place among its candidates of the one that leads to the result."""
    last = len(decoded.best.tokens)
    place: int | None = next(
        place
        for place, candidate in enumerate(decoded.steps[last - 1])
        if candidate.is_kept and candidate.hypothesis == decoded.best
    )
    places: dict[int, int] = {}
    for number in range(last, 0, -1):
        assert place is not None, "Only candidates of the first step continue nothing."
        places[number] = place
        place = decoded.steps[number - 1][place].parent
    return places


def outcome(candidate: Candidate, *, is_winning: bool) -> str:
    """The outcome of a candidate, in a word or two."""
    if is_winning:
        return "leads to the result"
    if not candidate.is_kept:
        return "dropped"
    return "kept as complete" if candidate.hypothesis.ended else "kept"


def hover_text(candidate: Candidate, label: Label, *, is_winning: bool) -> str:
    """The text below the pointer, line by line."""
    hypothesis = candidate.hypothesis
    return "\n".join(
        (
            f"“{label(candidate.token)}”: {outcome(candidate, is_winning=is_winning)}",
            f"log-probability of the token {signed(hypothesis.log_probabilities[-1])}",
            f"total of {len(hypothesis.tokens)} tokens {signed(hypothesis.log_probability)}",
            f"score with length penalty {signed(hypothesis.score(PENALTY))}",
        )
    )


def table(step: tuple[Candidate, ...], winning: int | None, label: Label) -> pd.DataFrame:
    """All candidates of a step, the most probable first."""
    rows = []
    for rank, candidate in enumerate(step):
        hypothesis = candidate.hypothesis
        before = hypothesis.tokens[:-1]
        prefix = " ".join(map(label, before[-CONTEXT:])) or "<s>"
        rows.append(
            {
                "rank": rank + 1,
                "continues": f"… {prefix}" if len(before) > CONTEXT else prefix,
                "token": label(candidate.token),
                "log p": hypothesis.log_probabilities[-1],
                "total": hypothesis.log_probability,
                "score": hypothesis.score(PENALTY),
                "what became of it": outcome(candidate, is_winning=rank == winning),
            }
        )
    return pd.DataFrame(rows)


def about_candidates(decoded: Decoded, step: int) -> str:
    """A notice: the number of candidates in a step (from 1), and the rank of the one that leads to the result."""
    candidates = decoded.steps[step - 1]
    rank = winning_places(decoded)[step] + 1
    count = sum(candidate.is_kept for candidate in candidates)
    where = "first" if rank == 1 else f"only number {rank}"
    return (
        f"The beam weighed **{len(candidates)} candidates** in this step and kept {count}. The one that leads to the "
        f"result stood {where} among them."
    )


def about_drawing(decoded: Decoded, step: int, *, beam: int, longest: int) -> str:
    """The legend of the drawing up to a step and, at the last step, why the search ended.

    `beam` and `longest` are those of the search: the number of hypotheses that it keeps, and of tokens that it may
    write.
    """
    legend = "Solid: kept. Dotted: the best of those that were dropped; the others of this step are in the table."
    if step < len(decoded.best.tokens):
        return legend
    if not (more := len(decoded.steps) - step):
        return f"{legend} Here the search ended: {why_it_ended(decoded, beam=beam, longest=longest)}."
    steps = "one step" if more == 1 else f"{more} steps"
    return f"{legend} The search went on for {steps}, until {why_it_ended(decoded, beam=beam, longest=longest)}."


def why_it_ended(decoded: Decoded, *, beam: int, longest: int) -> str:
    """A clause that says which of its three rules ended the search."""
    kept_hypotheses = [candidate.hypothesis for step in decoded.steps for candidate in step if candidate.is_kept]
    if sum(hypothesis.ended for hypothesis in kept_hypotheses) >= beam:
        return f"as many texts were complete as the beam holds ({beam})"
    last = [candidate.hypothesis for candidate in decoded.steps[-1] if candidate.is_kept]
    # The best possible continuation loses nothing up to the full length.
    bounds = [text.log_probability / length_penalty(longest, PENALTY) for text in last if not text.ended]
    if decoded.best.ended and all(bound <= decoded.best.score(PENALTY) for bound in bounds):
        return "nothing that was still going could overtake this result"
    return "as many tokens as it may write were written"
