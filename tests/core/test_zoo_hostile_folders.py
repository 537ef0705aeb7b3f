"""Folders made to break what opens them: every way through core.zoo ends, in a result or in a sentence."""

import json
import shutil
import signal
from collections import Counter
from contextlib import contextmanager, suppress
from math import inf, nan

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load as load_weights

from benchmarks.hostile import folders as hostile
from benchmarks.hostile.model_files import OPEN, Special, changed, is_picture, spoiled, tiny, use, weights_of, write
from core.errors import AtlasError, ModelError
from core.hub import folders
from core.hub.bounds import check_numbers, check_size
from core.models.meta_outlines import NetworkSize
from core.zoo import inspect, load_image, load_text

KINDS = ("gpt2", "classifier", "t5", "vit", "timm")
ENDS_WITHIN = 30  # seconds, where each takes far less than one: what it proves is that there is an end


@contextmanager
def an_end():
    def give_up(*_):
        raise BaseException("It has not come to an end.")  # not an Exception, which would become a sentence

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(ENDS_WITHIN)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def opened(folder, path):
    """What it said: "result", or the sentence."""
    shutil.rmtree(path, ignore_errors=True)
    write(folder, path)
    try:
        with an_end():
            use(path, is_picture=is_picture(folder))
    except AtlasError as error:
        return str(error)
    return "result"


def test_every_crafted_folder_is_a_result_or_a_sentence():
    tried, strange = Counter(), []
    for case in hostile.cases():
        tried[case.kind] += 1
        if tried[case.kind] % 3 == 1:  # `python -m benchmarks.hostile` makes its table of all
            with an_end():
                outcome = hostile.try_one(case)
            if outcome != "result" and (len(outcome) < 20 or "\n" in outcome or "/tmp" in outcome):
                strange.append((case, outcome))
    assert not strange
    assert len(tried) > 10


def test_there_are_enough_crafted_folders_and_none_has_the_name_of_another():
    names = [(case.kind, case.name) for case in hostile.cases()]
    assert len(names) > 400
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_changed_is_a_model_that_works(kind, tmp_path):
    assert opened(tiny(kind), tmp_path / "model") == "result"


numbers = st.sampled_from([0, 1, -1, 2, 3, 7, 64, 1_000, 10**5, 10**7, 2**31, 2**63, 10**30, 0.0, -0.5, 1e9, nan, inf])
plain = st.one_of(numbers, st.none(), st.booleans(), st.text(max_size=8), st.sampled_from(["cpu", "float16", "gelu"]))
values = st.recursive(
    plain,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=5), below, max_size=2),
    max_leaves=4,
)


def places(content, path=()):
    if isinstance(content, dict | list):
        for key, value in content.items() if isinstance(content, dict) else enumerate(content):
            yield (*path, key)
            yield from places(value, (*path, key))


@st.composite
def folders_with_something_replaced(draw):
    folder = dict(tiny(draw(st.sampled_from(KINDS))))
    readable = sorted(name for name in folder if name.endswith(".json"))
    for _ in range(draw(st.integers(1, 3))):
        # Half of all changes are in config.json, from which the most is made.
        name = draw(st.one_of(st.just("config.json"), st.sampled_from(readable)))
        content = json.loads(folder[name])
        path = draw(st.sampled_from(sorted(places(content), key=repr)))
        place = content
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = draw(values)
        folder[name] = json.dumps(content).encode()
    return folder


ENOUGH = settings(
    max_examples=200,
    deadline=None,  # an_end is one
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)


@ENOUGH
@given(folder=folders_with_something_replaced())
def test_any_value_at_any_place_of_any_setting_ends_in_a_result_or_a_sentence(folder, tmp_path):
    outcome = opened(folder, tmp_path / "model")
    assert outcome == "result" or "\n" not in outcome


tensors = st.one_of(
    values,
    st.fixed_dictionaries(
        {"dtype": st.sampled_from(["F32", "F16", "BOOL", "Q4", 7]), "shape": values, "data_offsets": values}
    ),
    st.fixed_dictionaries(
        {
            "dtype": st.just("F32"),
            "shape": st.lists(st.integers(0, 3), max_size=3),
            "data_offsets": st.lists(st.integers(0, 40), min_size=2, max_size=2),
        }
    ),
)


@ENOUGH
@given(
    header=st.one_of(values, st.binary(max_size=40), st.dictionaries(st.text(max_size=5), tensors, max_size=3)),
    length=st.one_of(st.none(), st.sampled_from([0, 1, 7, 10**6, 2**63])),
    trailing=st.binary(max_size=40),
)
def test_any_header_ends_in_a_number_or_a_sentence(header, length, trailing, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(weights_of(header, length=length, trailing=trailing))
    with suppress(ModelError):
        weights = folders.read_weights(tmp_path, "model")
        assert 0 <= weights.parameters <= 40


@ENOUGH
@given(index=st.one_of(values, st.fixed_dictionaries({"weight_map": values})))
def test_any_index_ends_in_a_number_or_a_sentence(index, tmp_path):
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    with suppress(ModelError):
        folders.read_weights(tmp_path, "model")


@pytest.mark.parametrize("layers", [2_000_000, 200_000_000, -1])
@pytest.mark.parametrize(
    ("kind", "name"), [("gpt2", "n_layer"), ("timm", "model_args__depth"), ("vit", "num_hidden_layers")]
)
def test_layers_are_counted_before_any_library_counts_them(kind, name, layers, tmp_path, monkeypatch):
    monkeypatch.setattr("core.models.from_transformers.read_config", None)  # whoever calls it fails
    monkeypatch.setattr("core.models.from_timm.outline", None)
    outcome = opened(changed(tiny(kind), "config.json", **{name: layers}), tmp_path / "model")
    assert f"gives {layers:,} for {name.replace('__', '.')}; here it is from 0 to 400" in outcome


def test_a_network_larger_than_its_weights_is_refused_with_both_numbers(tmp_path):
    outcome = opened(changed(tiny("gpt2"), "config.json", vocab_size=1_000_000), tmp_path / "model")
    assert "promises 16,007,104 parameters, its weights hold 7,616" in outcome


def test_tables_that_a_network_computes_count_as_memory():
    with pytest.raises(ModelError, match=r"needs 1,?250\.0 GB of memory"):
        check_size("model", NetworkSize(parameters=10, tables=10**12), 10)


def test_numbers_of_real_models_are_accepted():
    for config in (
        {
            "num_hidden_layers": 126,
            "num_attention_heads": 128,
            "max_position_embeddings": 131_072,
            "vocab_size": 256_206,
        },
        {"text_config": {"vocab_size": 262_208, "rope_theta": 10**6, "max_position_embeddings": 10_485_760}},
        {"rope_theta": 100_000_000_000, "time_step_limit": [0.0, inf], "pad_token_id": -1, "num_experts": 2_048},
        {"depths": [2, 2, 18, 2], "out_indices": [-1], "vision_feature_layer": -2, "encoder_layerdrop": 0.0},
        {"id2label": {str(number): f"class {number}" for number in range(21_841)}},
        {"max_relative_positions": -1, "n_shared_experts": 0, "num_decoder_layers": None, "layer_norm_eps": 1e-12},
    ):
        check_numbers(config, "model")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors", "notes"])
def test_a_pipe_in_a_folder_is_refused_before_anybody_waits_for_it(name, tmp_path):
    assert opened({**tiny("gpt2"), name: Special("pipe")}, tmp_path / "model") != "result"


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"])
def test_a_link_to_a_file_of_the_host_shows_nothing_of_it(name, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("root:x:0:0:hunter2")
    outcome = opened({**tiny("gpt2"), name: Special("link", str(secret))}, tmp_path / "model")
    assert outcome != "result"
    assert "hunter2" not in outcome


def test_names_of_classes_are_one_line_of_bounded_length(tmp_path):
    labels = {"0": "x" * 1_000_000, "1": "two\nlines", "2": 7}
    folder = write(changed(tiny("classifier"), "config.json", id2label=labels), tmp_path / "model")
    first, *others = load_text(str(folder), **OPEN).classes
    assert len(first) <= 201
    assert others == ["two lines", "7"]


def test_a_picture_as_large_as_a_house_is_refused(tmp_path):
    huge = {"height": 10**9, "width": 10**9}
    outcome = opened(changed(tiny("vit"), "preprocessor_config.json", size=huge), tmp_path / "model")
    assert "at most 2,048 pixels on a side" in outcome


def test_a_model_chooses_neither_beams_nor_other_ways_of_writing(tmp_path):
    wishes = {"num_beams": 1_000_000, "prompt_lookup_num_tokens": 5, "max_length": 10**9, "length_penalty": 0.5}
    folder = write(changed(tiny("t5"), "generation_config.json", **wishes), tmp_path / "model")
    config = load_text(str(folder), **OPEN).network.generation_config
    assert config.length_penalty == 0.5
    assert config.num_beams in (None, 1)
    assert config.prompt_lookup_num_tokens is None


def test_what_a_library_crashes_with_while_a_strange_model_runs_is_a_sentence(tmp_path, monkeypatch):
    folder = write(tiny("gpt2"), tmp_path / "model")
    model = load_text(str(folder), **OPEN)
    monkeypatch.setattr(model.network, "forward", lambda *_: 1 / 0)
    with pytest.raises(ModelError, match=r"cannot run on this text\. division by zero"):
        model.run(model.encode("a cat"))


def test_what_we_do_wrong_with_our_own_model_crashes(monkeypatch):
    model = load_text("gpt-books")
    monkeypatch.setattr(model.network, "forward", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.run(model.encode("a cat"))


def test_a_tokenizer_that_crashes_its_library_is_a_sentence(tmp_path):
    endless = {"type": "Split", "behavior": "Isolated", "invert": False, "pattern": {"Regex": "(x+)+y"}}
    folder = write(changed(tiny("gpt2"), "tokenizer.json", pre_tokenizer=endless), tmp_path / "model")
    model = load_text(str(folder), **OPEN)
    with an_end(), pytest.raises(ModelError, match="have crashed what reads them"):
        model.encode("x" * 5_000)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [nan, inf])
def test_weights_that_are_no_numbers_are_loaded_with_a_sentence_that_says_where(kind, value, tmp_path):
    folder = str(write(spoiled(tiny(kind), value), tmp_path / "model"))
    load = load_image if kind in ("vit", "timm") else load_text
    (sentence,) = load(folder, **OPEN).warnings
    first = min(load_weights(tiny(kind)["model.safetensors"]))  # the one that was spoiled
    assert f"NaN or infinite: 1 in {first}." in sentence


def test_weights_that_are_all_numbers_need_no_sentence(tmp_path):
    folder = str(write(tiny("gpt2"), tmp_path / "model"))
    assert load_text(folder, **OPEN).warnings == ()
    assert inspect(folder, **OPEN).parameters == 7_616
