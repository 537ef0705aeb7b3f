"""How well words are guessed from the context on their left, on their right, and on both sides."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ...errors import InputError
from ...progress import Progress, no_progress
from ...text import Tokens, encode
from ...zoo.kinds import fills_masks
from ...zoo.masked_language_models import MaskedLanguageModel
from ...zoo.text_models import CausalLanguageModel, LanguageModel
from .queries import Answers, ask, ask_next
from .words import Word, words_of

# A page of The Time Machine (H. G. Wells 1895, public domain; text of Standard Ebooks, CC0): the beginning of chapter
# III. Neither gpt-books nor bert-books has read this book.
PAGE = Path(__file__).with_name("the_time_machine.txt")
SIDE = 32  # tokens that are read on each side of a word
MOST = 200  # words that are asked for
MOST_TOKENS = 10**6  # no page has so many


@dataclass(frozen=True, eq=False)
class ContextGuesses:
    """The same words of one page, guessed from `side` tokens of context on the left, the right or both sides.

    `next_left` are the answers of a causal model; the others are of a bidirectional one that is given the left, the
    right, or both. `commonest`: the accuracy of always guessing `commonest_word`, the most frequent of these words.
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
    forward: CausalLanguageModel,
    both: MaskedLanguageModel,
    text: str,
    *,
    side: int = SIDE,
    progress: Progress = no_progress,
) -> ContextGuesses:
    """Mask words of a page one at a time, and guess them with each model and each side of the context.

    Only words that both models read as one token, with `side` tokens on both sides of them, are guessed, and at most
    MOST, evenly spread. InputError if the page has none.
    """
    pages = _Page.of(forward, text), _Page.of(both, text)
    numbers = [number for number in pages[1].words if all(page.has_room(number, side) for page in pages)]
    if not numbers:
        raise InputError(
            f"This page has no word with {side} tokens on both sides of it that both models read as one token. Take a "
            "longer page."
        )
    numbers = [
        numbers[place] for place in torch.linspace(0, len(numbers) - 1, min(len(numbers), MOST)).round().long().tolist()
    ]
    labels = tuple(pages[1].words[number].label.strip() for number in numbers)
    commonest, times = Counter(labels).most_common(1)[0]

    done = 0

    def report(count: int, _total: int) -> None:
        progress(done + count, 4 * len(numbers))

    texts, truths, _ = pages[0].windows(numbers, side, -1)
    answers = [ask_next(forward, texts, truths, report)]
    for before, after in ((side, 0), (0, side), (side, side)):
        done += len(numbers)
        texts, truths, place = pages[1].windows(numbers, before, after)
        texts[:, place] = both.mask
        answers.append(ask(both, texts, torch.full_like(truths, place), truths, report))
    forwards, left, right, sides = answers
    return ContextGuesses(labels, side, forwards, left, right, sides, times / len(labels), commonest)


@dataclass(frozen=True, eq=False)
class _Page:
    """A page as a model reads it: the ids of its tokens, and how many special tokens are put around any text."""

    ids: Int[Tensor, " token"]
    words: dict[int, Word]  # those of one token, by their number, with letters in them
    begin: int  # special tokens before the text
    end: int  # and after it

    @classmethod
    def of(cls, model: LanguageModel, text: str) -> "_Page":
        tokens = encode(model.tokenizer, text, context=MOST_TOKENS)
        own = [place for place, special in enumerate(tokens.special) if not special]
        words = {word.number: word for word in words_of(tokens) if len(word.places) == 1 and word.has_letters}
        return cls(torch.tensor(tokens.ids), words, own[0], len(tokens) - 1 - own[-1])

    def has_room(self, number: int, side: int) -> bool:
        """Whether a word is one token, with `side` tokens of the text on both sides."""
        if number not in self.words:
            return False
        (place,) = self.words[number].places
        return place - side >= self.begin and place + side < len(self.ids) - self.end

    def windows(
        self, numbers: list[int], before: int, after: int
    ) -> tuple[Int[Tensor, "point token"], Int[Tensor, " point"], int]:
        """Windows of the page around words, with the special tokens; the ids of the words; and their place in a window.

        `before` and `after` count tokens; `after` -1 leaves out the word itself.
        """
        places = torch.tensor([self.words[number].places[0] for number in numbers])
        parts = self.ids[places[:, None] + torch.arange(-before, after + 1)]
        around = [self.ids[: self.begin], self.ids[len(self.ids) - self.end :]]
        first, last = (special.expand(len(places), -1) for special in around)
        return torch.cat([first, parts, last], dim=1), self.ids[places], self.begin + before


def influence(
    model: LanguageModel, tokens: Tokens, word: int, *, seed: int = 0
) -> tuple[Float[Tensor, " place"], Float[Tensor, " vocabulary"]]:
    """How far the guess for a word depends on each other word, and the guess: probabilities of the word's first token.

    For a masked language model the word is masked; any other model reads what precedes it. Each other word in turn is
    replaced by random tokens, drawn with `seed`: its influence is the total variation distance between the guess before
    and after, from 0 to 1, and exactly 0 where the guess cannot depend on that word. NaN for the word itself. `word`
    is its number in `words_of`.
    """
    words, ids = words_of(tokens), torch.tensor(tokens.ids)
    place = words[word].places[0]
    if fills_masks(model):
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
        guesses = model.logits_for(texts, place).softmax(dim=-1)
    moved = (guesses[1:] - guesses[0]).abs().sum(dim=-1) / 2
    moved[word] = torch.nan
    return moved, guesses[0]


def _ordinary(model: LanguageModel) -> Int[Tensor, " vocabulary"]:
    """The numbers of all tokens that are not special."""
    special = {number for number, token in model.tokenizer.get_added_tokens_decoder().items() if token.special}
    return torch.tensor([number for number in range(model.tokenizer.get_vocab_size()) if number not in special])
