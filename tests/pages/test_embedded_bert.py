"""A BERT of ours on the pages that any text model can be opened on."""

import pytest

from tests.pages.conftest import message_text, prose
from tests.pages.tiny_bert_books import NAME, tiny_bert_books  # noqa: F401

pytestmark = pytest.mark.usefixtures("tiny_bert_books")
TEXT = "The old man sat by the fire."


@pytest.mark.parametrize(
    ("room", "query"),
    [
        ("explore/text", {"silenced": "0.1"}),
        ("foundations/many_heads", {}),
        ("foundations/many_heads", {"show": "Ablated heads", "silenced": "0.1"}),
        ("foundations/many_heads", {"show": "Added up"}),
        ("foundations/many_heads", {"show": "Taken together"}),
        ("foundations/inside_the_transformer", {}),
        ("foundations/inside_the_transformer", {"show": "Stream"}),
        ("foundations/inside_the_transformer", {"show": "Logit lens"}),
        ("foundations/inside_the_transformer", {"show": "Sizes"}),
        ("foundations/order", {"show": "Learned"}),
        ("scale/efficient_attention", {}),
        ("scale/efficient_attention", {"show": "Swapped in"}),
    ],
)
def test_a_page_opens_with_it(visit, room, query):
    app = visit(room, model=NAME, text=TEXT, **query)
    assert not app.exception
    assert "cannot" not in message_text(app, "warning"), message_text(app)
    assert prose(app)
