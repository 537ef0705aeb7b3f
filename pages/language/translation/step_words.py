"""Names of what is computed in a step, for Bahdanau's attention, its product and a transformer's head."""

from dataclasses import dataclass

from core.translation.decoder_step import Look


@dataclass(frozen=True)
class Symbols:
    """How the parts of a `Look` are written: in figures (HTML of Plotly), in tables and in LaTeX."""

    query: str
    key: str
    term: str
    value: str
    mixed: str
    mixed_means: str


ADDITIVE = Symbols("W s", "U h", "v · tanh(W s + U h)", "h", "c", "context vector")
DOT = Symbols("W s", "U h", "W s · U h", "h", "c", "context vector")
HEAD = Symbols("q", "k", "q · k", "v", "o", "output of the head")


def symbols(look: Look) -> Symbols:
    """Those of this kind of comparison."""
    if look.activation is not None:
        return ADDITIVE
    return HEAD if look.state is None else DOT
