"""Time and memory of exact and efficient attention: those that come with the project, or measured here on request."""

from core.costs.attention_costs import measure_attention
from core.costs.one_pass import Cost
from core.measured import MeasuredCosts, attention_costs
from core.progress import Progress
from dashboard.kept import computing

_MEASURED: dict[str, tuple[Cost, ...]] = {}


def kept() -> MeasuredCosts:
    """What comes with the project."""
    return attention_costs()


def here() -> tuple[Cost, ...] | None:
    """What was measured on this machine since the server started, if anything."""
    return _MEASURED.get("attention")


def measure(progress: Progress) -> None:
    """Measure; all visitors share the result, as they share the machine."""
    with computing():
        _MEASURED["attention"] = measure_attention(progress)
