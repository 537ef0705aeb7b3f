"""Tables explain the terms in their heads, and leave the settings of a page as they are."""

import json

import numpy as np
from streamlit.testing.v1 import AppTest

from dashboard.glossary import TERMS
from dashboard.output.data_table import _with_help
from dashboard.typeset import plain


def page() -> None:
    import pandas as pd
    import streamlit as st

    from dashboard.output.data_table import data_table

    rows = pd.DataFrame({"Entropy (bits)": [1.0], "BLEU": [2.0], "hidden logits": [3.0], "other": [4.0]})
    data_table(rows, column_config={"BLEU": st.column_config.NumberColumn(help="own"), "hidden logits": None})
    data_table(rows[["other"]])


def test_below_a_table_stand_links_for_the_terms_of_its_heads():
    app = AppTest.from_function(page).run()
    assert not app.exception
    (caption,) = (element.value for element in app.caption)
    for name in ("entropy", "bits", "BLEU"):
        assert f"[{name}]({TERMS[name].address})" in caption
    assert "other" not in caption
    assert "logit" not in caption


def test_on_a_projector_the_table_stands_alone():
    app = AppTest.from_function(page)
    app.query_params["present"] = "1"
    assert not app.run().caption


def test_a_column_keeps_its_own_help_and_settings():
    terms = [TERMS["nats"]]
    assert _with_help(None, terms)["help"] == f"**nats**: {plain(TERMS['nats'].says)}"
    assert _with_help({"help": "own", "width": 3}, terms) == {"help": "own", "width": 3}
    assert _with_help({"help": None, "width": 3}, terms)["width"] == 3
    assert _with_help("a label", terms) == "a label"


def shares_page() -> None:
    import pandas as pd
    import streamlit as st

    from dashboard.output.data_table import data_table

    percent = st.column_config.NumberColumn(format="percent", help="own")
    rows = pd.DataFrame(
        {"share": [0.106, 0.3, None], "unknown": [None] * 3, "bar": [0.1, 0.2, 0.3], "n": [34.0, 2.5, 7]}
    )
    bar = st.column_config.ProgressColumn(format="percent")
    data_table(rows, column_config={"share": percent, "unknown": percent, "bar": bar, "elsewhere": percent})
    data_table(rows.style.format({"share": "{:.2%}"}), column_config={"share": percent})


def test_shares_of_a_column_have_as_many_digits():
    own, styled = AppTest.from_function(shares_page).run().dataframe
    config = json.loads(own.proto.columns)
    assert config["share"]["type_config"]["format"] == "%.1f%%"
    assert config["share"]["help"] == "own"
    assert config["bar"]["type_config"]["format"] == "percent"
    np.testing.assert_allclose(own.value["share"], [10.6, 30, np.nan])
    assert own.value["unknown"].isna().all()
    np.testing.assert_allclose(own.value[["bar", "n"]], [[0.1, 34], [0.2, 2.5], [0.3, 7]])
    np.testing.assert_allclose(styled.value["share"], [0.106, 0.3, np.nan])  # what a page has styled stays
