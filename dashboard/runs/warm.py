"""What is loaded before anybody asks for it."""

import time

from core import zoo
from dashboard.runs.models import image_model, text_model

FIRST_VISIT = 8  # seconds from the start of the server until the first page is there


def warm_up() -> None:
    """Load what the first visitor will want, while the server starts; what is slower, once that visitor is served."""
    for name in zoo.TEXT:
        text_model(name)
    time.sleep(FIRST_VISIT)
    from dashboard.runs import before  # only now: it needs pandas, which takes its time

    before.models("text")
    for name in zoo.WHOLE:
        image_model(name)
    from dashboard.runs import efficient  # likewise

    efficient.write_first()
