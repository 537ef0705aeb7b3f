"""The styles of Streamlit's own controls: those of the projector are on presented pages only, which they slow down."""

import pytest
from streamlit.testing.v1 import AppTest

SCRIPT = """
from dashboard.components.larger import larger
larger(presenting={presenting})
"""


@pytest.mark.parametrize("presenting", [False, True])
def test_only_a_presented_page_asks_for_the_projector_s_bar(presenting):
    app = AppTest.from_string(SCRIPT.format(presenting=presenting), default_timeout=60).run()
    assert not app.exception
    styles = [element.proto.body for element in app.get("html")]
    assert styles
    assert any(":has(.st-key-projector-bar)" in style for style in styles) == presenting
