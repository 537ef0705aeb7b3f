"""Logs of errors: their places and types, never a visitor's text."""

import logging
import threading
import traceback


def leave_out_messages() -> None:
    """From now on, leave out the messages of exceptions that are logged anywhere in this process.

    A message may quote the text or the file that led to it; the frames and the names of the exceptions do not.
    """
    original_factory = logging.getLogRecordFactory()

    def record_without_message(*arguments, **keywords) -> logging.LogRecord:
        record = original_factory(*arguments, **keywords)
        if isinstance(record.exc_info, tuple) and record.exc_info[1]:
            record.exc_text = frames(record.exc_info[1])  # a formatter takes it as it is
        return record

    logging.setLogRecordFactory(record_without_message)
    threading.excepthook = _log_thread


def frames(error: BaseException) -> str:
    """The traceback of an exception and of its causes, each with the name of its type."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    prefix = f"{frames(cause)}\n\nwhich led to:\n\n" if cause else ""
    kind = type(error)
    return prefix + "".join(traceback.format_tb(error.__traceback__)) + f"{kind.__module__}.{kind.__qualname__}"


def _log_thread(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value and not isinstance(arguments.exc_value, SystemExit):
        logging.getLogger(__name__).error("A thread ended early.", exc_info=arguments.exc_value)
