"""Readings: functions that answer the question of a station by running a model, never from the lesson's file.

A lesson names one with its arguments, as in `attends_to(text="…", layer=3, head=2)`; `ask` finds and calls it.
"""

import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Any

from core.errors import AtlasError, InputError
from dashboard.cache.memo import cached
from dashboard.lessons.form import Question
from dashboard.lessons.readings import bounds, long_texts, measured, pictures, sizes, texts, words_and_pictures
from dashboard.lessons.readings.answers import Amount, Answer, Choice

__all__ = ["READINGS", "Amount", "Answer", "Choice", "ask"]

_MODULES = (texts, long_texts, pictures, words_and_pictures, sizes, measured)
READINGS: Mapping[str, Callable[..., Answer]] = {
    name: reading
    for module in _MODULES
    for name, reading in vars(module).items()
    if inspect.isfunction(reading) and reading.__module__ == module.__name__ and not name.startswith("_")
}


def ask(question: Question) -> Answer:
    """The model's answer to a question, cached.

    InputError for an unknown reading, for arguments that it cannot use or that exceed their bounds, and for unknown
    options: a lesson may be a visitor's text.
    """
    reading = READINGS.get(question.reading)
    if reading is None:
        raise InputError(f"There is no reading “{question.reading[:60]}”; there are {', '.join(sorted(READINGS))}.")
    arguments = _arguments(question, reading)
    try:
        inspect.signature(reading).bind(**arguments)
    except TypeError as error:
        raise InputError(f"The reading “{question.reading}” cannot be asked like this: {error}.") from None
    bounds.check(question.reading, arguments)
    return _cached_answer(question)


def _arguments(question: Question, reading: Callable[..., Answer]) -> dict[str, Any]:
    arguments = dict(question.arguments)
    if question.options and "options" in inspect.signature(reading).parameters:
        arguments["options"] = question.options
    return arguments


@cached("Asking the model …")
def _cached_answer(question: Question) -> Answer:
    reading = READINGS[question.reading]
    arguments = _arguments(question, reading)
    try:
        answer = reading(**arguments)
        answer.best  # noqa: B018  (raises ValueError if there are no choices)
    except AtlasError:
        raise
    except Exception as error:
        logging.getLogger(__name__).info("A reading had no answer.", exc_info=True)
        text = ", ".join(f"{name}={value!r}"[:60] for name, value in arguments.items())
        raise InputError(
            f"The reading “{question.reading}” has no answer to {text or 'this'}: what it asks has no such thing."
        ) from error
    return answer.among(question.options) if isinstance(answer, Choice) and question.options else answer
