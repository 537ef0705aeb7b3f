"""What the server writes about errors: where they happened and of which kind, never what a visitor wrote."""

import logging
import threading
import traceback


def leave_out_messages() -> None:
    """From now on, of an exception that is logged anywhere in this process the message is left out.

    A message may quote the text or the file that led to it; the frames and the names of the exceptions do not.
    """
    make = logging.getLogRecordFactory()

    def record_without_message(*arguments, **named) -> logging.LogRecord:
        record = make(*arguments, **named)
        if isinstance(record.exc_info, tuple) and record.exc_info[1]:
            record.exc_text = frames(record.exc_info[1])  # a formatter takes it as it is
        return record

    logging.setLogRecordFactory(record_without_message)
    threading.excepthook = _log_thread


def frames(error: BaseException) -> str:
    """Where an exception was raised, and where those behind it, each with the name of its kind."""
    behind = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    before = f"{frames(behind)}\n\nwhich led to:\n\n" if behind else ""
    kind = type(error)
    return before + "".join(traceback.format_tb(error.__traceback__)) + f"{kind.__module__}.{kind.__qualname__}"


def _log_thread(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_value and not isinstance(failed.exc_value, SystemExit):
        logging.getLogger(__name__).error("A thread ended early.", exc_info=failed.exc_value)
