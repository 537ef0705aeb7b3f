"""The published translation table, and that a wrong one is refused."""

import pytest

from core.published import FOLDER, published_translators

MODELS = {model.model: model for model in published_translators()}


def test_the_table_is_that_of_the_paper():
    assert len(MODELS) == 10
    big, base = MODELS["Transformer (big)"], MODELS["Transformer (base)"]
    assert (big.bleu_german, big.bleu_french, big.flops_german) == (28.4, 41.8, 2.3e19)
    assert (base.bleu_german, base.bleu_french, base.flops_french) == (27.3, 38.1, 3.3e18)
    assert MODELS["ByteNet"].flops_german is None
    assert all("Table 2" in model.source for model in MODELS.values())


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("bleu_en_fr,", "bleu,", "line 1: the columns bleu_en_fr are missing"),
        ("23.75", "many", "line 2: 'bleu_en_de' is \"many\": .*float . null"),
        ("23.75", "237.5", "line 2: 'bleu_en_de' is \"237.5\": .*<= 100"),
        ("23.75", "", "line 2: a row has a BLEU in one language at least"),
        ("3.3e18", "-3.3e18", "line 10: 'train_flops_en_de'"),
        ("convolutional", "wavy", "line 2: 'family' is \"wavy\": .*recurrent.*transformer"),
        ("ByteNet", "", "line 2: 'model' is empty"),
    ],
)
def test_a_wrong_row_is_refused_with_file_and_line(tmp_path, old, new, words):
    text = (FOLDER / "translation_bleu.csv").read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "table.csv"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=f"table.csv, {words}"):
        published_translators(file)
