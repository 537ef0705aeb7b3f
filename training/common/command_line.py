"""The options that the scripts of training/ have in common, each written once."""

import argparse
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NoReturn

import torch

from training.common.data_sets import EMOJI, DataSet, describe

RESUMED, TRAINED = "checkpoints; resumed if present", "where the networks are"
NO_HELPS: Mapping[str, str] = {}


class CommandLine(argparse.ArgumentParser):
    """The command line of a script, described by its docstring and by the data that it needs.

    Each keyword adds the option of its name; an option that is a script's own is added with `add_argument`.
    `helps` holds the help of an option where it is not the usual one.

    - `data`: what has to be in the folder that `--data` names. `emoji`: `--data` may be left out, and then there are
      no emoji.
    - `run`, `out`: their defaults. `only`: what there is to choose from.
    - `steps`: how many, or "plan" for those of the script's plan.
    - `threads`: "all" that PyTorch takes by itself, as for training, or "one", as for figures that do not depend on
      the machine's number of cores.
    """

    def __init__(
        self,
        description: str | None,
        *,
        data: Sequence[DataSet] = (),
        emoji: bool = False,
        run: Path | None = None,
        only: Iterable[str] | None = None,
        steps: int | Literal["plan"] | None = None,
        seed: bool = False,
        device: bool = False,
        out: Path | None = None,
        threads: Literal["all", "one"] | None = None,
        helps: Mapping[str, str] = NO_HELPS,
    ):
        self.data = (EMOJI,) if emoji else tuple(data)
        text = f"{(description or '').rstrip()}\n\n{self._data_paragraph(emoji)}" if self.data else description
        super().__init__(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
        if emoji:
            self.add_argument("--data", type=Path, help="for emoji")
        elif self.data:
            self.add_argument("--data", type=Path, required=True, help=helps.get("data"))
        if run is not None:
            self.add_argument("--run", type=Path, default=run, help=helps.get("run", RESUMED))
        if only is not None:
            self.add_argument("--only", nargs="+", choices=tuple(only), help=helps.get("only"))
        if steps is not None:
            steps = None if steps == "plan" else steps
            self.add_argument("--steps", type=int, default=steps, help=helps.get("steps"))
        if seed:
            self.add_argument("--seed", type=int, default=0)
        if device:
            self.add_argument("--device", default="cpu")
        if out is not None:
            self.add_argument("--out", type=Path, default=out)
        if threads is not None:
            default = 1 if threads == "one" else torch.get_num_threads()
            self.add_argument("--threads", type=int, default=default, help=helps.get("threads"))

    def read(self) -> argparse.Namespace:
        """Parse the options, and set PyTorch's number of threads."""
        arguments = self.parse_args()
        if "threads" in arguments:
            torch.set_num_threads(arguments.threads)
        return arguments

    def error(self, message: str) -> NoReturn:
        """Exit with a message; if `--data` is missing, with what its folder has to contain and where to get it."""
        if self.data and re.search(r"--data(?![\w-])", message):
            self.exit(2, f"Say where the data is with --data PATH (make: DATA=PATH): {describe(self.data)}.\n")
        super().error(message)

    def _data_paragraph(self, emoji: bool) -> str:
        text = f"{'Emoji' if emoji else 'Data'}: {describe(self.data)}."
        return textwrap.fill(text, width=120, break_long_words=False, break_on_hyphens=False)


def with_or_without_emoji(arguments: argparse.Namespace, worlds: Iterable[str]) -> list[str]:
    """Which worlds to train: those of `--only`, or all; without `--data` all but emoji.

    SystemExit where emoji are asked for and there is no `--data`.
    """
    names = list(arguments.only or (world for world in worlds if world != "emoji" or arguments.data is not None))
    if "emoji" in names and arguments.data is None:
        raise SystemExit(f"Emoji need --data PATH (make: DATA=PATH): {describe((EMOJI,))}.")
    return names
