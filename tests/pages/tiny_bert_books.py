"""bert-books as a tiny model with random weights, for tests of pages: offered and loaded like any of ours."""

from functools import partial

import pytest

from core import zoo
from core.zoo import embedded, loading
from dashboard.cache import memo, models
from tests.core.tiny_bert import save_tiny_bert

NAME, TITLE = "bert-books", "BERT, trained on the same books"


@pytest.fixture
def tiny_bert_books(tmp_path, monkeypatch):
    """In place of the one that comes with the atlas, or of none."""
    for folder in embedded.WEIGHTS.iterdir():
        if folder.name != NAME:
            (tmp_path / folder.name).symlink_to(folder)
    save_tiny_bert(tmp_path / NAME)
    load = partial(embedded.load_embedded_text, weights=tmp_path)
    monkeypatch.setattr(embedded, "WEIGHTS", tmp_path)
    monkeypatch.setattr(loading, "load_embedded_text", load)
    monkeypatch.setitem(zoo.TEXT, NAME, TITLE)
    monkeypatch.setitem(models.OURS, NAME, TITLE)
    monkeypatch.setattr(zoo, "MASKED", (NAME,))
    memo.clear()
    yield tmp_path / NAME
    memo.clear()
