"""How Fooled writes models and pairs: short names, and a changed place that is marked."""

from core.results.sentiment_results import LOGISTIC
from core.sentiment.behavioural_tests import segments
from core.zoo.sentiment_classifiers import REVIEWERS
from dashboard import typeset

SHORT = {
    "rnn": "RNN, attention",
    "rnn-uniform": "RNN, uniform",
    "cnn": "CNN",
    "encoder": "Encoder",
    "bert": "BERT",
    "tfidf-logistic": "TF-IDF",
}


def short(name: str) -> str:
    """What a model is called in a narrow column: ours by their kind, any other by the end of its name."""
    if any(name in offered for offered in REVIEWERS.values()) or name.partition("-")[2] == LOGISTIC:
        return SHORT[name.partition("-")[2]]
    end = name.rstrip("/").rpartition("/")[2]
    return name if end in SHORT.values() else end


def marked(before: str, after: str) -> str:
    """Both texts as one line of Markdown: what was there struck out, what is there now in bold, the rest once."""
    parts = []
    for old, new in segments(before, after):
        if old == new:
            parts.append(typeset.plain(old))
            continue
        for text, sign in ((old, "~~"), (new, "**")):
            if inner := text.strip():
                gap = " " if text[0].isspace() or parts else ""
                parts.append(f"{gap}{sign}{typeset.plain(inner)}{sign}")
    return "".join(parts).strip()
