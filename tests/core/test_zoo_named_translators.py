"""Pretrained translators, from tiny folders with random weights, against the library itself."""

import io
import json
import shutil
from pathlib import Path

import huggingface_hub
import pytest
import torch
import transformers

from core.capture import record_attention
from core.errors import ModelError
from core.models.sentencepieces import BPE, UNIGRAM, read_sentencepieces
from core.zoo import Permission, inspect_translator, load_named_translator, load_text
from tests.core import saved_models

sentencepiece = pytest.importorskip("sentencepiece", reason="the library's own tokenizer for Marian needs it")

KINDS = list(saved_models.TRANSLATORS)
SENTENCE = "Who listens to the quick brown fox?"
PARTS = {"cross": "cross_attentions", "encoder": "encoder_attentions", "decoder": "decoder_attentions"}
ODD = [
    *(
        "naïve café, 猫 and 😀.",
        "  two   spaces ",
        "tab\tand\nline",
        "ﬁne ① ｆｕｌｌ　width",
        "\u200bzero\u200d",
        "<b>x</b>",
    ),
    *("The", "zzz 猫猫 zzz", "▁ odd ▁", "e\u0301te\u0301", "a" * 300, '1992, "quoted" & 3.14'),
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("translators")
    return {kind: str(saved_models.save_translator(kind, root / kind)) for kind in KINDS}


@pytest.fixture(scope="module")
def translators(folders):
    return {kind: load_named_translator(folder) for kind, folder in folders.items()}


def eager(folder):
    """The library's own network, attention written out."""
    return transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation="eager").eval()


def written(model, beam=3, language=None):
    source = model.encode(SENTENCE)
    decoded = model.write(source, beam=beam, language=language)
    return source, decoded, model.tokens(decoded.best.tokens)


@pytest.mark.parametrize("kind", KINDS)
def test_the_maps_are_those_of_the_library_with_eager_attention(folders, translators, kind):
    model = translators[kind]
    source, _, target = written(model)
    aligned = model.align(source, target)
    before = torch.tensor([[model.start(), *target.ids[:-1]]])
    output = eager(folders[kind])(
        input_ids=torch.tensor([source.ids]), decoder_input_ids=before, output_attentions=True
    )
    for part, name in PARTS.items():
        expected = getattr(output, name)
        assert len(aligned.maps[part]) == len(expected) == 2
        for layer, weights in zip(aligned.maps[part], expected, strict=True):
            torch.testing.assert_close(layer, weights[0], rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_maps_are_rectangles_whose_rows_sum_to_one_and_the_decoder_never_looks_ahead(translators, kind):
    model = translators[kind]
    source, _, target = written(model)
    aligned = model.align(source, target)
    assert {tuple(layer.shape) for layer in aligned.cross} == {(2, len(target), len(source))}
    for layers in aligned.maps.values():
        for layer in layers:
            torch.testing.assert_close(layer.sum(dim=-1), torch.ones(layer.shape[:2]))
    for layer in aligned.maps["decoder"]:
        assert not layer.triu(1).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beam", [1, 3])
def test_the_tokens_are_those_that_the_library_generates(folders, translators, kind, beam):
    model = translators[kind]
    source, decoded, target = written(model, beam)
    reference = eager(folders[kind])
    expected = reference.generate(
        torch.tensor([source.ids]),
        num_beams=beam,
        do_sample=False,
        max_new_tokens=min(len(source) + len(source) // 2 + 10, model._decoder_limit()),
    )[0].tolist()[1:]
    assert list(target.ids) == expected
    assert len(set(target.ids)) > 1
    ends = reference.generation_config.eos_token_id
    assert decoded.best.ended == (expected[-1] == ends)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beam", [1, 3])
def test_log_probabilities_are_those_of_the_scores_while_generating(folders, translators, kind, beam):
    model = translators[kind]
    source, decoded, target = written(model, beam)
    output = eager(folders[kind]).generate(
        torch.tensor([source.ids]),
        num_beams=beam,
        do_sample=False,
        max_new_tokens=len(target),
        return_dict_in_generate=True,
        output_logits=True,
        **({"min_new_tokens": len(target)} if not decoded.best.ended else {}),
    )
    assert output.sequences[0, 1:].tolist() == list(target.ids)
    rows = output.beam_indices[0].tolist() if beam > 1 else [0] * len(target)
    scores = [
        step[row].float().log_softmax(dim=-1)[token].item()
        for step, row, token in zip(output.logits, rows, target.ids, strict=False)
    ]
    assert decoded.best.log_probabilities == pytest.approx(scores, abs=1e-4)
    assert model.align(source, target).log_probabilities == pytest.approx(scores, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_hypotheses_are_different_and_begin_with_the_best(translators, kind):
    _, decoded, target = written(translators[kind], 3)
    tokens = [hypothesis.tokens for hypothesis in decoded.hypotheses]
    assert tokens[0] == target.ids
    assert len(set(tokens)) == len(tokens)
    for hypothesis in decoded.hypotheses:
        assert len(hypothesis.tokens) == len(hypothesis.log_probabilities)
        assert max(hypothesis.log_probabilities) <= 0


def test_progress_is_told_of_each_step_and_may_stop_the_work(translators):
    model, steps = translators["t5"], []
    source = model.encode(SENTENCE)
    decoded = model.write(source, beam=1, progress=lambda step, best: steps.append((step, best[0].tokens)))
    assert [step for step, _ in steps] == list(range(1, len(decoded.best.tokens) + 1))
    assert steps[-1][1] == decoded.best.tokens

    def stop(step, best):  # noqa: ARG001
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.write(source, progress=stop)


def test_nothing_is_left_on_a_network_after_writing_and_aligning(translators):
    model = translators["bart"]
    written(model)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.network.modules())


@pytest.mark.parametrize("kind", ["t5", "bart", "nllb"])
def test_source_tokens_are_those_of_the_library(folders, translators, kind):
    reference = transformers.AutoTokenizer.from_pretrained(folders[kind])
    assert list(translators[kind].encode(SENTENCE).ids) == reference(SENTENCE)["input_ids"]


@pytest.mark.parametrize("text", [SENTENCE, ">>deu<< The lazy dog", *(odd for odd in ODD if len(odd) < 60)])
def test_source_tokens_of_marian_are_those_of_its_slow_tokenizer(folders, translators, text):
    reference = transformers.MarianTokenizer.from_pretrained(folders["marian"])
    assert list(translators["marian"].encode(text).ids) == reference(text)["input_ids"]


def test_what_marian_wrote_is_read_as_its_slow_tokenizer_reads_it(folders, translators):
    model = translators["marian"]
    reference = transformers.MarianTokenizer.from_pretrained(folders["marian"])
    pieces = sentencepiece.SentencePieceProcessor(model_file=f"{folders['marian']}/target.spm")
    numbers = reference.convert_tokens_to_ids(pieces.encode("Qui écoute le chien ?", out_type=str))
    assert reference.unk_token_id not in numbers
    assert model.text([*numbers, reference.eos_token_id]) == "Qui écoute le chien ?"
    tokens = model.tokens([*numbers, reference.eos_token_id])
    assert "".join(tokens.labels) == " Qui écoute le chien ?</s>"
    assert tokens.special == (*[False] * len(numbers), True)


@pytest.mark.parametrize(("model_type", "number"), [("unigram", UNIGRAM), ("bpe", BPE)])
def test_sentencepiece_models_cut_texts_as_sentencepiece_does(tmp_path, model_type, number):
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([*saved_models.SENTENCES, *saved_models.FRENCH] * 5),
        model_writer=file,
        vocab_size=90,
        model_type=model_type,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    (tmp_path / "model").write_bytes(file.getvalue())
    vocabulary = read_sentencepieces(tmp_path / "model")
    assert vocabulary.model == number
    reference = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    tokenizer = vocabulary.tokenizer(
        {piece.text: place for place, piece in enumerate(vocabulary.pieces)}, "<unk>", ["<unk>"]
    )
    for text in [SENTENCE, *saved_models.FRENCH, *ODD]:
        assert tokenizer.encode(text, add_special_tokens=False).ids == reference.encode(text), text


@pytest.mark.parametrize("content", [b"", b"\x00", b"\xff" * 99, b"\x0a\xff\xff\xff\x7f", b"{}", b"PK\x03\x04" * 9])
def test_a_broken_sentencepiece_model_is_a_sentence(folders, tmp_path, content):
    folder = shutil.copytree(folders["marian"], tmp_path / "model")
    (folder / "source.spm").write_bytes(content)
    with pytest.raises(ModelError, match=r"source\.spm is not a SentencePiece model that can be read"):
        load_named_translator(str(folder))


@pytest.mark.parametrize("vocabulary", ["", "[]", '{"a": 0}', '{"</s>": 0, "<unk>": 1, "<pad>": 7}', '{"</s>": "x"}'])
def test_a_broken_vocabulary_is_a_sentence(folders, tmp_path, vocabulary):
    folder = shutil.copytree(folders["marian"], tmp_path / "model")
    (folder / "vocab.json").write_text(vocabulary)
    with pytest.raises(ModelError, match=r"vocab\.json"):
        load_named_translator(str(folder))


def test_marian_needs_no_sentencepiece_library(folders, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sentencepiece", None)
    model = load_named_translator(folders["marian"])
    assert model.encode(SENTENCE).labels[-1] == "</s>"


def test_the_page_on_texts_opens_marian_too(folders):
    model = load_text(folders["marian"])
    tokens = model.encode(SENTENCE)
    with record_attention(model.network) as record:
        run = model.run(tokens)
    vocabulary = json.loads((Path(folders["marian"]) / "vocab.json").read_text())
    pieces = {number: piece.replace("▁", " ") for piece, number in vocabulary.items()}
    target = run.sequences["target"]
    assert list(target.labels) == [pieces[number] for number in target.ids]
    assert all(prediction.label == pieces[prediction.number] for prediction in model.predictions(run))
    pairs = [model.sequences_of(call, run) for call in record.calls]
    assert pairs == [("source", "source")] * 2 + [("target", "target"), ("target", "source")] * 2


def test_nllb_reads_and_writes_the_languages_that_are_chosen(folders, translators):
    model = translators["nllb"]
    assert {"eng_Latn", "fra_Latn", "zul_Latn"} < set(model.languages)
    reference = transformers.AutoTokenizer.from_pretrained(folders["nllb"], src_lang="deu_Latn")
    source = model.encode(SENTENCE, "deu_Latn")
    assert list(source.ids) == reference(SENTENCE)["input_ids"]
    assert source.labels[0] == "deu_Latn"
    decoded = model.write(source, beam=2, language="fra_Latn")
    expected = (
        eager(folders["nllb"])
        .generate(
            torch.tensor([source.ids]),
            num_beams=2,
            do_sample=False,
            forced_bos_token_id=reference.convert_tokens_to_ids("fra_Latn"),
            max_new_tokens=min(len(source) + len(source) // 2 + 10, model._decoder_limit()),
        )[0]
        .tolist()[1:]
    )
    assert list(decoded.best.tokens) == expected
    assert model.tokens(decoded.best.tokens).labels[0] == "fra_Latn"
    with pytest.raises(ModelError, match=r"has no language 'Klingon'\. Choose one"):
        model.encode(SENTENCE, "Klingon")


def test_a_language_may_also_be_where_the_decoder_begins(folders, tmp_path):
    """As in mBART for one pair of languages."""
    folder = shutil.copytree(folders["nllb"], tmp_path / "model")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    path = folder / "generation_config.json"
    start = {"decoder_start_token_id": tokenizer.convert_tokens_to_ids("ron_Latn")}
    path.write_text(json.dumps(json.loads(path.read_text()) | start))
    model = load_named_translator(str(folder))
    assert model.tokens([model.start()]).labels == ("ron_Latn",)
    assert model.tokens([model.start("fra_Latn")]).labels == ("fra_Latn",)


def test_languages_and_prefixes_are_those_of_the_kind(translators):
    assert translators["t5"].prefix == "translate English to French: "
    assert [translators[kind].prefix for kind in ("marian", "bart", "nllb")] == ["", "", ""]
    assert translators["marian"].languages == (">>deu<<", ">>fra<<")
    assert translators["t5"].languages == translators["bart"].languages == ()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ODD)
def test_odd_texts_are_translated_and_mapped(translators, kind, text):
    model = translators[kind]
    source = model.encode(text)
    decoded = model.write(source, beam=1)
    target = model.tokens(decoded.best.tokens)
    assert tuple(model.align(source, target).cross[0].shape) == (2, len(target), len(source))


@pytest.mark.parametrize("kind", KINDS)
def test_a_long_text_is_cut_where_the_model_ends(translators, kind):
    model = translators[kind]
    source = model.encode("The quick brown fox. " * 100)
    assert len(source) == model.context
    assert source.cut is not None
    decoded = model.write(source, beam=1)
    model.align(source, model.tokens(decoded.best.tokens))


def test_a_decoder_alone_is_refused_in_a_sentence(tmp_path):
    folder = str(saved_models.save_text_model("gpt2", tmp_path))
    for act in (inspect_translator, load_named_translator):
        with pytest.raises(
            ModelError, match=r"GPT2LMHeadModel: next token\) has no encoder and decoder.*opus-mt-en-fr"
        ):
            act(folder)
        with pytest.raises(ModelError, match="has no encoder and decoder"):
            act("gpt-books")


def test_an_image_model_is_refused_in_a_sentence(tmp_path):
    folder = str(saved_models.save_vision_model("vit", tmp_path))
    for act in (inspect_translator, load_named_translator):
        with pytest.raises(ModelError, match=r"reads pictures\. Open it in Explore / Image"):
            act(folder)


def test_weights_in_pickle_are_refused_in_a_sentence(folders, tmp_path):
    folder = shutil.copytree(folders["marian"], tmp_path / "model")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    for act in (inspect_translator, load_named_translator):
        with pytest.raises(ModelError, match=r"keeps its weights in pytorch_model\.bin.*Only model\.safetensors"):
            act(str(folder))


@pytest.mark.parametrize("offline", [True, False])
def test_without_the_hub_there_is_a_sentence(tmp_path, monkeypatch, offline):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # a port at which nobody listens
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", offline)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    for act in (inspect_translator, load_named_translator):
        with pytest.raises(ModelError, match="cannot be reached from here"):
            act("Helsinki-NLP/opus-mt-en-fr")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("", "No model is named"), ("no such name!", "cannot be the name of a model"), ("/etc", "an app that you run")],
)
def test_names_that_are_none_are_refused_in_a_sentence(name, sentence):
    with pytest.raises(ModelError, match=sentence):
        load_named_translator(name, permission=Permission(listed=None))


def test_a_network_without_a_head_for_words_is_given_its_own_embedding(tmp_path):
    """`facebook/bart-large` is stored like this: BartModel, whose output is the embedding turned round."""
    folder = tmp_path / "bart"
    saved_models.save_translator("bart", folder)
    config = transformers.AutoConfig.from_pretrained(folder)
    config.tie_word_embeddings = True
    torch.manual_seed(0)
    bare = transformers.BartModel(config)
    bare.save_pretrained(folder)
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["BartModel"]
    model = load_named_translator(str(folder))
    torch.testing.assert_close(model.network.lm_head.weight, bare.shared.weight)
    written(model)
