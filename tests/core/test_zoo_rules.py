"""Names and folders of strangers: each refusal is a sentence, nothing in a folder is run, nothing of it is shown."""

import json
import shutil
import traceback

import pytest

from core import machine
from core.errors import ModelError
from core.hub import folders
from core.zoo import load_image, load_text
from core.zoo.names import find_source
from tests.core import saved_models


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    return saved_models.save_text_model("gpt2", tmp_path_factory.mktemp("models") / "gpt2")


@pytest.fixture
def folder(gpt2, tmp_path):
    return shutil.copytree(gpt2, tmp_path / "model")


def load(folder):
    return load_text(str(folder))


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("gpt-books", ("embedded", "gpt-books")),
        (" gpt2 ", ("hub", "gpt2")),
        ("google-bert/bert-base-uncased", ("hub", "google-bert/bert-base-uncased")),
        ("https://huggingface.co/openai-community/gpt2", ("hub", "openai-community/gpt2")),
        ("hf-hub:timm/vit_tiny_patch16_224.augreg_in21k", ("hub", "timm/vit_tiny_patch16_224.augreg_in21k")),
        ("hf_hub:timm/eva02_tiny_patch14_224", ("hub", "timm/eva02_tiny_patch14_224")),
    ],
)
def test_names_are_read_by_their_form(name, source):
    model_source = find_source(name, "text")
    assert (model_source.kind, model_source.location) == source


@pytest.mark.parametrize(
    ("name", "repository"),
    [
        ("vit_base_patch16_224.augreg_in21k_ft_in1k", "timm/vit_base_patch16_224.augreg_in21k_ft_in1k"),
        ("vit_base_patch16_224", "timm/vit_base_patch16_224.augreg2_in21k_ft_in1k"),
        ("owner/own_vit", "owner/own_vit"),
        ("beit-of-nobody", "beit-of-nobody"),
    ],
)
def test_names_of_timm_stand_for_repositories_of_the_hub(name, repository):
    assert find_source(name, "image").location == repository


@pytest.mark.parametrize("name", ["vit_base_patch16_224.no_such_tag", "test_vit4"])
def test_a_timm_name_without_weights_is_a_sentence(name):
    with pytest.raises(ModelError, match="no trained weights of that name"):
        find_source(name, "image")


@pytest.mark.parametrize("name", ["", "  ", "\n"])
def test_no_name_is_a_sentence_with_the_rule(name):
    with pytest.raises(ModelError, match=r"No model is named.*'owner/model'"):
        find_source(name, "text")


@pytest.mark.parametrize(
    "name",
    [
        *("a/b/c", "a//b", "owner/", "owner/..", "a..b", "a--b", "x" * 97, "gpt2\0", "猫", "a b", "-model", "model."),
        *("<script>alert(1)</script>", "owner/model?x=1", "https://example.org/model", "file:///etc/passwd"),
    ],
)
def test_an_absurd_name_is_a_sentence_with_the_rule(name):
    with pytest.raises(ModelError, match="cannot be the name of a model"):
        find_source(name, "text")


def test_a_path_that_is_no_folder_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ModelError, match="is a file, not a folder"):
        load(tmp_path / "file")
    with pytest.raises(ModelError, match="is not a folder on this computer"):
        load(tmp_path / "nothing")


def test_an_empty_folder_is_a_sentence(tmp_path):
    with pytest.raises(ModelError, match=r"no config\.json"):
        load(tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", "7", "\0", '{"a": ' * 20_000, "x" * 3_000_000])
def test_a_broken_configuration_is_a_sentence_that_does_not_show_it(folder, content):
    (folder / "config.json").write_text(content)
    with pytest.raises(ModelError, match=r"config\.json of '.*' is not a JSON object"):
        load(folder)


def change(folder, **entries):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


def test_code_of_the_model_is_never_run(folder):
    change(folder, auto_map={"AutoModelForCausalLM": "evil.Model"})
    (folder / "evil.py").write_text("raise SystemExit('code was run')")
    with pytest.raises(ModelError, match="such code is never run here"):
        load(folder)


def test_pickled_weights_are_never_opened(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"keeps its weights in pytorch_model\.bin.*Only model\.safetensors"):
        load(folder)


def test_pickled_weights_beside_safetensors_are_not_opened(folder):
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    assert load(folder).parameters


def test_no_weights_at_all_is_a_sentence(folder):
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"has no weights \(model\.safetensors\)"):
        load(folder)


@pytest.mark.parametrize("bytes_kept", [0, 4, 200, -10])
def test_weights_that_are_cut_off_are_a_sentence(folder, bytes_kept):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:bytes_kept])
    with pytest.raises(ModelError, match=r"model\.safetensors of '.*' is damaged or cut off"):
        load(folder)


def test_a_missing_shard_is_named(folder):
    (folder / "model.safetensors").unlink()
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelError, match=r"model-00001-of-00002\.safetensors is missing"):
        load(folder)


@pytest.mark.parametrize("shard", ["../../outside.safetensors", "/etc/passwd", "pytorch_model.bin", ".safetensors", ""])
def test_an_index_names_safetensors_of_its_own_folder_only(folder, shard):
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": shard}}))
    with pytest.raises(ModelError, match="is not a safetensors file of its own folder"):
        load(folder)


def test_quantised_weights_are_a_sentence(folder):
    change(folder, quantization_config={"quant_method": "gptq"})
    with pytest.raises(ModelError, match="stored quantised"):
        load(folder)


def test_an_unknown_kind_of_model_is_a_sentence(folder):
    change(folder, model_type="model_of_tomorrow")
    with pytest.raises(ModelError, match="transformers does not know the kind"):
        load(folder)


def test_a_configuration_of_neither_library_is_a_sentence(folder):
    (folder / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="neither transformers' nor timm's"):
        load(folder)


def test_an_architecture_that_timm_does_not_know_is_a_sentence(folder):
    (folder / "config.json").write_text(json.dumps({"architecture": "vit_of_tomorrow"}))
    with pytest.raises(ModelError, match=r"timm does not know .*\(vit_of_tomorrow\)"):
        load_image(str(folder))


def test_a_task_that_no_page_has_is_a_sentence(folder):
    change(folder, architectures=["GPT2ForMultipleChoice"])
    with pytest.raises(ModelError, match="GPT2ForMultipleChoice, which this page cannot feed"):
        load(folder)


def test_a_model_larger_than_memory_is_refused_with_both_numbers(folder, monkeypatch):
    monkeypatch.setattr(folders, "free_memory", lambda: 50_000)
    with pytest.raises(ModelError, match=r"12,\d+ parameters and needs 0\.0 GB of memory; 0\.0 GB are free"):
        load(folder)


@pytest.mark.parametrize("version", [1, 2])
def test_what_a_container_may_still_take_is_free_with_what_its_kernel_keeps_of_files(tmp_path, monkeypatch, version):
    files = [tmp_path / name for name in ("most", "taken", "parts")]
    none = machine.Group(*[tmp_path / "none"] * 3)
    monkeypatch.setattr(machine, "GROUPS", (none, machine.Group(*files)))
    files[1].write_text("3000000\n")
    files[2].write_text("anon 1\ninactive_file 500000\n" + ("total_inactive_file 700000\n" if version == 1 else ""))
    files[0].write_text("max\n")
    without = machine.free_memory()
    files[0].write_text("4000000\n")
    assert machine.free_memory() == 4_000_000 - 3_000_000 + (700_000 if version == 1 else 500_000) < without


def test_free_memory_is_a_plausible_number():
    assert 2**27 < machine.free_memory() < 2**45


def test_sizes_that_do_not_fit_the_weights_are_a_sentence_without_our_paths(folder):
    change(folder, n_embd=20)
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        load(folder)
    reason = str(caught.value).partition("cannot be loaded. ")[2]
    assert len(str(caught.value).splitlines()) == 1
    assert str(folder) not in reason
    assert traceback.format_exception(caught.value)  # the log has the rest


@pytest.mark.parametrize("tokenizer", ["", "{}", '{"version": "1.0", "model": null}'])
def test_a_broken_tokenizer_is_a_sentence(folder, tokenizer):
    (folder / "tokenizer.json").write_text(tokenizer)
    with pytest.raises(ModelError, match="cannot be loaded"):
        load(folder)


def test_a_folder_without_a_tokenizer_is_a_sentence(folder):
    for file in folder.glob("tokenizer*"):
        file.unlink()
    with pytest.raises(ModelError, match=r"cannot be loaded\. It has no tokenizer \(tokenizer\.json\)"):
        load(folder)


def test_a_tokenizer_of_another_model_is_a_sentence(folder):
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["added_tokens"] += [
        {**tokenizer["added_tokens"][0], "id": 320 + number, "content": f"<{number}>"} for number in range(5)
    ]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(ModelError, match="Its tokenizer has 325 tokens, its network only 320"):
        load(folder)
