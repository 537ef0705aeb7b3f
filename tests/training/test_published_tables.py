"""Cutting the published tables: notations of numbers, slipped cells, joins by name and resolution."""

from training.measurements import published_tables as tables

EPOCH = (
    "Model,Organization,Publication date,Domain,Parameters,Training compute (FLOP),Training dataset size (datapoints),"
    "Confidence,Link,Reference\n"
)
PAGE = """
### WMT 2014 EN-DE
| Model | BLEU | Paper |
| --- | :---: | --- |
| RNMT+ (Chen et al., 2018) | 28.5* | [The Best](https://example.org/a) |
| DeepL | 33.3 | [Press](https://example.org/b) |
### WMT 2014 EN-FR
| RNMT+ (Chen et al., 2018) | 41.0* | [The Best](https://example.org/a) |
### WMT22
| vanilla | 17.95 | [Other](https://example.org/c) |
"""


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_numbers_with_three_digits_of_exponent_are_read_and_slipped_rows_are_named(tmp_path, capsys):
    file = write(
        tmp_path,
        "epoch.csv",
        EPOCH + "Pangu,Huawei,2025-04-10,Language,135000000000,1.0692E+025,,Confident,https://example.org,A title\n"
        "Slipped,Nobody,2025-04-10,Language,1,China,,Confident,,\n"
        "Undated,Nobody,NVIDIA Tesla,Language,1,,,Confident,,\n"
        "Unknown size,Nobody,2025-04-10,Language,,,0,,,\n",
    )
    (row,) = tables.notable_models(file)
    assert (row["parameters"], row["training_flops"], row["dataset_size"]) == ("1.35e+11", "1.0692e+25", "")
    printed = capsys.readouterr().out
    assert "left out: Slipped, whose cells have slipped (training_flops 'China')" in printed
    assert "left out: Undated" in printed


def test_results_are_joined_with_speeds_by_architecture_and_resolution(tmp_path):
    results = (
        'model,img_size,top1,top5,param_count\nregnety_1280.seer_ft_in1k,384,88.0,98.5,"1,282.60"\n'
        "resnet50.a1_in1k,224,80.2,94.6,25.56\nresnet50.a1_in1k,288,81.2,95.1,25.56\n"
    )
    write(tmp_path, "results-imagenet.csv", results)
    for name in tables.RESULTS.values():
        write(tmp_path, name, "model,img_size,top1\nresnet50.a1_in1k,224,50.000\n")
    for name in tables.BENCHMARKS.values():
        write(
            tmp_path, name, "model,infer_img_size,infer_samples_per_sec,infer_gmacs\nresnet50,224,6000.5,4.11\n"
        )  # fmt: skip
    large, small, fine = tables.image_models(tmp_path)
    assert (large["parameters_millions"], large["data"], large["rtx5090"]) == ("1282.6", "Instagram", "")
    assert (small["real"], small["rtx5090"], small["gmacs"]) == ("50", "6000.5", "4.11")
    assert (fine["resolution"], fine["real"], fine["rtx5090"], fine["gmacs"]) == ("288", "", "", "")


def test_both_languages_of_a_page_become_one_row_and_other_tables_are_left_alone():
    rows = {row["model"]: row for row in tables.wmt14(PAGE)}
    assert set(rows) == {"RNMT+ (Chen et al., 2018)", "DeepL"}
    first = rows["RNMT+ (Chen et al., 2018)"]
    assert (first["year"], first["bleu_en_de"], first["bleu_en_fr"]) == ("2018", "28.5", "41.0")
    assert (first["family"], first["link"]) == ("recurrent", "https://example.org/a")
    assert (rows["DeepL"]["year"], rows["DeepL"]["data"]) == ("", "not stated")
