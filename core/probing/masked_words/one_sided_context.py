"""From which side a word is guessed: from the left, from the right, or from both."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ...errors import InputError
from ...progress import Progress, no_progress
from ...text import Tokens, encode
from ...zoo.masked_language_models import MissingToken
from ...zoo.text_models import NextToken
from .queries import Answers, ask, ask_next
from .words import Word, words_of

# A page of The Time Machine (H. G. Wells 1895, public domain; text of Standard Ebooks, CC0): the beginning of chapter
# III. Neither gpt-books nor bert-books has read this book.
PAGE = Path(__file__).with_name("the_time_machine.txt")
SIDE = 32  # tokens that are read on each side of a word
MOST = 200  # words that are asked for
WHOLE = 10**6  # tokens: no page has so many


@dataclass(frozen=True, eq=False)
class ContextGuesses:
    """The same words of one page, guessed from what stands on each side of them, at most `side` tokens of it.

    `next_left` is the answer of a model that only ever reads from the left; the others are of one that reads on both
    sides, and is shown the left, the right, or both. `commonest`: the share that whoever always says the most frequent
    one of these words would get right.
    """

    words: tuple[str, ...]
    side: int
    next_left: Answers
    left: Answers
    right: Answers
    both: Answers
    commonest: float
    commonest_word: str


def page() -> str:
    """The held-out page."""
    return PAGE.read_text(encoding="utf-8").strip()


def guess_by_context(
    forward: NextToken, both: MissingToken, text: str, *, side: int = SIDE, progress: Progress = no_progress
) -> ContextGuesses:
    """Hide words of a page one at a time, and ask each model with each side to read.

    Only words are asked for that both models read as one token, with `side` tokens on both sides of them, and at most
    MOST, evenly spread. InputError if the page has none.
    """
    pages = _Page.of(forward, text), _Page.of(both, text)
    asked = [number for number in pages[1].words if all(page.has_room(number, side) for page in pages)]
    if not asked:
        raise InputError(
            f"This page has no word with {side} tokens on both sides of it that both models read as one token. Take a "
            "longer page."
        )
    asked = [asked[place] for place in torch.linspace(0, len(asked) - 1, min(len(asked), MOST)).round().long().tolist()]
    labels = tuple(pages[1].words[number].label.strip() for number in asked)
    commonest, times = Counter(labels).most_common(1)[0]

    before_now = 0

    def told(count: int, _total: int) -> None:
        progress(before_now + count, 4 * len(asked))

    texts, truths, _ = pages[0].windows(asked, side, -1)
    found = [ask_next(forward, texts, truths, told)]
    for before, after in ((side, 0), (0, side), (side, side)):
        before_now += len(asked)
        texts, truths, place = pages[1].windows(asked, before, after)
        texts[:, place] = both.mask
        found.append(ask(both, texts, torch.full_like(truths, place), truths, told))
    forwards, left, right, sides = found
    return ContextGuesses(labels, side, forwards, left, right, sides, times / len(labels), commonest)


@dataclass(frozen=True, eq=False)
class _Page:
    """A whole page, however long, as a model reads it: the numbers of its tokens, and what stands around any text."""

    ids: Int[Tensor, " token"]
    words: dict[int, Word]  # those of one token, by their number, with letters in them
    begin: int  # special tokens before the text
    end: int  # and after it

    @classmethod
    def of(cls, model: NextToken, text: str) -> "_Page":
        tokens = encode(model.tokenizer, text, context=WHOLE)
        own = [place for place, special in enumerate(tokens.special) if not special]
        words = {word.number: word for word in words_of(tokens) if len(word.places) == 1 and word.has_letters}
        return cls(torch.tensor(tokens.ids), words, own[0], len(tokens) - 1 - own[-1])

    def has_room(self, number: int, side: int) -> bool:
        """Whether a word is one token, with so many tokens on both sides."""
        if number not in self.words:
            return False
        (place,) = self.words[number].places
        return place - side >= self.begin and place + side < len(self.ids) - self.end

    def windows(
        self, numbers: list[int], before: int, after: int
    ) -> tuple[Int[Tensor, "point token"], Int[Tensor, " point"], int]:
        """Parts of the page around words, between the special tokens; the words; and their place in the parts.

        `after` -1 leaves out the word itself.
        """
        places = torch.tensor([self.words[number].places[0] for number in numbers])
        parts = self.ids[places[:, None] + torch.arange(-before, after + 1)]
        around = [self.ids[: self.begin], self.ids[len(self.ids) - self.end :]]
        first, last = (special.expand(len(places), -1) for special in around)
        return torch.cat([first, parts, last], dim=1), self.ids[places], self.begin + before


def influence(
    model: NextToken, tokens: Tokens, word: int, *, seed: int = 0
) -> tuple[Float[Tensor, " place"], Float[Tensor, " vocabulary"]]:
    """How much each word of a text informs the guess for one of them, and the guess: probabilities of its first token.

    A model that fills gaps has the word hidden from it, any other reads what stands before it. Each other word in turn
    is replaced by random tokens: the total variation between the guess before and after, from 0 to 1. Exactly 0 means
    that the guess cannot depend on that word. NaN for the word itself. `word` counts in `words_of`.
    """
    words, ids = words_of(tokens), torch.tensor(tokens.ids)
    place = words[word].places[0]
    if isinstance(model, MissingToken):
        ids[list(words[word].places)] = model.mask
    elif place == 0:
        raise InputError("Nothing stands before the first word, so a model that reads from the left cannot guess it.")
    generator = torch.Generator().manual_seed(seed)
    ordinary = _ordinary(model)
    texts = ids.repeat(len(words) + 1, 1)
    for row, other in enumerate(words, start=1):
        if row != word + 1:
            drawn = torch.randint(len(ordinary), (len(other.places),), generator=generator)
            texts[row, list(other.places)] = ordinary[drawn]
    with torch.inference_mode():
        guesses = _guess(model, texts, place).softmax(dim=-1)
    moved = (guesses[1:] - guesses[0]).abs().sum(dim=-1) / 2
    moved[word] = torch.nan
    return moved, guesses[0]


def _guess(model: NextToken, texts: Int[Tensor, "point token"], place: int) -> Float[Tensor, "point vocabulary"]:
    if isinstance(model, MissingToken):
        asked = torch.zeros_like(texts, dtype=torch.bool)
        asked[:, place] = True
        return model.ask(texts, asked)
    output = model.network(texts)
    return (output if isinstance(output, Tensor) else output.logits)[:, place - 1].float()


def _ordinary(model: NextToken) -> Int[Tensor, " vocabulary"]:
    """The numbers of all tokens that are not special."""
    special = {number for number, token in model.tokenizer.get_added_tokens_decoder().items() if token.special}
    return torch.tensor([number for number in range(model.tokenizer.get_vocab_size()) if number not in special])
