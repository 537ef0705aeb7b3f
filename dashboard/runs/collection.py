"""What stays as long as the server is taken out of Python's garbage collection, which Streamlit runs after every page.

Half a million objects of libraries and models make one collection last 0.2 seconds, and no answer leaves the server
meanwhile: without this every click would wait so much longer for the last sentence of its page.
"""

import gc
import sys
import threading

_lock = threading.Lock()
_known = 0  # modules when objects were last set aside


def set_aside() -> None:
    """Freeze all objects that there are, where modules have been imported since the last time.

    Only what is young is looked through before, in milliseconds. Garbage that is older stays for good, and so does what
    visitors have at that moment: a few megabytes each time, and imports come to an end.
    """
    global _known
    with _lock:
        if len(sys.modules) == _known:
            return
        _known = len(sys.modules)
        gc.collect(1)
        gc.freeze()
