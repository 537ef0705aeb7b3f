"""The message to the browser: the matrices of one head, and the equations that join them."""

from collections.abc import Sequence

from core.attention.equations import Matrix, Operation, Step
from core.view import codec
from dashboard.components.step_view.mathml import mathml

_TITLES = {
    "project": "Project",
    "score": "Score",
    "scale": "Scale",
    "mask": "Mask",
    "normalise": "Softmax",
    "mix": "Mix",
    "concatenate": "Concatenate",
    "project out": "Project out",
}
_PARTS = {"Q": "Queries", "K": "Keys", "V": "Values"}  # the three equations of "project"
_PLAIN = {r"K^{\top}": "Kᵀ", "S'": "S′", "S''": "S″"}  # where a picture or a table has no room for a formula


def scene(
    steps: Sequence[Step],
    other: Sequence[Step],
    *,
    head: int,
    query: int,
    tokens: Sequence[str],
    channels: Sequence[str] = (),
) -> dict:
    """The steps of one head as JSON; `query` is the row to begin with.

    `other` are the same steps with the scale switched, for the comparison. `tokens` name the rows, `channels` the
    columns of X. Numbers are sent as float32 in base64, row by row.
    """
    writer = _Writer(head, tuple(tokens), tuple(channels))
    stops = [writer.stop(step, operation) for step in steps for operation in step.operations]
    comparison = [
        {"name": "A", "isScaled": _is_scaled(steps), "isShown": True},
        {"name": writer.other_weights(other), "isScaled": _is_scaled(other), "isShown": False},
    ]
    return {
        "query": query,
        "tokens": tuple(tokens),
        "stops": stops,
        "matrices": writer.matrices,
        "comparison": comparison,
    }


class _Writer:
    """Builds the steps' messages, and collects each matrix once, however many equations it is part of."""

    def __init__(self, head: int, tokens: tuple[str, ...], channels: tuple[str, ...]):
        self.head, self.tokens, self.channels = head, tokens, channels
        self.matrices: dict[str, dict] = {}

    def stop(self, step: Step, operation: Operation) -> dict:
        """The message of one equation, with the step that it belongs to."""
        if operation.kind == "join":
            [mixed] = operation.inputs
            inputs = [self._matrix(mixed, head) for head in range(len(mixed.values))]
        else:
            inputs = [self._matrix(matrix) for matrix in operation.inputs]
        part = _PARTS.get(operation.output.symbol) if len(step.operations) > 1 else None
        return {
            "id": step.name.replace(" ", "-") + (f"-{part.lower()}" if part else ""),
            "step": step.name,
            "title": _TITLES[step.name],
            "part": part,
            "meaning": step.meaning,
            "formula": mathml(operation.formula),
            "kind": operation.kind,
            "inputs": inputs,
            "factors": [[mathml(latex), value] for latex, value in operation.factors],
            "output": self._matrix(operation.output),
        }

    def other_weights(self, steps: Sequence[Step]) -> str:
        """Add the weights of `steps`, the comparison's, and return their name."""
        [weights] = (step.operations[0].output for step in steps if step.name == "normalise")
        return self._matrix(weights, name="A, scale switched")

    def _matrix(self, matrix: Matrix, head: int | None = None, name: str = "") -> str:
        """Add a matrix to `self.matrices`, and return its name there; `head`, if given, is written into its symbol."""
        values = matrix.of_head(self.head if head is None else head)
        latex = matrix.symbol if head is None else f"{matrix.symbol}_{{{head}}}"
        name = name or _PLAIN.get(latex, latex.replace("{", "").replace("}", ""))
        self.matrices[name] = {
            "name": name,
            "symbol": mathml(latex),
            "rows": values.shape[0],
            "columns": values.shape[1],
            "rowLabels": self._labels(name, matrix.axes[0]),
            "columnLabels": self._labels(name, matrix.axes[1]),
            "isWeights": matrix.symbol == "A",
            "values": codec.floats(values.float().numpy()),
        }
        return name

    def _labels(self, name: str, axis: str) -> tuple[str, ...] | None:
        """The labels of an axis: tokens, channels, or None for an axis that is only numbered."""
        if axis in ("token", "query", "key"):
            return self.tokens
        if axis == "width" and name in ("X", "W_Q", "W_K", "W_V"):
            return self.channels or None
        return ("",) if axis == "bias" else None


def _is_scaled(steps: Sequence[Step]) -> bool:
    [scale] = (step for step in steps if step.name == "scale")
    return any("sqrt" in latex for latex, _ in scale.operations[0].factors)
