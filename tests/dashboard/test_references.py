"""References: every work that is named is there, and every work that is there is named."""

import re

import pytest

from dashboard.contents import ROOT
from dashboard.frame.prose import REFERENCES, parse
from dashboard.frame.references import WORKS, references

PROSE = [parse(file.read_text(encoding="utf-8")) for file in (ROOT / "pages").rglob("*.md")]


def test_every_work_is_named_on_a_page():
    parts = [part for page in PROSE for part in (page, *page.sections.values())]
    texts = [text for part in parts for heading, text in part.texts.items() if heading.endswith(REFERENCES)]
    assert set(re.findall(r"\w+", " ".join(texts))) == set(WORKS)


def test_a_work_says_who_when_and_where():
    for work in WORKS.values():
        assert re.match(r".+ (19|20)\d\d, \[", work) or "](http" in work, work


def test_a_work_that_is_not_there_is_an_error():
    assert references("VASWANI")[0].startswith("Vaswani et al. 2017")
    with pytest.raises(KeyError):
        references("NOBODY")
