"""What a library does with a stranger's model may go wrong in any way: always one sentence, without our paths."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import AtlasError, ModelError
from .folders import shorten

LONGEST = 200  # characters of a library's own words
_PATH = re.compile(r"(/[\w.+@-]+){2,}")


@contextmanager
def as_sentence(name: str, what: str, *, folder: str = "") -> Iterator[None]:
    """Whatever is raised within becomes a ModelError: "'`name`' cannot `what`.", and the first line of the reason.

    Sentences of ours that say whose they are stay as they are. What stops a run of a page is no Exception, and passes.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, AtlasError) and (not isinstance(error, ModelError) or str(error).startswith(f"'{name}'")):
            raise
        raise ModelError(f"'{name}' cannot {what}. {_reason(error, folder)}.") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how Rust (tokenizers, safetensors) says that it has crashed
            raise
        raise ModelError(f"'{name}' cannot {what}. Its files have crashed what reads them.") from error


def _reason(error: Exception, folder: str) -> str:
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    if isinstance(error, KeyError):  # whose words are the key alone
        first = f"Nothing here is called {first}"
    if folder:
        first = first.replace(folder, "its folder")
    return shorten(_PATH.sub("…", first), LONGEST).rstrip(". ")
