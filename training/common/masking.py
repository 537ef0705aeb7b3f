"""Hiding words for a BERT to guess (Devlin et al. 2018, section 3.1; whole words as in the authors' later release)."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from tokenizers import AddedToken, Tokenizer, processors
from torch import Tensor

SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")
SHARE = 0.15  # of the words are to be guessed
MASKED, RANDOM = 0.8, 0.1  # of their tokens become [MASK], or any other token; the rest stays as it is
SPACES = ("Ġ", "Ċ", "▁")  # how tokenizers write a space and the end of a line


def add_special_tokens(tokenizer: Tokenizer) -> Tokenizer:
    """Give a tokenizer of texts the tokens of a BERT, and put them around one text, or two."""
    # Who types " [MASK]" means a word with the space before it, which is one token.
    tokenizer.add_special_tokens([AddedToken(name, lstrip=name == "[MASK]", special=True) for name in SPECIAL])
    numbers = [(name, number_of(tokenizer, name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=numbers
    )
    return tokenizer


def number_of(tokenizer: Tokenizer, token: str) -> int:
    """The number of a special token; KeyError if the tokenizer has none of this name."""
    if (number := tokenizer.token_to_id(token)) is None:
        raise KeyError(token)
    return number


@dataclass(frozen=True)
class MaskedBatch:
    """A batch with masked words: the tokens that the model reads, and True where it is to predict the original."""

    tokens: Int[Tensor, "batch token"]
    is_target: Bool[Tensor, "batch token"]


class Masking:
    """Masks words of a tokenizer's texts; a word is what stands between two spaces or signs, of one or more tokens."""

    def __init__(self, tokenizer: Tokenizer):
        names = [tokenizer.id_to_token(number) or "" for number in range(tokenizer.get_vocab_size())]
        special = set(SPECIAL)
        self.vocabulary = tokenizer.get_vocab_size() - len(SPECIAL)  # those of the texts come first
        self.mask = number_of(tokenizer, "[MASK]")
        self.special = torch.tensor([name in special for name in names])
        texts = [tokenizer.decode([number], skip_special_tokens=False) for number in range(len(names))]
        goes_on = [_is_letter(text[:1]) and name[:1] not in SPACES for name, text in zip(names, texts, strict=True)]
        self.goes_on = torch.tensor(goes_on)
        # A space that is a token of its own belongs to the word that follows.
        self.is_open = torch.tensor([_is_letter(text[-1:]) for text in texts]) | torch.tensor(
            [name in SPACES for name in names]
        )

    def words(self, tokens: Int[Tensor, "batch token"]) -> Int[Tensor, "batch token"]:
        """The number of each token's word in its row, counted from 0."""
        goes_on = torch.zeros_like(tokens, dtype=torch.bool)
        goes_on[:, 1:] = self.goes_on[tokens[:, 1:]] & self.is_open[tokens[:, :-1]]
        return (~goes_on | self.special[tokens]).cumsum(dim=1) - 1

    def mask_words(
        self, tokens: Int[Tensor, "batch token"], generator: torch.Generator, *, always_masked: bool = False
    ) -> MaskedBatch:
        """Mask each word with the probability SHARE; `always_masked`: every chosen token becomes [MASK]."""
        rows, length = tokens.shape
        # One number for each word: there are no more words than tokens.
        priorities = torch.rand(rows, length, generator=generator)
        is_target = (priorities.gather(1, self.words(tokens)) < SHARE) & ~self.special[tokens]
        if always_masked:
            return MaskedBatch(torch.where(is_target, self.mask, tokens), is_target)
        fate = torch.rand(rows, length, generator=generator)
        random_tokens = torch.randint(self.vocabulary, (rows, length), generator=generator)
        hidden = torch.where(is_target & (fate < MASKED), self.mask, tokens)
        hidden = torch.where(is_target & (fate >= MASKED) & (fate < MASKED + RANDOM), random_tokens, hidden)
        return MaskedBatch(hidden, is_target)


def _is_letter(character: str) -> bool:
    """A byte that is no character by itself is a part of one, and nearly always of a letter."""
    return character.isalpha() or character == "\ufffd"
