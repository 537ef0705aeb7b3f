"""Text models of transformers, from tiny folders, against the library itself."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import transformers

from core.capture import record_attention
from core.errors import ModelError
from core.zoo import inspect, load_text
from tests.core import saved_models

TAGGERS = ["bert-tagger", "bert-answerer"]  # whose heads answer for each token, or with a part of the text
SENTENCE = "Who listens to whom? The lazy dog."
WATCHED = [kind for kind in saved_models.TEXT_KINDS if kind != "mamba"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    return {kind: str(saved_models.save_text_model(kind, root / kind)) for kind in saved_models.TEXT_KINDS}


def load(folders, kind):
    return load_text(folders[kind])


@pytest.mark.parametrize(
    ("kind", "context", "added"),
    [("gpt2", 32, 0), ("llama", 64, 0), ("bert", 32, 2), ("roberta", 32, 0), ("t5", 48, 1), ("bart", 64, 0)],
)
def test_the_context_is_filled_to_the_last_token(folders, kind, context, added):
    model = load(folders, kind)
    tokens = model.encode(f"{SENTENCE} " * 50)
    assert len(tokens) == model.context == context
    assert tokens.cut.length == context - added
    model.run(tokens)


def test_the_context_is_no_longer_than_asked_for(folders):
    model = load_text(folders["llama"], longest=20)
    assert len(model.encode(f"{SENTENCE} " * 50)) == model.context == 20


@pytest.mark.parametrize("kind", WATCHED)
def test_tokens_are_those_of_the_library(folders, kind):
    reference = transformers.AutoTokenizer.from_pretrained(folders[kind])
    assert list(load(folders, kind).encode(SENTENCE).ids) == reference(SENTENCE)["input_ids"]


@pytest.mark.parametrize(
    ("kind", "auto_class"),
    [
        ("gpt2", transformers.AutoModelForCausalLM),
        ("llama", transformers.AutoModelForCausalLM),
        ("bert", transformers.AutoModelForMaskedLM),
        ("roberta", transformers.AutoModelForMaskedLM),
        ("bert-classifier", transformers.AutoModelForSequenceClassification),
    ],
)
def test_logits_are_those_of_the_library(folders, kind, auto_class):
    model = load(folders, kind)
    tokens = model.encode(SENTENCE)
    reference = auto_class.from_pretrained(folders[kind], attn_implementation="eager")
    expected = reference(torch.tensor([tokens.ids])).logits[0]
    torch.testing.assert_close(model.run(tokens).logits, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_an_encoder_decoder_writes_what_the_library_writes_and_is_recorded_once(folders, kind):
    model = load(folders, kind)
    tokens = model.encode(SENTENCE)
    with record_attention(model.network) as record:
        run = model.run(tokens)
    reference = transformers.AutoModelForSeq2SeqLM.from_pretrained(folders[kind])
    written = reference.generate(torch.tensor([tokens.ids]), max_new_tokens=40, do_sample=False, num_beams=1)[0]
    target = run.sequences["target"]
    assert list(target.ids) == written.tolist()[: len(target)]
    assert run.logits.shape[0] == len(target)
    assert run.logits[:-1].argmax(-1).tolist() == list(target.ids[1:]) or kind == "bart"  # its end is forced
    pairs = [model.sequences_of(call, run) for call in record.calls]
    assert pairs == [("source", "source")] * 2 + [("target", "target"), ("target", "source")] * 2


@pytest.mark.parametrize("kind", ["gpt2", "llama", "bert", "bert-headless", "bert-classifier", "roberta", *TAGGERS])
def test_every_call_is_between_tokens_of_the_text(folders, kind):
    model = load(folders, kind)
    with record_attention(model.network) as record:
        run = model.run(model.encode(SENTENCE))
    assert [model.sequences_of(call, run) for call in record.calls] == [("text", "text")] * 2


def test_a_call_of_another_length_belongs_to_no_sequence(folders):
    model = load(folders, "gpt2")
    run = model.run(model.encode(SENTENCE))
    with record_attention(model.network) as record:
        model.run(model.encode("Who?"))
    assert model.sequences_of(record.calls[0], run) is None


def test_a_classifier_names_its_classes(folders):
    model = load(folders, "bert-classifier")
    run = model.run(model.encode(SENTENCE))
    best = model.predictions(run)
    assert {prediction.label for prediction in best} == {"bad", "good"}
    assert sum(prediction.probability for prediction in best) == pytest.approx(1)


@pytest.mark.parametrize("kind", ["bert-headless", *TAGGERS])
def test_a_model_without_a_head_for_words_predicts_nothing(folders, kind):
    model = load(folders, kind)
    assert model.predictions(model.run(model.encode(SENTENCE))) == ()


def test_a_mask_is_filled_where_it_stands(folders):
    model = load(folders, "bert")
    tokens = model.encode("who listens to [MASK]")
    run = model.run(tokens)
    best = model.predictions(run, position=tokens.labels.index("[MASK]"), top=1)[0]
    number = run.logits[tokens.labels.index("[MASK]")].argmax()
    assert best.label == model.tokenizer.id_to_token(int(number)).removeprefix("##")


def test_a_model_without_attention_is_refused(folders):
    with pytest.raises(ModelError, match="not a transformer: it has no attention heads"):
        load(folders, "mamba")


def test_an_offer_says_what_a_folder_holds(folders):
    offer = inspect(folders["gpt2"])
    assert offer.what == "GPT2LMHeadModel: next token"
    assert offer.download == 0
    assert offer.parameters == load(folders, "gpt2").parameters


def test_half_of_the_weights_missing_is_an_error_not_random_numbers(tmp_path):
    from safetensors.torch import load_file, save_file

    folder = saved_models.save_text_model("bert", tmp_path)
    weights = load_file(folder / "model.safetensors")
    partial_weights = {name: tensor for name, tensor in weights.items() if "layer.1" not in name}
    save_file(partial_weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="16 of its weights are not in the file"):
        load_text(str(folder))


def test_eight_threads_share_a_model(folders):
    model = load(folders, "bert")
    texts = [f"who listens {'to whom ' * number}" for number in range(8)]
    alone = [model.run(model.encode(text)).logits for text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: model.run(model.encode(text)).logits, texts * 8))
    for number, logits in enumerate(together):
        torch.testing.assert_close(logits, alone[number % 8])


def test_eight_threads_may_load_at_once(folders):
    kinds = ["gpt2", "bert", "t5", "roberta"] * 2
    with ThreadPoolExecutor(8) as pool:
        models = list(pool.map(lambda kind: load(folders, kind), kinds))
    for kind, model in zip(kinds, models, strict=True):
        torch.testing.assert_close(
            model.run(model.encode(SENTENCE)).logits,
            load(folders, kind).run(model.encode(SENTENCE)).logits,
        )
