"""Tiny models with random weights in folders, as their libraries save them: what the tests of core.zoo load."""

import io
import json
from pathlib import Path

import timm
import torch
import transformers
from timm.models import save_for_hf
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

SENTENCES = ["The quick brown fox jumps over the lazy dog.", "Who listens to whom? A naïve café, 猫 and 😀."]
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def byte_level_tokenizer() -> Tokenizer:
    """As GPT-2's, RoBERTa's and Llama 3's."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=320, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    return tokenizer


def wordpiece_tokenizer() -> Tokenizer:
    """As BERT's."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=120, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(SENTENCES, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def unigram_tokenizer() -> Tokenizer:
    """As T5's: SentencePiece.

    The pieces are named and not learned, because learning them comes out otherwise from run to run, and with it what
    random weights write: single characters, and the half of each word that they begin.
    """
    words = sorted({f"▁{word}" for sentence in SENTENCES for word in sentence.split()})
    letters = sorted(set("".join(words)))
    halves = sorted({word[: len(word) // 2 + 1] for word in words if len(word) > 3} - set(letters))
    special = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    pieces = special + [(half, -3.0) for half in halves] + [(letter, -5.0) for letter in letters]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=2))
    tokenizer.add_special_tokens([name for name, _ in special])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return tokenizer


def save_text_model(kind: str, folder: Path) -> Path:
    """A text model of transformers with its tokenizer; `kind` is a key of TEXT_KINDS."""
    architecture, tokenizer, sizes = TEXT_KINDS[kind]
    made = tokenizer()
    network_class = getattr(transformers, architecture)
    torch.manual_seed(0)
    network_class(network_class.config_class(vocab_size=made.get_vocab_size(), **sizes)).save_pretrained(folder)
    special = _SPECIAL_NAMES[tokenizer]
    transformers.PreTrainedTokenizerFast(tokenizer_object=made, **special).save_pretrained(folder)
    return folder


_SPECIAL_NAMES = {
    byte_level_tokenizer: {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "mask_token": "<mask>"},
    wordpiece_tokenizer: {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"},
    unigram_tokenizer: {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>", "model_max_length": 48},
}
_BERT = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
_SHORT = {**_BERT, "max_position_embeddings": 32}
_T5 = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2}
_SIDES = {f"{side}_{part}": 2 for side in ("encoder", "decoder") for part in ("layers", "attention_heads")}
TEXT_KINDS = {
    "gpt2": (
        "GPT2LMHeadModel",
        byte_level_tokenizer,
        {"n_positions": 32, "n_embd": 16, "n_layer": 2, "n_head": 2, "bos_token_id": 0, "eos_token_id": 2},
    ),
    "llama": (
        "LlamaForCausalLM",
        byte_level_tokenizer,
        {**_BERT, "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64},
    ),
    "bert": ("BertForMaskedLM", wordpiece_tokenizer, _SHORT),
    "bert-headless": ("BertModel", wordpiece_tokenizer, _SHORT),
    "bert-tagger": ("BertForTokenClassification", wordpiece_tokenizer, _SHORT),
    "bert-answerer": ("BertForQuestionAnswering", wordpiece_tokenizer, _SHORT),
    "bert-classifier": (
        "BertForSequenceClassification",
        wordpiece_tokenizer,
        {**_SHORT, "id2label": {0: "bad", 1: "good"}, "label2id": {"bad": 0, "good": 1}},
    ),
    "roberta": ("RobertaForMaskedLM", byte_level_tokenizer, {**_BERT, "max_position_embeddings": 34}),
    "t5": (
        "T5ForConditionalGeneration",
        unigram_tokenizer,
        {**_T5, "decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1},
    ),
    "bart": (
        "BartForConditionalGeneration",
        byte_level_tokenizer,
        {
            **{"d_model": 16, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 64, **_SIDES},
            **{"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2},
        },
    ),
    "qwen3-next": (  # of its layers 0 to 3 the second and the fourth have a softmax
        "Qwen3NextForCausalLM",
        byte_level_tokenizer,
        {
            **{**_BERT, "num_hidden_layers": 4, "max_position_embeddings": 64, "num_key_value_heads": 2, "head_dim": 8},
            **{"layer_types": ["linear_attention", "full_attention"] * 2, "moe_intermediate_size": 16},
            **{"num_experts": 4, "num_experts_per_tok": 2, "shared_expert_intermediate_size": 16},
            **{f"linear_num_{part}_heads": 2 for part in ("key", "value")},
            **{f"linear_{part}_head_dim": 8 for part in ("key", "value")},
        },
    ),
    "mamba": ("MambaForCausalLM", byte_level_tokenizer, {"hidden_size": 16, "num_hidden_layers": 1}),
}


SEED = 5  # with it every one of them writes different tokens


def save_translator(kind: str, folder: Path) -> Path:
    """An encoder-decoder that translates (badly: its weights are random); `kind` is a key of TRANSLATORS."""
    architecture, save_tokenizer, sizes = TRANSLATORS[kind]
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = save_tokenizer(folder)
    network_class = getattr(transformers, architecture)
    torch.manual_seed(SEED)
    if kind == "marian":  # its decoder begins with padding, the last token of its vocabulary
        sizes = {**sizes, "pad_token_id": vocabulary - 1, "decoder_start_token_id": vocabulary - 1}
    network = network_class(network_class.config_class(vocab_size=vocabulary, **sizes))
    for weight in network.parameters():  # far from even: otherwise every translation is one token again and again
        if weight.dim() > 1:
            torch.nn.init.normal_(weight, std=0.5)
    network.save_pretrained(folder)
    return folder


def _save_marian(folder: Path) -> int:
    """Two SentencePiece models trained by SentencePiece itself, and one vocabulary for both."""
    import sentencepiece

    pieces: list[str] = []
    for file, sentences in (("source.spm", SENTENCES), ("target.spm", FRENCH)):
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences * 5),
            model_writer=model,
            vocab_size=70,
            hard_vocab_limit=False,
            minloglevel=2,
        )
        (folder / file).write_bytes(model.getvalue())
        processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
        pieces += [processor.id_to_piece(number) for number in range(3, len(processor))]
    vocabulary = ["</s>", "<unk>", *dict.fromkeys(pieces), ">>fra<<", ">>deu<<", "<pad>"]
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    (folder / "vocab.json").write_text(json.dumps(numbers), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text('{"source_lang": "eng", "target_lang": "fra"}')
    return len(numbers)


def _save_unigram(folder: Path) -> int:
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=unigram_tokenizer(), **_SPECIAL_NAMES[unigram_tokenizer]
    ).save_pretrained(folder)
    return unigram_tokenizer().get_vocab_size()


def _save_byte_level(folder: Path) -> int:
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=byte_level_tokenizer(), **_SPECIAL_NAMES[byte_level_tokenizer]
    ).save_pretrained(folder)
    return byte_level_tokenizer().get_vocab_size()


def _save_many_languages(folder: Path) -> int:
    """As NLLB's: the language stands before the sentence, as a token."""
    letters = sorted({letter for sentence in [*SENTENCES, *FRENCH] for letter in sentence if letter != " "} | {"▁"})
    vocabulary = {token: number for number, token in enumerate(["<s>", "<pad>", "</s>", "<unk>", *letters])}
    tokenizer = transformers.NllbTokenizer(vocab=vocabulary, merges=[("▁", "l")] if "▁l" in vocabulary else [])
    tokenizer.save_pretrained(folder)
    return len(tokenizer)


FRENCH = ["Le renard brun saute par-dessus le chien paresseux.", "Qui écoute qui ? Un café naïf."]
_SIZES = {
    "tie_word_embeddings": False,
    "d_model": 16,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "max_position_embeddings": 64,
    **_SIDES,
}
TRANSLATORS = {
    "marian": (
        "MarianMTModel",
        _save_marian,
        {**_SIZES, "eos_token_id": 0, "forced_eos_token_id": 0},
    ),
    "t5": (
        "T5ForConditionalGeneration",
        _save_unigram,
        {**_T5, "decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1},
    ),
    "bart": (
        "BartForConditionalGeneration",
        _save_byte_level,
        {**_SIZES, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2},
    ),
    "nllb": (
        "M2M100ForConditionalGeneration",
        _save_many_languages,
        {**_SIZES, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2},
    ),
}


def save_timm_model(kind: str, folder: Path) -> Path:
    """A picture model of timm in its hub format; `kind` is a key of TIMM_KINDS."""
    architecture, arguments = TIMM_KINDS[kind]
    torch.manual_seed(0)
    network = timm.create_model(architecture, **arguments)
    save_for_hf(network, folder, model_args=arguments, safe_serialization=True)
    return folder


_SMALL = {"embed_dim": 16, "num_heads": 2, "depth": 2}
TIMM_KINDS = {
    "vit": ("vit_tiny_patch16_224", {"img_size": 64, **_SMALL}),
    "deit": ("deit_tiny_distilled_patch16_224", {"img_size": 64, "num_classes": 5, **_SMALL}),
    "dinov2": ("vit_small_patch14_reg4_dinov2", {"img_size": 56, **_SMALL}),
    "swin": (
        "swin_tiny_patch4_window7_224",
        {"img_size": 56, "embed_dim": 8, "num_heads": (1, 2), "depths": (1, 1), "num_classes": 4},
    ),
    "swinv2": (
        "swinv2_tiny_window8_256",
        {"img_size": 64, "embed_dim": 8, "num_heads": (1, 2), "depths": (1, 1), "num_classes": 4},
    ),
    "xcit": (
        "xcit_nano_12_p16_224",
        {"img_size": 64, "embed_dim": 64, "num_heads": 4, "depth": 2, "cls_attn_layers": 1, "num_classes": 4},
    ),
    "dino": ("vit_small_patch16_224.dino", {"img_size": 64, **_SMALL}),
    "dinov3": ("vit_small_patch16_dinov3", {"img_size": 64, **_SMALL}),
    "eva02": ("eva02_tiny_patch14_224", {"img_size": 56, **_SMALL}),
    "beit": ("beit_base_patch16_224", {"img_size": 64, **_SMALL}),
    "cait": ("cait_xxs24_224", {"img_size": 64, **_SMALL}),
    "siglip": ("vit_base_patch16_siglip_224", {"img_size": 64, **_SMALL}),
    "resnet": ("resnet10t", {}),
    "convnext": ("convnext_atto", {"depths": (1, 1, 1, 1), "dims": (4, 8, 12, 16), "num_classes": 6}),
}


def save_pair(kind: str, folder: Path) -> Path:
    """A CLIP or a SigLIP of transformers with random weights, and a tokenizer of a few words."""
    torch.manual_seed(0)
    vision = {**_BERT, "image_size": 32, "patch_size": 8}
    known = ("[UNK]", "<s>", "</s>", "a", "red", "blue", "star", "cat")
    words = {word: place for place, word in enumerate(known)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    ends = [("<s>", 1), ("</s>", 2)]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    text = {
        **_BERT,
        "vocab_size": 99,
        "max_position_embeddings": 12,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 2,
    }
    if kind == "clip":
        config = transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=8)
        transformers.CLIPModel(config).save_pretrained(folder)
    else:
        config = transformers.SiglipConfig(text_config=text, vision_config=vision)
        transformers.SiglipModel(config).save_pretrained(folder)
    crop = {"height": 32, "width": 32}
    transformers.CLIPImageProcessor(size={"shortest_edge": 36}, crop_size=crop).save_pretrained(folder)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", bos_token="<s>", eos_token="</s>"
    )
    fast.save_pretrained(folder)
    return folder


def save_captioner(kind: str, folder: Path) -> Path:
    """A "blip", a "git" or a "vit-gpt2" of transformers with random weights, and a tokenizer of a few words."""
    save_pair("clip", folder)  # its tokenizer and its way of cutting pictures
    for name in ("config.json", "model.safetensors"):
        (folder / name).unlink()
    torch.manual_seed(1)
    vision = {**_BERT, "image_size": 32, "patch_size": 8}
    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}
    text = {**_BERT, "vocab_size": 99, "max_position_embeddings": 60, **ids}
    network: transformers.PreTrainedModel
    if kind == "blip":
        own = {**text, "sep_token_id": 2, "encoder_hidden_size": _BERT["hidden_size"], "is_decoder": True}
        config = transformers.BlipConfig(vision_config=vision, text_config=own, projection_dim=8)
        network = transformers.BlipForConditionalGeneration(config)
    elif kind == "git":
        network = transformers.GitForCausalLM(transformers.GitConfig(vision_config=vision, **text))
    else:
        encoder = transformers.ViTModel(transformers.ViTConfig(**vision), add_pooling_layer=False)
        sizes = {"n_embd": 16, "n_layer": 2, "n_head": 2, "vocab_size": 99, "n_positions": 60}
        decoder = transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes, **ids, add_cross_attention=True))
        network = transformers.VisionEncoderDecoderModel(encoder=encoder, decoder=decoder)
        network.config.decoder_start_token_id = 1
        network.config.pad_token_id = 2
    network.save_pretrained(folder)
    return folder


def save_vilt(kind: str, folder: Path) -> Path:
    """A ViLT of transformers with random weights, a "ForMaskedLM" or another, and BERT's kind of tokenizer."""
    torch.manual_seed(1)
    answers = {0: "no", 1: "yes", 2: "two"}
    config = transformers.ViltConfig(**_SHORT, vocab_size=120, image_size=32, patch_size=8, id2label=answers)
    getattr(transformers, f"Vilt{kind}")(config).save_pretrained(folder)
    middle = [0.5, 0.5, 0.5]
    processor = transformers.ViltImageProcessor(size={"shortest_edge": 32}, image_mean=middle, image_std=middle)
    processor.save_pretrained(folder)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=wordpiece_tokenizer(), unk_token="[UNK]", pad_token="[PAD]", mask_token="[MASK]"
    )
    fast.save_pretrained(folder)
    return folder


def save_vision_model(kind: str, folder: Path) -> Path:
    """A picture model of transformers: "vit", "clip-vision" or "clip" (both of its halves)."""
    sizes = {**_BERT, "image_size": 32, "patch_size": 8}
    torch.manual_seed(0)
    if kind == "vit":
        config = transformers.ViTConfig(num_labels=3, **sizes)
        transformers.ViTForImageClassification(config).save_pretrained(folder)
        transformers.ViTImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
        return folder
    vision = transformers.CLIPVisionConfig(**sizes)
    if kind == "clip-vision":
        transformers.CLIPVisionModel(vision).save_pretrained(folder)
    else:
        text = {**_BERT, "vocab_size": 99, "bos_token_id": 0, "eos_token_id": 1}
        config = transformers.CLIPConfig(vision_config=vision.to_dict(), text_config=text, projection_dim=8)
        transformers.CLIPModel(config).save_pretrained(folder)
    crop = {"height": 32, "width": 32}
    transformers.CLIPImageProcessor(size={"shortest_edge": 36}, crop_size=crop).save_pretrained(folder)
    return folder


def save_autoencoder(kind: str, folder: Path, **changed: object) -> Path:
    """A ViT-MAE of transformers with random weights: "ForPreTraining", with its decoder, or "Model", without."""
    torch.manual_seed(2)
    sizes = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64}
    decoder = {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48}
    named = {f"decoder_{name}": size for name, size in decoder.items()}
    config = transformers.ViTMAEConfig(**sizes | named | {"image_size": 32, "patch_size": 8} | changed)
    network = getattr(transformers, f"ViTMAE{kind}")(config)
    for weight in network.parameters():
        if weight.dim() > 1 and weight.requires_grad:
            torch.nn.init.normal_(weight, std=0.2)
    network.save_pretrained(folder)
    transformers.ViTImageProcessor(size={"height": config.image_size, "width": config.image_size}).save_pretrained(
        folder
    )
    return folder
