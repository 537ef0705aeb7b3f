"""Plant a sentence in the tokens of a long text, and ask for it at the end."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InputError
from ..text import Tokens, read_tokens
from ..zoo.text_models import A_WORD, TextModel

NEAR = 64  # tokens within which the beginning of a sentence is looked for
CHARACTERS = 16  # of a text that are tokenized for each token that is needed; the whole text if they are too few
STOPS, CLOSING = ".!?…。！？", "\"'”’»)]*_ \n"  # the ends of sentences, and what may follow them


@dataclass(frozen=True)
class Needle:
    """A sentence to be planted, in tokens: its first `cue` tokens stand again at the end, after the `question`."""

    ids: tuple[int, ...]
    cue: int
    question: tuple[int, ...] = ()

    @property
    def answer(self) -> tuple[int, ...]:
        """The tokens that are to be copied."""
        return self.ids[self.cue :]

    @property
    def end(self) -> tuple[int, ...]:
        """What stands at the end of the text: question, cue and answer."""
        return (*self.question, *self.ids)


@dataclass(frozen=True)
class Planted:
    """A text that ends with prompt (question and cue) and answer, and the positions of its parts.

    `needle` is empty where the text goes on in its place.
    """

    tokens: Tokens
    needle: range
    prompt: range
    answer: range

    @property
    def rows(self) -> range:
        """The tokens of prompt and answer, whose attention to the needle is measured."""
        return range(self.prompt.start, self.answer.stop)


def make_needle(model: TextModel, text: str, *, cue_words: int, question: str = "") -> Needle:
    """The tokens of a needle whose first `cue_words` words are its cue; it is as it is after a space in a text.

    InputError where no word is left to be copied, or where there is neither a cue nor a question.
    """
    tokens = read_tokens(model.tokenizer, _ids(model, f" {text.strip()}"))
    starts = word_starts(tokens)
    question_ids = _ids(model, f" {question.strip()}") if question.strip() else ()
    if len(starts) < 2 or cue_words >= len(starts):
        raise InputError(
            f"The needle has {len(starts)} {'word' if len(starts) == 1 else 'words'}, its cue {cue_words}: at least 1 "
            "word must be left to be copied. Write a longer sentence, or shorten the cue."
        )
    if cue_words < 1 and not question_ids:
        raise InputError("Nothing asks for the needle: repeat at least 1 of its words, or write a question.")
    return Needle(tokens.ids, starts[cue_words] if cue_words else 0, question_ids)


def word_starts(tokens: Tokens) -> tuple[int, ...]:
    """The first token of each word that has a letter or a digit."""
    starts: dict[int, int] = {}
    for position, (word, label) in enumerate(zip(tokens.words, tokens.labels, strict=True)):
        if word is not None and any(map(str.isalnum, label)):
            starts.setdefault(word, position)
    return tuple(starts.values())


def haystack(model: TextModel, text: str, length: int) -> Tokens:
    """The first tokens of a text, as many as a haystack of `length` tokens may need.

    InputError where the text has too few.
    """
    most = length + NEAR
    ids = _ids(model, text[: CHARACTERS * most])
    if len(ids) <= most:  # the text may have been cut within a word
        ids = _ids(model, text)
    if len(ids) < length:
        raise InputError(
            f"This text has {len(ids):,} tokens, and a haystack of {length:,} is to be cut from it: choose a shorter "
            "haystack or a longer text."
        )
    return read_tokens(model.tokenizer, ids[:most])


def plant(model: TextModel, text: Tokens, needle: Needle, length: int, depth: float | None) -> Planted:
    """A text of `length` tokens with the needle at a depth from 0 to 1, or without it (None), and its end.

    The needle stands before the nearest sentence, or before a word where no sentence begins within NEAR tokens. With
    and without the needle the same tokens stand before the prompt; the first ones give way to it. InputError where the
    length leaves no text around the needle, or for a depth outside.
    """
    if depth is not None and not 0 <= depth <= 1:
        raise InputError(f"A depth is a share of the text from 0 to 1, not {depth:g}.")
    first = _first_tokens(model)
    room = length - len(first) - len(needle.end)
    if room < 2 * len(needle.ids):
        raise InputError(
            f"Needle, question and cue have {len(needle.ids) + len(needle.end):,} tokens together, which leaves too "
            f"little text among {length:,}: choose a longer haystack or shorter sentences."
        )
    labels = text.labels
    end = next((place for place in range(room, min(len(labels), room + NEAR)) if begins_sentence(labels, place)), room)
    planted: tuple[int, ...] = ()
    if depth is None:
        body, place = text.ids[end - room : end], 0
    else:
        begin = end - room + len(needle.ids)
        body, planted = text.ids[begin:end], needle.ids
        place = _place(labels[begin:end], round(depth * len(body)))
    ids = (*first, *body[:place], *planted, *body[place:], *needle.end)
    start = len(first) + place
    prompt = range(length - len(needle.end), length - len(needle.answer))
    tokens = read_tokens(model.tokenizer, ids)
    return Planted(tokens, range(start, start + len(planted)), prompt, range(prompt.stop, length))


def begins_sentence(labels: Sequence[str], place: int) -> bool:
    """Whether a sentence ends before the token at this place, or the text begins there."""
    if place == 0:
        return True
    before = "".join(labels[max(0, place - 4) : place])
    bare = before.rstrip(CLOSING)
    return begins_word(labels, place) and bare != "" and bare[-1] in STOPS


def begins_word(labels: Sequence[str], place: int) -> bool:
    """Whether a word, or a space before it, begins at the token at this place, or the text ends before it."""
    return place in (0, len(labels)) or labels[place][:1].isspace() or labels[place - 1][-1:].isspace()


def _place(labels: Sequence[str], position: int) -> int:
    """The place nearest to a position at which a sentence begins, or else a word."""
    near = sorted(
        range(max(0, position - NEAR), min(len(labels), position + NEAR) + 1), key=lambda at: abs(at - position)
    )
    sentences = (place for place in near if place == len(labels) or begins_sentence(labels, place))
    words = (place for place in near if begins_word(labels, place))
    return next(sentences, next(words, position))


def _ids(model: TextModel, text: str) -> tuple[int, ...]:
    return tuple(model.tokenizer.encode(text, add_special_tokens=False).ids)


def _first_tokens(model: TextModel) -> tuple[int, ...]:
    """The special tokens with which every text begins."""
    tokens = model.encode(A_WORD)
    return tokens.ids[: tokens.special.index(False)]
