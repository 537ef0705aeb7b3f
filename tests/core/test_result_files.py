"""Our own result files: what is read is what stands there, and whatever is wrong with a file is one sentence."""

import csv
import json
import math
import shutil
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NotRequired

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta

from core import results as measured
from core.errors import ModelError
from core.published.table import NonNegativeInt, PositiveInt, Proportion
from core.results import bert_inference_results as bert_inference
from core.results import bert_tasks_results as bert_tasks
from core.results import captioning_results as captioning
from core.results import character_results as characters
from core.results import classifier_results as classifiers
from core.results import clip_results as clips
from core.results import grounding, tables
from core.results import joint_results as joints
from core.results import language_model_results as language_models
from core.results import position_results as positions
from core.results import small_task_results as small_tasks
from core.results import translator_results as translators
from core.results.result_files import object_of, read_json
from core.zoo.embedded import BOOKS, TEXT, WEIGHTS

VIT = WEIGHTS / "vit-tiny-imagenet"
# What reads a file, the file, and the command that an error must name.
READERS = {
    "translation quality": (
        translators.results,
        translators.FOLDER / "results.json",
        "make train-translation",
    ),
    "translation lengths": (
        translators.lengths,
        translators.FOLDER / "length.csv",
        "make train-translation",
    ),
    "alignment": (translators.alignment, translators.FOLDER / "alignment.json", "make bench-alignment"),
    "alignment of heads": (
        translators.heads,
        translators.FOLDER / "alignment.csv",
        "make bench-alignment",
    ),
    "guesses across languages": (
        translators.guesses,
        translators.PAIRS_FOLDER / "results.json",
        "make train-bert-pairs",
    ),
    "image quality": (classifiers.quality, VIT / "results.json", "training.tiny_imagenet.report"),
    "faithfulness": (classifiers.faithful, VIT / "faithfulness.json", "training.measurements.vision_faithfulness"),
    "characters": (characters.results, characters.FOLDER / "results.json", "make train-characters"),
    "reach": (characters.reach, characters.FOLDER / "reach.csv", "make train-characters"),
    "copied": (characters.copied, characters.FOLDER / "copy.csv", "make train-characters"),
    "lengths": (positions.lengths, positions.FOLDER / "lengths.csv", "make train-positions"),
    "trained length": (
        positions.trained_length,
        positions.FOLDER / "config.json",
        "make train-positions",
    ),
    "small tasks": (small_tasks.results, WEIGHTS / "small-tasks" / "results.json", "make train-small-tasks"),
    "bert tasks": (bert_tasks.results, bert_tasks.FOLDER / "results.json", "make train-bert-tasks"),
    "bert inference": (
        bert_inference.results,
        bert_inference.FOLDER / "results.json",
        "make train-bert-inference",
    ),
    "next tokens": (language_models.next_tokens, language_models.GPT / "results.json", "make train-gpt-books"),
    "masked words": (language_models.masked_words, language_models.BERT / "results.json", "make train-bert-books"),
    "captions": (captioning.results, captioning.FOLDER / "results.json", captioning.MADE_BY),
    "clips": (clips.results, clips.FOLDER / "results.json", clips.MADE_BY),
    "joint": (joints.results, joints.FOLDER / "results.json", joints.MADE_BY),
    "grounding": (grounding.rows, grounding.FILE, grounding.MADE_BY),
    "attention costs": (measured.attention_costs, measured.ATTENTION_COSTS, "benchmarks.attention_costs"),
    "efficient": (measured.efficient_characters, measured.EFFICIENT_CHARACTERS, "training.efficient_characters.train"),
    "grammar": (measured.grammar_heads, measured.GRAMMAR_HEADS, "make grammar"),
    "small data": (measured.small_data_runs, measured.SMALL_DATA, "training.small_data.train"),
}
OF_JSON = [name for name, (_, file, _) in READERS.items() if file.suffix == ".json"]
FREE_WORDS = {"name", "variant", "settings", "hardware", "source", "set", "layer", "head", "model"}
OF_CSV = [name for name, (_, file, _) in READERS.items() if file.suffix == ".csv"]


def read(name: str, file: Path):
    """What the reader makes of another file: those of a model take its folder, the tables the file itself."""
    reader = READERS[name][0]
    return reader(file if reader.__module__ in (tables.__name__, grounding.__name__) else file.parent)


def copied(name: str, folder: Path) -> Path:
    return Path(shutil.copy(READERS[name][1], folder))


def refused(name: str, file: Path) -> str:
    """The sentence with which a file is refused; it names the file and the command, and is one line."""
    with pytest.raises(ModelError) as caught:
        read(name, file)
    sentence = str(caught.value)
    assert str(file) in sentence
    assert READERS[name][2] in sentence
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("name", READERS)
def test_the_files_of_the_project_are_read_where_they_lie_and_elsewhere(name, tmp_path):
    if name not in ("image quality", "faithfulness"):  # they take the folder of any model
        assert READERS[name][0]() == read(name, READERS[name][1])
        assert read(name, copied(name, tmp_path)) == READERS[name][0]()


@pytest.mark.parametrize("name", READERS)
def test_a_missing_or_empty_or_binary_file_is_one_sentence(name, tmp_path):
    file = tmp_path / READERS[name][1].name
    assert "is not there" in refused(name, file)
    for content in (b"", b"\x00\xff\xfe", b"[1, 2]", b"a,b\n1,2,3\n"):
        file.write_bytes(content)
        assert "cannot be read" in refused(name, file)


def test_a_file_of_the_project_is_named_from_its_root(tmp_path, monkeypatch):
    monkeypatch.setattr("core.paths.PROJECT", tmp_path)
    with pytest.raises(ModelError, match=r"^weights/translation/results\.json is not there: fetch the project again, "):
        translators.results(tmp_path / "weights" / "translation")


def leaves(value, path=()):
    """Every path to a number or text in nested objects; lists are one leaf."""
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in leaves(inner, (*path, key))]
    return [path]


def replaced(value, path, new):
    """A copy in which one leaf is another, or (`...`) is not there."""
    value = deepcopy(value)
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    if new is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return value


@pytest.mark.parametrize("name", OF_JSON)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_damaged_leaf_is_refused_by_its_name_or_was_never_read(name, tmp_path_factory, data):
    contents = json.loads(READERS[name][1].read_text())
    path = data.draw(st.sampled_from(leaves(contents)))
    wrong = data.draw(st.sampled_from([..., None, math.nan, -math.inf, -1, [], {}, [1, None], True]))
    folder = tmp_path_factory.mktemp("damaged", numbered=True)
    file = folder / READERS[name][1].name
    file.write_text(json.dumps(replaced(contents, path, wrong)))
    try:
        results = read(name, file)
    except ModelError:
        sentence = refused(name, file)
        assert any(key in sentence for key in path) or "random orders" in sentence
    else:
        text = repr(results)
        assert "nan" not in text
        assert "inf" not in text


@pytest.mark.parametrize("name", OF_CSV)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_damaged_cell_is_refused_with_its_line_and_column(name, tmp_path_factory, data):
    lines = list(csv.reader(READERS[name][1].read_text().splitlines()))
    line = data.draw(st.integers(1, len(lines) - 1))
    column = data.draw(st.integers(0, len(lines[0]) - 1))
    lines[line][column] = data.draw(st.sampled_from(["nan", "-1", "inf", "1e999", "x"]))
    file = tmp_path_factory.mktemp("damaged", numbered=True) / READERS[name][1].name
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows(lines)
    try:
        read(name, file)
    except ModelError:
        assert f"line {line + 1}: " in refused(name, file)
    else:  # a column of free words
        assert lines[0][column] in (
            "name",
            "variant",
            "settings",
            "hardware",
            "source",
            "set",
            "layer",
            "head",
            "model",
            "relation",
            "offset",  # -1 is one of them
        )


@pytest.mark.parametrize("name", OF_CSV)
def test_a_missing_column_a_short_row_and_a_repeated_row_are_refused(name, tmp_path):
    file = copied(name, tmp_path)
    first, *rows = file.read_text().splitlines(keepends=True)
    gone = first.split(",")[0]
    file.write_text(first.replace(gone, "other", 1) + "".join(rows))
    assert f"the columns {gone} are missing" in refused(name, file)
    file.write_text(first + rows[0].split(",")[0] + "\n")
    assert "line 2: the row has not as many cells" in refused(name, file)
    file.write_text(first + rows[0] + rows[0])
    assert "line 3: " in refused(name, file)


@pytest.mark.parametrize("name", ["translation lengths", "alignment of heads", "reach", "copied", "lengths"])
def test_a_model_without_a_row_is_named(name, tmp_path):
    file = copied(name, tmp_path)
    first, *rows = file.read_text().splitlines(keepends=True)
    model = rows[0].split(",")[0]
    file.write_text(first + "".join(row for row in rows if not row.startswith(f"{model},")))
    assert f"there is no row of {model}" in refused(name, file)


# What the numbers are, against the files read without our readers.


def raw(file: Path):
    return json.loads(file.read_text())


def rows_of(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(file.read_text().splitlines()))


def test_every_figure_of_the_translators_is_that_of_the_file():
    contents, results = raw(translators.FOLDER / "results.json"), translators.results()
    assert dict(results.models) == contents["models"]
    assert list(results.models) == list(translators.TRANSLATION)
    assert (results.baselines, results.signature) == (contents["baselines"], contents["signature"])
    assert (results.sentences, results.references) == (2000, 2836)


def test_predictions_of_the_language_models_are_those_of_the_files():
    held_out = raw(language_models.GPT / "results.json")["held_out"]
    assert {name: vars(scores) for name, scores in language_models.next_tokens().items()} == held_out
    contents, masked = raw(language_models.BERT / "results.json"), language_models.masked_words()
    scores = {language_models.MODEL: masked.model, **masked.baselines}
    assert {name: vars(of) for name, of in scores.items()} == contents["baselines"]
    assert masked.words_accuracy == contents["hidden_words"]["words_accuracy"]
    share, count = masked.model.accuracy, masked.model.tokens
    assert masked.model.error == pytest.approx(math.sqrt(share * (1 - share) / count))


def test_masked_tokens_without_the_model_itself_are_refused(tmp_path):
    contents = raw(language_models.BERT / "results.json")
    del contents["baselines"][language_models.MODEL]
    (tmp_path / "results.json").write_text(json.dumps(contents))
    assert "the baselines lack 'the model'" in refused("masked words", tmp_path / "results.json")


def test_lengths_are_those_of_the_file_by_model_and_words():
    file_rows = rows_of(translators.FOLDER / "length.csv")
    lengths = translators.lengths()
    assert {(row.model, row.low, row.bleu) for row in lengths} == {
        (row["model"], int(row["low"]), float(row["bleu"])) for row in file_rows
    }
    assert list(lengths) == sorted(lengths, key=lambda row: (row.model, row.words))


def test_error_rates_follow_from_the_counts_that_stand_beside_them():
    alignment = translators.alignment()
    chosen = [of for model in alignment.models.values() for of in (model, model.get("mean", model))]
    agreements = [of["agreement"] for of in chosen] + list(alignment.baselines.values())
    assert all(set(agreement) == set(alignment.sets) for agreement in agreements)
    for of in (of for agreement in agreements for of in agreement.values()):
        links, sure, found_sure, found_possible = of["counts"]
        assert of["aer"] == pytest.approx(1 - (found_sure + found_possible) / (links + sure), abs=6e-5)


def test_the_head_that_was_chosen_has_the_same_rate_in_the_table_of_all_heads():
    chosen, text = translators.alignment().models["transformer"], "hansards_enfr_test447"
    way = (str(chosen["layer"]), str(chosen["head"]), chosen["shift"], chosen["direction"])
    (row,) = (
        row
        for row in translators.heads()
        if (row.model, row.set) == ("transformer", text) and (row.layer, row.head, row.shift, row.direction) == way
    )
    assert row.aer == chosen["agreement"][text]["aer"]


def test_a_text_without_an_agreement_is_named(tmp_path):
    contents = raw(translators.FOLDER / "alignment.json")
    contents["sets"]["bible"] = {"pairs": 1, "left_out": 0}
    (tmp_path / "alignment.json").write_text(json.dumps(contents))
    assert "an agreement on the text 'bible' is missing" in refused("alignment", tmp_path / "alignment.json")


def test_a_training_that_went_on_from_another_counts_with_it():
    contents, quality = raw(VIT / "results.json"), classifiers.quality(VIT)
    assert quality.seconds == contents["seconds"] + contents["first_run"]["seconds"]
    assert quality.epochs == pytest.approx(4.6 + 3600 * 192 / 50000)
    assert (quality.top1, quality.parameters) == (contents["validation"]["top1"], contents["parameters"])
    assert quality.standard_error == pytest.approx(math.sqrt(quality.top1 * (1 - quality.top1) / 5000))


def test_models_that_are_not_there_or_only_trained_are_left_out(tmp_path):
    assert classifiers.qualities(tmp_path) == classifiers.faithfulness(tmp_path) == ()
    for name, results in {
        "vit": {"plan": {"steps": 1}, "seconds": 1.0},
        "plain": {"validation": {"top1": 0.5, "top5": 0.75, "pictures": 4}},
    }.items():
        (tmp_path / f"{name}-tiny-imagenet").mkdir()
        (tmp_path / f"{name}-tiny-imagenet" / "results.json").write_text(json.dumps(results))
    (quality,) = classifiers.qualities(tmp_path)
    assert (quality.name, quality.standard_error, quality.macs, quality.hardware) == (
        "plain-tiny-imagenet",
        0.25,
        None,
        "",
    )


def test_areas_and_differences_of_explanations_are_those_of_the_file():
    contents, faithfulness = raw(VIT / "faithfulness.json"), classifiers.faithful(VIT)
    assert (
        set(faithfulness.areas) == set(contents["explanations"]) == {*faithfulness.against_random, classifiers.RANDOM}
    )
    of = contents["explanations"]["rollout"]["insertion"]
    assert vars(faithfulness.areas["rollout"]["insertion"]) == {key: of[key] for key in ("mean", "standard_error")}
    assert vars(faithfulness.against_random["rollout"]["insertion"]) == of["against_random"]


def test_explanations_without_random_orders_are_refused(tmp_path):
    contents = raw(VIT / "faithfulness.json")
    for gone, reason in ((["random"], "the random orders"), ([*contents["explanations"]][:-1], "or the explanations")):
        left = {name: of for name, of in contents["explanations"].items() if name not in gone}
        (tmp_path / "faithfulness.json").write_text(json.dumps(contents | {"explanations": left}))
        assert reason in refused("faithfulness", tmp_path / "faithfulness.json")
    del contents["explanations"]["rollout"]["deletion"]["against_random"]
    (tmp_path / "faithfulness.json").write_text(json.dumps(contents))
    assert "a difference from the random orders" in refused("faithfulness", tmp_path / "faithfulness.json")


def test_the_character_models_are_those_of_the_files():
    expected = raw(characters.FOLDER / "results.json")["models"]
    assert {name: vars(of) for name, of in characters.results().items()} == expected
    assert all(row.norm == 1 for row in characters.reach() if row.distance == 0)
    accuracies = {(row.model, row.distance): row.accuracy for row in characters.copied()}
    assert accuracies == {
        (row["model"], int(row["distance"])): float(row["accuracy"]) for row in rows_of(characters.FOLDER / "copy.csv")
    }


def test_six_ways_were_trained_at_64_characters_and_learned_positions_end_there():
    assert positions.trained_length() == 64
    longest = {row.positions: row.length for row in positions.lengths()}  # in order: the last of each way stays
    assert longest == dict.fromkeys(positions.WAYS, 512) | {"learned": 64}


def test_the_learned_biases_have_a_number_for_each_bucket_and_head():
    biases = positions.learned_biases()
    assert [bias.path for bias in biases] == ["layer 0", "layer 1"]
    assert all(bias.bias.shape == (32, 4) for bias in biases)


def test_biases_that_are_missing_are_one_sentence(tmp_path):
    with pytest.raises(ModelError, match=r"relative\.safetensors is not there: .* make train-positions"):
        positions.learned_biases(tmp_path)


# The schema itself.


@dataclass(frozen=True)
class Inner:
    free: Annotated[float, Meta(ge=-5)]


@dataclass(frozen=True)
class Counted:
    count: PositiveInt


@dataclass(frozen=True)
class Shape:
    share: Proportion
    many: Annotated[dict[str, Counted], Meta(min_length=1)]
    four: tuple[NonNegativeInt, NonNegativeInt, NonNegativeInt, NonNegativeInt]
    count: PositiveInt | None = None
    text: str = ""
    inner: Inner | None = None


GOOD = {"share": 0.5, "many": {"a": {"count": 1, "else": "?"}}, "four": [1, 0, 0, 2], "else": None}


def parsed(tmp_path, **changed):
    (tmp_path / "file.json").write_text(json.dumps(GOOD | changed))
    return read_json(tmp_path / "file.json", Shape, made_by="make it")


def test_what_need_not_be_there_is_none_or_empty_and_what_is_not_declared_is_left_out(tmp_path):
    assert parsed(tmp_path) == Shape(0.5, {"a": Counted(1)}, (1, 0, 0, 2), count=None, text="", inner=None)
    assert parsed(tmp_path, inner={"free": -4}).inner == Inner(-4.0)


def test_an_object_of_any_names_has_the_fields_that_are_there(tmp_path):
    shape = object_of({"a share": Proportion, "count": NotRequired[PositiveInt]})
    (tmp_path / "file.json").write_text('{"a share": 1, "else": 2}')
    assert read_json(tmp_path / "file.json", shape, made_by="make it") == {"a share": 1.0}
    (tmp_path / "file.json").write_text('{"count": 2}')
    with pytest.raises(ModelError, match="'a share' is missing"):
        read_json(tmp_path / "file.json", shape, made_by="make it")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"share": 1.5}, "'share' is 1.5: expected `float` <= 1"),
        ({"share": "0.5"}, "'share' is \"0.5\""),
        ({"count": 1.5}, "'count' is 1.5: expected `int"),
        ({"text": ["a"]}, "'text' is [\"a\"]"),
        ({"inner": {}}, "'inner.free' is missing"),
        ({"inner": 3}, "'inner' is 3: expected `object"),
        ({"many": {}}, "'many' is {}: expected `object` of length >= 1"),
        ({"many": {"a": {"count": 0}}}, "'many.a.count' is 0: expected `int` >= 1"),
        ({"many": {"a": {"count": 1}, "b": {"count": 0}, "c": {"count": 0}}}, "'many.b.count' is 0"),
        ({"many": {"a": {"count": 1}, "b": {}}}, "'many.b.count' is missing"),
        ({"four": [1, 2, 3]}, "'four' is [1, 2, 3]: expected `array` of length 4"),
        ({"four": [1, 2, 3, True]}, "'four.3' is true: expected `int`"),
        ({"four": [1, 2, 3, -4]}, "'four.3' is -4: expected `int` >= 0"),
    ],
)
def test_a_wrong_value_is_named_by_its_path(tmp_path, changed, reason):
    with pytest.raises(ModelError) as caught:
        parsed(tmp_path, **changed)
    assert reason in str(caught.value)
    assert str(caught.value).endswith("fetch the project again, or make it: make it.")


def test_the_alignment_of_bert_pairs_stands_beside_the_others_where_it_was_measured(tmp_path):
    alignment = translators.alignment(pairs=tmp_path)
    assert translators.PAIRS not in alignment.models
    own = raw(translators.FOLDER / "alignment.json")["transformer"]
    (tmp_path / "results.json").write_text(json.dumps({"alignment": own}))
    alignment = translators.alignment(pairs=tmp_path)
    assert list(alignment.models)[-1] == translators.PAIRS
    assert alignment.models[translators.PAIRS] == alignment.models["transformer"]
    del own["agreement"][alignment.chosen_on]
    (tmp_path / "results.json").write_text(json.dumps({"alignment": own}))
    with pytest.raises(ModelError, match=f"an agreement on the text '{alignment.chosen_on}' is missing.*bert-pairs"):
        translators.alignment(pairs=tmp_path)


def test_guesses_beside_the_other_language_and_alone_are_those_of_the_file():
    contents, guesses = raw(translators.PAIRS_FOLDER / "results.json")["guesses"], translators.guesses()
    for language, of in guesses.items():
        beside, alone = contents[f"{language}, with the other language"], contents[f"{language}, alone"]
        assert (of.tokens, of.accuracy, of.perplexity) == tuple(beside[n] for n in ("tokens", "accuracy", "perplexity"))
        assert (of.accuracy_alone, of.perplexity_alone) == (alone["accuracy"], alone["perplexity"])


def test_as_many_books_are_named_as_the_models_were_trained_on():
    for name in ("gpt-books", "gpt-books-long", "bert-books"):
        assert f"\n{BOOKS} books of Standard Ebooks" in (WEIGHTS / name / "CARD.md").read_text(encoding="utf-8")
    lesson = (WEIGHTS.parent / "lessons" / "0-first-twenty-minutes.md").read_text(encoding="utf-8")
    assert f"has read {BOOKS} old books" in lesson
    assert f"trained on {BOOKS} books" in TEXT["gpt-books"]
