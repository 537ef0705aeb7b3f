"""The heads of a model tested against controls (core/heads/jobs.py), once for all pages and visitors."""

from core.heads import jobs
from core.heads.jobs import Jobs
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model


@cached("Testing every head …")
def repeated_words(name: str) -> Jobs:
    """What each head gives to what followed the same words earlier, and in texts in which nothing is repeated."""
    return jobs.repeated_words(text_model(name))
