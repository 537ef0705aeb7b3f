"""A recorded run whose weights can be explained: what its tokens are called, what its heads write, what follows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from core.capture import AttentionCall, layer_numbers
from core.errors import CaptureError
from core.heads.contributions import HeadOutputs
from core.heads.part_removal import Removal
from core.heads.weight_explanation import WeightExplanation
from core.images import Patches
from core.text import Tokens, decode_labels
from core.zoo.kinds import predicts_next_token
from core.zoo.text_models import TextModel
from dashboard import contents, typeset
from dashboard.output import why_weight_sentences as sentences
from dashboard.recordings import layer_outputs
from dashboard.recordings.watched import Watched, WatchedText


@dataclass(frozen=True)
class TokenNames:
    """What the tokens of a sequence are called: plain `labels` in figures, `phrases` in sentences (Markdown)."""

    labels: tuple[str, ...]
    phrases: tuple[str, ...]


@dataclass(frozen=True)
class Consequence:
    """The last step of an explanation: a sentence (Markdown), and a function that draws a link to more about it."""

    sentence: str
    show_link: Callable[[], None] | None = None


@dataclass(frozen=True, eq=False)
class ExplainedRun:
    """The attention calls of a run, and what an explanation of their weights needs besides.

    `names` gives those of the queries and of the keys of a call. `head_outputs` has one entry for each call.
    `consequence` says, of an explanation and the name of its key, what head and key do to the prediction; None where
    there is none. These two may raise CaptureError or InputError, with the reason. `show_links` draws links to pages
    that show more of the explained row.
    """

    calls: Sequence[AttentionCall]
    names: Callable[[AttentionCall], tuple[TokenNames, TokenNames]]
    head_outputs: Callable[[], Sequence[HeadOutputs]]
    consequence: Callable[[WeightExplanation, str], Consequence | None] = lambda *_: None
    show_links: Callable[[WeightExplanation], None] = lambda _: None


def run_of(watched: Watched, *, masked: int | None = None) -> ExplainedRun:
    """A text or a picture with its model; `masked` is the place whose prediction the last step is about, if any."""
    model: Any = watched.model  # of a text with its run, or of a picture with its own

    def names(call: AttentionCall) -> tuple[TokenNames, TokenNames]:
        between = model.sequences_of(call, watched.run)
        assert between, "A layer that is in the view connects two sequences."
        query, key = (names_of(watched.run.sequences[name]) for name in between)
        return query, key

    def consequence(explanation: WeightExplanation, key: str) -> Consequence | None:
        if not isinstance(watched, WatchedText):
            return None
        if layer_outputs.predicts_next_word(watched):
            return _next_word(watched, explanation, key)
        return None if masked is None else _masked_word(watched, explanation, key, masked)

    def show_links(explanation: WeightExplanation) -> None:
        text = text_of(watched.model, watched.inputs) if isinstance(watched, WatchedText) else None
        if address := contents.step_by_step(watched.model.name, text):
            place = watched.record.calls.index(explanation.call)
            where = {
                "layer": layer_numbers(watched.record.calls)[place],
                "head": explanation.head,
                "token": explanation.query,
            }
            link_out("Every number of this row: Attention step by step", f"{address}&{urlencode(where)}")

    return ExplainedRun(
        watched.record.calls, names, lambda: layer_outputs.head_outputs(watched), consequence, show_links
    )


def names_of(sequence: Tokens | Patches) -> TokenNames:
    """The names of tokens, quoted in sentences; patches are named as in the view, by row and column."""
    if isinstance(sequence, Tokens):
        labels = tuple(typeset.readable(label) for label in sequence.labels)
        return TokenNames(labels, tuple(f"“{typeset.plain(label)}”" for label in labels))
    places = (divmod(place, sequence.columns) for place in range(sequence.rows * sequence.columns))
    patches = tuple(f"patch {row}·{column}" for row, column in places)
    prefix = tuple(f"the {typeset.plain(label)} token" for label in sequence.prefix)
    return TokenNames((*sequence.prefix, *patches), (*prefix, *patches))


def text_of(model: TextModel, tokens: Tokens, count: int | None = None) -> str | None:
    """The text that the model reads as the first `count` of these tokens, or all; None where there is no such text."""
    ids = tokens.ids[:count]
    labels = zip(tokens.labels[:count], tokens.special[:count], strict=True)
    text = decode_labels("".join(label for label, is_special in labels if not is_special))
    if not text.strip() or len(ids) > model.context:
        return None
    return text if model.encode(text).ids == ids else None


def link_out(label: str, address: str) -> None:
    """A link that opens a page of its own beside the map.

    Streamlit's link to a page would drop those choices of the address, such as the text, that both pages have.
    """
    st.link_button(label, address, icon=":material/open_in_new:", type="tertiary")


def quoted(label: str) -> str:
    """A predicted token, as Markdown: “…s” where it goes on with a word."""
    return f"“{'…' if label[:1].isalnum() else ''}{typeset.plain(typeset.readable(label))}”"


def ranked(removal: Removal, row: int, label: Callable[[int], str], where: str, key: str) -> str:
    """What becomes of the lead of the most probable token over the second one in a row; `where` begins the sentence."""
    best, second = removal.plain[row].topk(2).indices.tolist()
    leads = [float(logits[row, best] - logits[row, second]) for logits in _logits_of(removal)]
    start = f"{where} the model ranks {quoted(label(best))} before {quoted(label(second))}. The lead is"
    return sentences.left_out(start, leads, key)


def _logits_of(removal: Removal) -> tuple:
    return removal.plain, removal.without_head, removal.without_cell


def _next_word(watched: WatchedText, explanation: WeightExplanation, key: str) -> Consequence:
    """Direct logit attribution, with a link to the section that shows it for all heads."""
    word, path = layer_outputs.next_word(watched, explanation.query), explanation.call.path
    if path not in word.heads:
        raise CaptureError(sentences.UNDIVIDED)
    names = [quoted(watched.model.label(token)) for token in word.candidates]
    text = text_of(watched.model, watched.inputs, explanation.query + 1)
    place = {"why_layer": str(word.blocks[path]), "why_head": str(explanation.head)}

    def show_link() -> None:
        choices = {"show": "Why this word", "text": text or "", "model": watched.model.name, **place}
        link_out(f"Why {names[0]} and not {names[1]}: Next word (GPT)", contents.NEXT_WORD.address(**choices))

    can_link = text is not None and predicts_next_token(watched.model)
    return Consequence(sentences.next_word(explanation, word, names, key), show_link if can_link else None)


def _masked_word(watched: WatchedText, explanation: WeightExplanation, key: str, place: int) -> Consequence:
    """What becomes of the prediction at a mask."""
    removal = layer_outputs.removal(
        watched,
        watched.record.calls.index(explanation.call),
        explanation.head,
        explanation.query,
        explanation.key,
    )
    return Consequence(ranked(removal, place, watched.model.label, "**6. Masked word.** At the mask", key))
