"""The heads of a model tested against controls (core/heads/jobs.py), once for all pages and visitors."""

from core.heads import jobs
from core.heads.jobs import Jobs
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model


@cached("Testing every head …")
def repeated_words(name: str) -> Jobs:
    """The weight of each head on the token that followed the same words earlier, and in texts without repetition."""
    return jobs.repeated_words(text_model(name))
