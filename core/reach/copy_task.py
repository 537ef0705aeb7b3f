"""A task that only memory can solve: five digits, then letters that mean nothing, then the question what they were.

    4 8 2 0 3 q k z b v n ? ? ? ? ?   ->   4 8 2 0 3

From each digit to its answer it is the same distance, which is chosen: the accuracy at each distance says how far a
model can carry something (the copying problem of Hochreiter and Schmidhuber 1997, section 5, as posed by Arjovsky et
al. 2016, section 5.1).
"""

import torch
from jaxtyping import Int
from torch import Tensor

from ..errors import InputError
from ..models.character import Alphabet

DIGITS, LETTERS, QUESTION = "0123456789", "abcdefghijklmnopqrstuvwxyz", "?"
ALPHABET = Alphabet(DIGITS + LETTERS + QUESTION)
REMEMBERED = 5  # digits in one question
CHANCE = 1 / len(DIGITS)  # the accuracy of guessing
SHORTEST, LONGEST = REMEMBERED, 100  # distances that the models were trained on


def pose(digits: str, distance: int, generator: torch.Generator) -> str:
    """One question in words: the digits, `distance` - 5 random letters, and five question marks.

    The answers are read at the question marks: the last five outputs of a model.
    """
    if len(digits) != REMEMBERED or set(digits) - set(DIGITS):
        raise InputError(f"What is to be remembered are {REMEMBERED} digits from 0 to 9, not '{digits[:20]}'.")
    if not SHORTEST <= distance <= LONGEST:
        raise InputError(f"From a digit to its answer it is {SHORTEST} to {LONGEST} characters, not {distance}.")
    between = torch.randint(len(LETTERS), (distance - REMEMBERED,), generator=generator)
    return digits + "".join(LETTERS[place] for place in between.tolist()) + REMEMBERED * QUESTION


def pose_many(
    count: int, distance: int, generator: torch.Generator
) -> tuple[Int[Tensor, "batch token"], Int[Tensor, "batch 5"]]:
    """Many questions at one distance, as numbers of ALPHABET: the sequences, and the digits to be answered."""
    digits = 1 + torch.randint(len(DIGITS), (count, REMEMBERED), generator=generator)
    between = 1 + len(DIGITS) + torch.randint(len(LETTERS), (count, distance - REMEMBERED), generator=generator)
    questions = torch.full((count, REMEMBERED), len(ALPHABET) - 1)
    return torch.cat([digits, between, questions], dim=1), digits
