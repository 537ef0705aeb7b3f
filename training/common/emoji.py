"""Emoji with their names, for the networks of words and pictures.

A folder with `emoji_image_text/`: emoji64.npz (pictures of googlefonts/noto-emoji, Apache-2.0) and emoji.json
(descriptions, aliases and tags of github/gemoji, MIT), joined by code point.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from training.common.word_tokens import words_tokenizer

HELD = 10  # one emoji of so many is never seen: its codes and its names are for measuring


@dataclass(frozen=True)
class Emoji:
    """A picture and the texts that name it."""

    character: str
    picture: np.ndarray
    texts: tuple[str, ...]


def read_emoji(data: Path) -> list[Emoji]:
    """Read all emoji: description, aliases and tags in lower case, underscores as spaces."""
    entries = json.loads((data / "emoji_image_text" / "emoji.json").read_text(encoding="utf-8"))
    with np.load(data / "emoji_image_text" / "emoji64.npz") as archive:
        pictures = archive[archive.files[0]]
    emoji = []
    for entry, picture in zip(entries, pictures, strict=True):
        names = [entry["description"], *entry["aliases"], *entry["tags"]]
        texts = dict.fromkeys(name.replace("_", " ").casefold() for name in names)
        emoji.append(Emoji(entry["emoji"], picture, tuple(texts)))
    return emoji


def emoji_tokenizer(emoji: list[Emoji]) -> Tokenizer:
    """A tokenizer with a token for each word of the texts of emoji."""
    words = {word for item in emoji for text in item.texts for word in text.split()}
    return words_tokenizer(sorted(words))
