"""Normalisation of English and French to the spaces, apostrophes and signs that the models were trained on."""

import re
import unicodedata

_SPACES = re.compile(r"[\u00a0\u2000-\u200a\u202f\u205f\u3000\s]+")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_SIGNS = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "…": "..."})


def normalise_english(text: str) -> str:
    """Text with plain spaces, straight quotes, no invisible characters and composed letters (NFC)."""
    text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text)).translate(_SIGNS)
    return _SPACES.sub(" ", text).strip()


def normalise_french(text: str) -> str:
    """As `normalise_english`, with one plain space before ? ! : ; and inside « », as in printed French.

    A colon or semicolon between other characters stays as it is (12:30).
    """
    text = normalise_english(text)
    text = re.sub(r"(?<=[^\s?!]) ?([?!]+)", r" \1", text)
    text = re.sub(r"(?<=\S) ?([:;])(?= |$)", r" \1", text)
    text = re.sub(r"« ?", "« ", re.sub(r" ?»", " »", text))
    return _SPACES.sub(" ", text).strip()
