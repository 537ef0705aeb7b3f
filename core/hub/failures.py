"""Any exception of a library on an untrusted model becomes a ModelError: one sentence, without local paths."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import AtlasError, ModelError
from .folders import shorten

LONGEST = 200  # characters of a library's own words
_PATH = re.compile(r"(/[\w.+@-]+){2,}")


@contextmanager
def as_model_error(name: str, action: str, *, folder: str = "") -> Iterator[None]:
    """Exceptions within become ModelErrors: "'`name`' cannot `action`.", and the first line of the reason.

    A ModelError that begins with the name passes unchanged, and so do other AtlasErrors. The exceptions that stop a run
    of a page are no subclasses of Exception, and pass too.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, AtlasError) and (not isinstance(error, ModelError) or str(error).startswith(f"'{name}'")):
            raise
        raise ModelError(f"'{name}' cannot {action}. {_reason(error, folder)}.") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # a crash in Rust (tokenizers, safetensors)
            raise
        raise ModelError(f"'{name}' cannot {action}. Its files have crashed what reads them.") from error


def _reason(error: Exception, folder: str) -> str:
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    if isinstance(error, KeyError):  # its message is the key alone
        first = f"Nothing here is called {first}"
    if folder:
        first = first.replace(folder, "its folder")
    return shorten(_PATH.sub("…", first), LONGEST).rstrip(". ")
