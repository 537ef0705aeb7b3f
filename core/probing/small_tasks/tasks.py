"""Two tasks with known answers: sort six digits, add two numbers of two digits (minGPT's tasks, Karpathy 2020)."""

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import ClassVar

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from ...errors import InputError

DIGIT = "d"  # in the shape of a problem
ALPHABET = "0123456789+="  # the tokens of both models: each digit has its own number
SHARE, SEED = 0.2, 0  # of all problems, those that no model learned from; and how they were drawn

COPY, COLUMN, CARRY = "the digit that it writes", "its own column", "the carry's column"


@dataclass(frozen=True)
class Aim:
    """A kind of token that a head may be expected to attend to while digit number `answer` of the answer is written."""

    kind: str  # COPY, COLUMN or CARRY
    answer: int


class Task(ABC):
    """A task with its problems, some of them held out: problems that differ only in order are held out together."""

    name: ClassVar[str]
    shape: ClassVar[str]  # as a model reads a problem: each DIGIT is one of the problem's
    answers: ClassVar[tuple[str, ...]]  # the name of each digit of the answer, in the order in which they are written
    aims: ClassVar[tuple[Aim, ...]]

    @property
    def prompt(self) -> int:
        """The number of tokens of a problem; the answer begins after them."""
        return len(self.shape)

    @property
    def context(self) -> int:
        """The number of tokens that a model reads before it writes the last digit of the answer."""
        return self.prompt + len(self.answers) - 1

    @property
    def places(self) -> list[int]:
        """Where the digits of the problem stand among the tokens."""
        return [place for place, sign in enumerate(self.shape) if sign == DIGIT]

    @abstractmethod
    def read(self, text: str) -> Int[Tensor, " digit"]:
        """Parse a problem from text; InputError if it is none."""

    @abstractmethod
    def solve(self, problems: Int[Tensor, "batch digit"]) -> Int[Tensor, "batch answer"]:
        """The right answers, digit by digit as they are to be written."""

    @abstractmethod
    def matters(self, aim: Aim, problems: Int[Tensor, "batch digit"]) -> Bool[Tensor, "batch key"]:
        """True for the tokens that the aim stands for."""

    def tokens(self, problems: Int[Tensor, "batch digit"]) -> Int[Tensor, "batch token"]:
        """The problems as a model reads them, up to "="."""
        tokens = torch.tensor([ALPHABET.find(sign) for sign in self.shape]).repeat(len(problems), 1)
        tokens[:, self.places] = problems
        return tokens

    def spell(self, problem: Int[Tensor, " digit"]) -> str:
        """One problem as a model reads it: "47+85="."""
        return "".join(ALPHABET[number] for number in self.tokens(problem[None])[0].tolist())

    def draw(self, count: int, seed: int, *, held_out: bool = True) -> Int[Tensor, "batch digit"]:
        """`count` problems drawn uniformly from those that are held out, or from those to learn from."""
        generator = torch.Generator().manual_seed(seed)
        problems = torch.empty(0, len(self.places), dtype=torch.long)
        while len(problems) < count:
            candidates = torch.randint(10, (4 * count, len(self.places)), generator=generator)
            problems = torch.cat([problems, candidates[self.is_held_out(candidates) == held_out]])
        return problems[:count]

    def every(self) -> Int[Tensor, "batch digit"]:
        """All problems that there are, in order."""
        return torch.cartesian_prod(*[torch.arange(10)] * len(self.places))

    def is_held_out(self, problems: Int[Tensor, "batch digit"]) -> Bool[Tensor, " batch"]:
        """Whether no model has learned from a problem, nor from one that differs from it only in order."""
        return self._held_out[self._groups(problems)]

    @abstractmethod
    def _groups(self, problems: Int[Tensor, "batch digit"]) -> Int[Tensor, " batch"]:
        """A number below 10 to the power of the digits, equal for problems that differ only in order."""

    @abstractmethod
    def _every_group(self) -> Iterator[int]:
        """All numbers of `_groups`, each once."""

    @cached_property
    def _held_out(self) -> Bool[Tensor, " _"]:
        chance = random.Random(SEED)  # the same on every machine and in every version
        held_out = torch.zeros(10 ** len(self.places), dtype=torch.bool)
        held_out[[group for group in self._every_group() if chance.random() < SHARE]] = True
        return held_out


class Sort(Task):
    """Six digits, from the smallest to the largest."""

    name = "sort"
    shape = "dddddd="
    answers = ("1st", "2nd", "3rd", "4th", "5th", "6th")
    aims = tuple(Aim(COPY, answer) for answer in range(6))

    def read(self, text: str) -> Int[Tensor, " digit"]:
        """Six digits, with spaces or commas between them or without."""
        if not re.fullmatch(r"[0-9]{6}", digits := re.sub(r"[\s,;]", "", text)):
            raise InputError(f"Give exactly six digits from 0 to 9, such as 352041, not “{_short(text)}”.")
        return torch.tensor([int(digit) for digit in digits])

    def solve(self, problems: Int[Tensor, "batch digit"]) -> Int[Tensor, "batch answer"]:
        """The same digits in their order."""
        return problems.sort(dim=-1).values

    def matters(self, aim: Aim, problems: Int[Tensor, "batch digit"]) -> Bool[Tensor, "batch key"]:
        """True for every digit of the problem that equals the one to be written."""
        marked = torch.zeros(len(problems), self.context, dtype=torch.bool)
        marked[:, self.places] = problems == self.solve(problems)[:, aim.answer, None]
        return marked

    def _groups(self, problems: Int[Tensor, "batch digit"]) -> Int[Tensor, " batch"]:
        return _number(self.solve(problems))

    def _every_group(self) -> Iterator[int]:
        return (int("".join(digits)) for digits in combinations_with_replacement(ALPHABET[:10], len(self.places)))


class Add(Task):
    """Two numbers below 100. The sum is written from the units on, as by hand: "47+85=" is followed by 2, 3, 1.

    So every carry is known by the time it is needed.
    """

    name = "add"
    shape = "dd+dd="
    answers = ("units", "tens", "hundreds")
    aims = (Aim(COLUMN, 0), Aim(COLUMN, 1), Aim(CARRY, 1), Aim(CARRY, 2))

    def read(self, text: str) -> Int[Tensor, " digit"]:
        """Two whole numbers with a plus between them."""
        numbers = re.fullmatch(r"\s*0*([0-9]{1,2})\s*\+\s*0*([0-9]{1,2})\s*=?\s*", text)
        if not numbers:
            raise InputError(
                f"Give two whole numbers from 0 to 99 with a plus between them, such as 47+85, not “{_short(text)}”."
            )
        return torch.tensor([int(digit) for number in numbers.groups() for digit in f"{int(number):02}"])

    def solve(self, problems: Int[Tensor, "batch digit"]) -> Int[Tensor, "batch answer"]:
        """Units, tens and hundreds of the sum."""
        first, second = self._numbers(problems)
        sums = first + second
        return torch.stack([sums % 10, sums // 10 % 10, sums // 100], dim=-1)

    def matters(self, aim: Aim, problems: Int[Tensor, "batch digit"]) -> Bool[Tensor, "batch key"]:
        """True for the two digits of the column that is added, or of the one to its right, where the carry is made."""
        tens, units = self.places[::2], self.places[1::2]
        column = aim.answer if aim.kind == COLUMN else aim.answer - 1
        marked = torch.zeros(len(problems), self.context, dtype=torch.bool)
        marked[:, (units, tens)[column]] = True
        return marked

    def _groups(self, problems: Int[Tensor, "batch digit"]) -> Int[Tensor, " batch"]:
        first, second = self._numbers(problems)
        return 100 * torch.minimum(first, second) + torch.maximum(first, second)

    def _every_group(self) -> Iterator[int]:
        return (100 * small + large for small, large in combinations_with_replacement(range(100), 2))

    def _numbers(self, problems: Int[Tensor, "batch digit"]) -> tuple[Int[Tensor, " batch"], Int[Tensor, " batch"]]:
        return _number(problems[:, :2]), _number(problems[:, 2:])


TASKS: dict[str, Task] = {task.name: task for task in (Sort(), Add())}


def _number(digits: Int[Tensor, "batch digit"]) -> Int[Tensor, " batch"]:
    """Rows of digits as numbers."""
    powers = 10 ** torch.arange(digits.shape[1] - 1, -1, -1)
    return (digits * powers).sum(dim=-1)


def _short(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:20]}…"
