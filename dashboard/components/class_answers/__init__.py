"""A question's answers in a class: sent for a follower, drawn as bars for the teacher."""

from collections.abc import Sequence

from dashboard.components.kit import Component

__all__ = ["class_answers"]

_show = Component(__file__)


def class_answers(
    question: str, *, key: str, choice: str | None = None, bars: bool = False, choices: Sequence[str] = ()
) -> None:
    """Send `choice` to the class that this browser follows, or draw `bars` with the counts of answers for its teacher.

    `choices` are the answers that have a bar, even with a count of 0; none: those that occurred, such as numbers.
    Needs a `class_link` on the page. The bars follow the answers without a run of the page.
    """
    _show(key, {"question": question, "choice": choice, "asks": bars, "choices": list(choices)})
