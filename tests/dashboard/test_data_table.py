"""Tables explain the terms in their heads, and leave the settings of a page as they are."""

import pyarrow as pa
from streamlit.testing.v1 import AppTest

from dashboard.data_table import _explained
from dashboard.glossary import TERMS
from dashboard.layout import plain


def page() -> None:
    import pandas as pd
    import streamlit as st

    from dashboard.data_table import data_table

    rows = pd.DataFrame({"Entropy (bits)": [1.0], "BLEU": [2.0], "hidden logits": [3.0], "other": [4.0]})
    data_table(rows, column_config={"BLEU": st.column_config.NumberColumn(help="own"), "hidden logits": None})
    data_table(rows[["other"]])


def test_below_a_table_stand_links_for_the_terms_of_its_heads():
    app = AppTest.from_function(page).run()
    assert not app.exception
    (told,) = (each.value for each in app.caption)
    for name in ("entropy", "bits", "BLEU"):
        assert f"[{name}]({TERMS[name].address})" in told
    assert "other" not in told
    assert "logit" not in told


def test_on_a_projector_the_table_stands_alone():
    app = AppTest.from_function(page)
    app.query_params["present"] = "1"
    assert not app.run().caption


def test_a_column_keeps_its_own_help_and_settings():
    terms = [TERMS["nats"]]
    assert _explained(None, terms)["help"] == f"**nats**: {plain(TERMS['nats'].says)}"
    assert _explained({"help": "own", "width": 3}, terms) == {"help": "own", "width": 3}
    assert _explained({"help": None, "width": 3}, terms)["width"] == 3
    assert _explained("a label", terms) == "a label"


def shares_page() -> None:
    import pandas as pd
    import streamlit as st

    from dashboard.data_table import data_table

    rows = pd.DataFrame(
        {"what": ["a", "b", "c"], "share": [0.106, 0.3, None], "rest": [0.0004, 1.0, 0.25], "n": [34.0, 2.5, 2e-5]}
    )
    percent = st.column_config.NumberColumn(format="percent", help="own")
    data_table(rows, column_config={"share": percent, "rest": percent})


def test_shares_of_a_column_have_as_many_digits_and_stay_numbers():
    (table,) = AppTest.from_function(shares_page).run().dataframe
    styled = pa.ipc.open_stream(table.proto.arrow_data.styler.display_values).read_pandas()
    assert styled.iloc[:, 1:].to_numpy().tolist() == [
        ["10.6%", "0.04%", "34"],
        ["30.0%", "100.00%", "2.5"],
        ["", "25.00%", "0.00002"],
    ]
    assert table.value["share"].tolist()[:2] == [0.106, 0.3]
    assert "percent" not in table.proto.columns
    assert '"help": "own"' in table.proto.columns
