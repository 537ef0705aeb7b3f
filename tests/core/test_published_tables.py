"""Every published table: a few rows against the originals, and that a wrong row is refused with file and line."""

import csv
from datetime import date

import pytest

from core import published
from core.published import FOLDER, image_families, language, notable, runs
from core.published.devices import devices

LOADERS = {
    "chinchilla.csv": published.chinchilla_runs,
    "clark_heads.csv": published.clark_heads,
    "captions_flickr8k.csv": published.caption_results,
    "devices.csv": devices,
    "glue_leaderboard.csv": published.glue_entries,
    "image_density.csv": published.image_densities,
    "image_models.csv": published.image_models,
    "imagenet_leaders.csv": published.imagenet_leaders,
    "key_value_heads.csv": published.key_value_heads,
    "language_model_sizes.csv": published.language_models,
    "law_coefficients.csv": published.published_laws,
    "notable_models.csv": published.notable_models,
    "pythia.csv": published.pythia_scores,
    "sentiment.csv": published.sentiment_results,
    "small_data_vit_vs_cnn.csv": published.small_data_results,
    "pretraining_pictures.csv": published.pretraining_pictures,
    "translation_bleu.csv": published.published_translators,
    "vit_variants.csv": published.vit_variants,
    "wmt14_bleu.csv": published.translation_leaders,
    "vit_vs_cnn_transfer.csv": published.transfer_results,
}


@pytest.fixture(scope="module")
def images():
    """timm's table, by the names of the models."""
    return {model.model: model for model in published.image_models()}


def only(rows, **of):
    matches = [row for row in rows if all(getattr(row, name) == value for name, value in of.items())]
    assert len(matches) == 1, f"{len(matches)} rows have {of}."
    return matches[0]


def test_every_table_of_the_folder_has_a_loader():
    assert {file.name for file in FOLDER.glob("*.csv")} == {*LOADERS, "model_sizes.csv"}


def test_together_they_are_small():
    assert sum(file.stat().st_size for file in FOLDER.glob("*.csv")) < 1_500_000
    assert (FOLDER / "image_models.csv").stat().st_size < 600_000


@pytest.mark.parametrize("name", LOADERS)
def test_every_row_says_its_source(name):
    assert all(row.source for row in LOADERS[name]())


@pytest.mark.parametrize("name", LOADERS)
def test_a_row_that_stands_there_twice_is_refused(tmp_path, name):
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines(keepends=True)[:4]
    file = tmp_path / name
    file.write_text("".join([*lines, lines[1]]), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"{name}, line {len(lines) + 1}: .* stands in line 2 already"):
        LOADERS[name](file)


@pytest.mark.parametrize("name", LOADERS)
def test_a_row_without_source_a_missing_column_and_an_empty_table_are_refused(tmp_path, name):
    header, first, *_ = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    source = next(csv.DictReader([header, first]))["source"]
    file = tmp_path / name
    for text, words in (
        (f"{header}\n{first.replace(source, '')}\n", "line 2: 'source' is empty"),
        (f"{header.replace('source', 'whence')}\n{first}\n", "line 1: the columns source are missing"),
        (f"{header}\n", "line 1: no row follows"),
        (f"{header}\n{first},1\n", "line 2: the row has not as many cells"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=f"{name}, {words}"):
            LOADERS[name](file)


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("image_models.csv", ",90.056,", ",190.056,", "line 2: 'top1' is \"190.056\": .*<= 100"),
        ("image_models.csv", ",448,", ",448px,", "line 2: 'resolution' is \"448px\": .*int"),
        ("image_models.csv", "transformer", "perceptron", "line 2: 'family' is \"perceptron\": .*transformer.*mixer"),
        ("imagenet_leaders.csv", "2020-12-13", "13.12.2020", "line 2: 'as_of' is \"13.12.2020\": .*date"),
        ("imagenet_leaders.csv", ",yes,", ",perhaps,", "line 2: 'extra_training_data' is \"perhaps\": .*bool"),
        ("notable_models.csv", "Confident", "Sure", "line 2: 'confidence' is \"Sure\": .*Confident"),
        ("notable_models.csv", "1.35e+11", "many", "line 2: 'parameters' is \"many\": .*float . null"),
        ("clark_heads.csv", ",70.4,", ",704,", "line 2: 'share_percent' is \"704\": .*<= 100"),
        ("chinchilla.csv", "5.00558", "nan", "line 2: 'loss' is \"nan\": "),
        ("chinchilla.csv", "5.00558", "-5", "line 2: 'loss' is \"-5\": "),
        ("chinchilla.csv", "6.7956e+09", "6.7956", "line 2: 'parameters' is \"6.7956\": .*>= 1000000"),
        ("law_coefficients.csv", "parameter_scale", "A", "line 3: the law Chinchilla has the coefficients"),
        ("pythia.csv", "1414647808", "1400000000", "line 2: a 'pythia-1.4b' has not 1,400,000,000 parameters"),
        ("pythia.csv", "arc_challenge", "chess", "line 2: 'task' is \"chess\": .*arc_easy"),
        ("glue_leaderboard.csv", ",90.7,", ",91.7,", "line 2: 'score' is 91.7, but the mean of the tasks is 90.69"),
        ("sentiment.csv", "0.8906", "89.06", "line 2: 'val_accuracy' is \"89.06\": .*<= 1"),
        ("language_model_sizes.csv", "2014", "214", "line 2: 'year' is \"214\": .*>= 1950"),
        ("vit_vs_cnn_transfer.csv", ",2500,", ",0,", "line 2: 'tpuv3_core_days' is \"0\": .*> 0"),
        ("small_data_vit_vs_cnn.csv", ",0.062,", ",,", "line 2: 'params_millions' is empty"),
        ("vit_variants.csv", ",12,", ",-12,", "line 2: 'layers' is \"-12\": .*>= 1"),
    ],
)
def test_a_wrong_row_is_refused_with_file_and_line(tmp_path, name, old, new, words):
    text = "".join((FOLDER / name).read_text(encoding="utf-8").splitlines(keepends=True)[:3])
    assert old in text
    file = tmp_path / name
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=f"{name}, {words}"):
        LOADERS[name](file)


def test_image_models_are_those_of_timm_joined_with_its_benchmarks():
    models = published.image_models()
    assert len(models) == 1556
    best = only(models, model="eva02_large_patch14_448.mim_m38m_ft_in22k_in1k", resolution=448)
    # results-imagenet.csv, -real, -v2, -a: 90.056, 99.054; 91.144; 82.43; 88.627. 305.08 million parameters.
    assert (best.top1, best.top5, best.real, best.a, best.parameters) == (90.056, 99.054, 91.144, 88.627, 305.08e6)
    largest = max(models, key=lambda model: model.parameters)
    assert largest.parameters == 1282.6e6  # regnety_1280, written "1,282.60" in the original
    tested = only(models, model="test_vit.r160_in1k", resolution=160)
    assert tested.rtx5090 == 260723.52  # benchmark-infer-amp-nchw-pt291-cu130-5090.csv
    assert tested.macs == pytest.approx(0.04e9)
    assert all(model.rtx5090 and model.rtx4090 and model.macs is not None for model in models)


@pytest.mark.parametrize(
    ("name", "family", "data"),
    [
        ("resnet50.a1_in1k", "convolutional", "ImageNet-1k"),
        ("vit_base_patch16_224.augreg2_in21k_ft_in1k", "transformer", "ImageNet-21k"),
        ("vit_small_r26_s32_224.augreg_in21k_ft_in1k", "hybrid", "ImageNet-21k"),
        ("vit_tiny_r_s16_p8_224.augreg_in21k_ft_in1k", "hybrid", "ImageNet-21k"),
        ("coatnet_0_rw_224.sw_in1k", "hybrid", "ImageNet-1k"),
        ("repvit_m1.dist_in1k", "convolutional", "ImageNet-1k"),
        ("fastvit_t8.apple_in1k", "convolutional", "ImageNet-1k"),
        ("fastvit_sa12.apple_in1k", "hybrid", "ImageNet-1k"),
        ("convmixer_768_32.in1k", "convolutional", "ImageNet-1k"),
        ("mixer_b16_224.goog_in21k_ft_in1k", "mixer", "ImageNet-21k"),
        ("tf_efficientnet_l2.ns_jft_in1k", "convolutional", "JFT-300M"),
        ("vit_huge_patch14_clip_224.laion2b_ft_in12k_in1k", "transformer", "LAION-2B"),
        ("swinv2_base_window8_256.ms_in1k", "transformer", "ImageNet-1k"),
        ("test_resnet.r160_in1k", "convolutional", "ImageNet-1k"),
        ("seresnextaa101d_32x8d.sw_in12k_ft_in1k", "convolutional", "ImageNet-12k"),
    ],
)
def test_family_and_data_follow_from_the_name(images, name, family, data):
    assert (image_families.family_of(name), image_families.data_of(name)) == (family, data)
    assert (images[name].family, images[name].data) == (family, data)


def test_a_name_that_no_rule_knows_is_an_error():
    with pytest.raises(ValueError, match=r"family of 'quantum_net\.a_in1k'"):
        image_families.family_of("quantum_net.a_in1k")
    with pytest.raises(ValueError, match="names no data"):
        image_families.data_of("resnet50.secret")


def test_only_the_tag_tells_of_a_teacher():
    assert image_families.has_teacher("tf_efficientnet_b7.ns_jft_in1k")
    assert image_families.has_teacher("deit_base_distilled_patch16_224.fb_in1k")
    assert not image_families.has_teacher("swinv2_cr_small_ns_224.sw_in1k")


def test_notable_models_are_those_of_epoch():
    models = published.notable_models()
    assert len(models) == len({model.model for model in models}) == 756
    pangu = only(models, model="Pangu Ultra")  # 1.0692E+025 in the original
    assert (pangu.parameters, pangu.training_flops, pangu.date) == (135e9, 1.0692e25, date(2025, 4, 10))
    assert pangu.link == "https://arxiv.org/abs/2504.07866"
    behemoth = only(models, model="Llama 4 Behemoth")
    assert (behemoth.parameters, behemoth.training_flops, behemoth.confidence) == (2e12, 5.184e25, "Likely")
    assert behemoth.field == "language and vision"
    assert sum(model.training_flops is not None for model in models) > 470


def test_domains_fall_into_groups_whatever_their_order():
    assert notable.field_of("Language,Mathematics,Biology") == notable.field_of("Biology,Language") == "biology"
    assert notable.field_of("Vision,Language") == notable.field_of("Multimodal") == "language and vision"
    assert notable.field_of("") == notable.field_of("Driving") == "other"
    assert {model.field for model in published.notable_models()} == set(notable.FIELDS)


def test_chinchilla_has_245_runs():
    training_runs = published.chinchilla_runs()
    assert len(training_runs) == 245
    assert (training_runs[0].parameters, training_runs[0].training_flops, training_runs[0].loss) == (
        6.7956e9,
        9.99385e18,
        5.00558,
    )


def test_pythia_has_16_models_at_18_checkpoints_on_8_tasks():
    scores = published.pythia_scores()
    assert len(scores) == 16 * 18 * 8
    assert len({score.model for score in scores}) == 16
    start = only(scores, model="pythia-1.4b", step=0, task="arc_challenge")
    assert (start.accuracy, start.stderr, start.perplexity) == (0.23123, 0.01232, None)
    end = only(scores, model="pythia-12b", step=143000, task="lambada_openai")
    assert end.tokens == 299_892_736_000
    assert end.without_embeddings == 11_327_027_200
    assert end.perplexity < 5
    assert runs.PYTHIA_SIZES["70m"] == 70_426_624


def test_glue_has_people_in_it_and_its_score_is_the_mean_of_the_tasks():
    entries = published.glue_entries()
    people = only(entries, human=True)
    assert (people.rank, people.score, people.task("WNLI"), people.task("QQP")) == (14, 87.1, 95.9, (59.5 + 80.4) / 2)
    assert only(entries, model="T5").task("CoLA") == 71.6
    assert len(language.GLUE_TASKS) == 9


def test_the_other_tables_say_what_the_publications_say():
    leaders = published.imagenet_leaders()
    assert only(leaders, model="CoCa").top1 == 91.0
    assert only(leaders, model="CoAtNet-7").family == "hybrid"
    transfer = published.transfer_results()
    best = only(transfer, dataset="ImageNet", model="ViT-H/14 (JFT)")
    assert (best.accuracy, best.deviation, best.core_days, best.data) == (88.55, 0.04, 2500, "JFT-300M")
    assert only(transfer, dataset="CIFAR-100", model="BiT-L (ResNet152x4)").accuracy == 93.51
    assert only(published.language_models(), model="GPT-3").parameters == 1.75e11
    assert only(published.vit_variants(), model="ViT-Huge").parameters == 632e6
    recurrent = only(published.sentiment_results(), dataset="IMDB", model="1x bidirectional RNN")
    assert (recurrent.parameters, recurrent.accuracy) == (338291, 0.8906)
    assert only(published.small_data_results(), model="ResNet152").accuracy == 33
    assert only(published.pretraining_pictures(), data="JFT-300M").pictures == 303_000_000


def test_where_a_source_is_wrong_its_figure_stays_and_a_note_stands_beside_it():
    large = only(published.small_data_results(), model="ViT 89.8M")
    named = {variant.model: variant.parameters for variant in published.vit_variants()}
    assert large.parameters == 89.8e6
    assert f"ViT-Large has {named['ViT-Large'] / 1e6:.0f} million" in large.note
    assert f"ViT-Base {named['ViT-Base'] / 1e6:.0f} million" in large.note
    assert "BASIC-L" in only(published.imagenet_leaders(), top1=90.98).note
    assert {entry.note for entry in published.glue_entries()} == {
        "The lecture says early 2023; a leaderboard led by 90.7 fits about the end of 2020."
    }
    five, three = (only(published.language_models(), model=name) for name in ("T5-11B", "GPT-3"))
    assert (five.text_gigabytes, three.text_gigabytes) == (750, 570)
    assert "C4" in five.note
    assert "filtered Common Crawl only" in three.note
    noted = [*published.small_data_results(), *published.imagenet_leaders(), *published.language_models()]
    assert sum(bool(row.note) for row in noted) == 4


def test_the_leaders_of_translation_are_those_of_nlp_progress():
    leaders = published.translation_leaders()
    assert len(leaders) == 13
    first = only(leaders, model="Transformer Big (Vaswani et al., 2017)")
    # The text of that paper says 41.0 for French, its table (in translation_bleu.csv) 41.8.
    assert (first.year, first.bleu_german, first.bleu_french, first.family) == (2017, 28.4, 41.0, "transformer")
    assert only(leaders, model="RNMT+ (Chen et al., 2018)").bleu_german == 28.5  # "28.5*" in the original
    assert only(leaders, model="DeepL").year is None
    assert only(leaders, model="Transformer Big + BT (Edunov et al., 2018)").data == "more than WMT14"
