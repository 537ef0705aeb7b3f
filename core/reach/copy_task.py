"""The copying task, which needs memory: five digits, then random letters, then five question marks for the digits.

    4 8 2 0 3 q k z b v n ? ? ? ? ?   ->   4 8 2 0 3

The distance from a digit to its answer is the same for all digits: the accuracy at each distance says how long a model
remembers (the copying problem of Hochreiter and Schmidhuber 1997, section 5, as posed by Arjovsky et al. 2016, section
5.1).
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
    """One question as text: the digits, `distance` - 5 random letters, and five question marks.

    The answers are the last five outputs of a model. Raises InputError for other than five digits, or for a distance
    outside SHORTEST to LONGEST.
    """
    if len(digits) != REMEMBERED or set(digits) - set(DIGITS):
        raise InputError(f"What is to be remembered are {REMEMBERED} digits from 0 to 9, not '{digits[:20]}'.")
    if not SHORTEST <= distance <= LONGEST:
        raise InputError(f"From a digit to its answer it is {SHORTEST} to {LONGEST} characters, not {distance}.")
    filler = torch.randint(len(LETTERS), (distance - REMEMBERED,), generator=generator)
    return digits + "".join(LETTERS[index] for index in filler.tolist()) + REMEMBERED * QUESTION


def pose_many(
    count: int, distance: int, generator: torch.Generator
) -> tuple[Int[Tensor, "batch token"], Int[Tensor, "batch 5"]]:
    """Many questions at one distance, as ids of ALPHABET: the sequences, and the digits to be answered."""
    digits = 1 + torch.randint(len(DIGITS), (count, REMEMBERED), generator=generator)
    filler = 1 + len(DIGITS) + torch.randint(len(LETTERS), (count, distance - REMEMBERED), generator=generator)
    questions = torch.full((count, REMEMBERED), len(ALPHABET) - 1)
    return torch.cat([digits, filler, questions], dim=1), digits
