"""What was published, against the formulas; and a file that is wrong is refused."""

from dataclasses import replace

import pytest

from core.costs import total
from core.published import FOLDER, PublishedModel, model_sizes

MODELS = model_sizes()


def is_close(model: PublishedModel) -> bool:
    return abs(total(model.shape) / model.published - 1) < 0.01


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.model)
def test_the_formula_is_within_one_per_cent_of_what_was_published(model):
    assert is_close(model), total(model.shape) / model.published - 1


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.model)
def test_that_test_can_fail(model):
    assert not is_close(replace(model, shape=replace(model.shape, layers=model.shape.layers + 1)))


def test_the_released_checkpoints_of_t5_are_met_exactly():
    counted = [model for model in MODELS if model.model.startswith("T5")]
    assert [total(model.shape) for model in counted] == [model.published for model in counted]
    assert len(counted) == 5


@pytest.mark.parametrize("model", [model for model in MODELS if abs(total(model.shape) / model.printed - 1) > 0.01])
def test_where_the_paper_differs_a_note_says_why(model):
    assert model.note


def test_all_families_are_there():
    names = {model.model.partition("-")[0] for model in MODELS}
    assert names == {"BERT", "GPT", "T5", "ViT"}
    assert len(MODELS) == len({model.model for model in MODELS}) == 23


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("published_source,note", "source,note", "line 1: the columns published_source are missing"),
        ('"Devlin et al. 2018, section 3",110000000', ",110000000", "line 3: 'printed_source' is empty"),
        ("GPT-1,gpt1,2018,12", "GPT-1,gpt1,2018,-12", "line 2: 'layers' is \"-12\": .*>= 1"),
        ("GPT-1,gpt1,2018,12", "GPT-1,gpt1,2018,many", "line 2: 'layers' is \"many\": .*int"),
        ("GPT-1,gpt1", "GPT-1,elmo", "line 2: 'family' is \"elmo\": .*bert.*vit"),
        ("GPT-1,gpt1,2018,12,768,12,64,3072", "GPT-1,gpt1,2018,12,768,12,64,3000", "line 2: 'hidden' is 3000"),
    ],
)
def test_a_wrong_row_is_refused_with_file_and_line(tmp_path, old, new, words):
    text = (FOLDER / "model_sizes.csv").read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "sizes.csv"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=f"sizes.csv, {words}"):
        model_sizes(file)
