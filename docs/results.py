"""The table of all models with their held-out results and baselines: `make results` writes it into docs/results.md.

Every figure is read from the results.json of the model's folder in weights/, or from a table that a script of
training/ has written. Which is better, by how much, and whether the difference is larger than its standard error is
computed here.
"""

from pathlib import Path

from docs import distillation_results as distillation
from docs import drawing_results as drawings
from docs import picture_results as pictures
from docs import text_results as texts
from docs import translation_results as translations
from docs import vision_language_results as captions
from docs.result_rows import ROOT, Result, compare

FILE = Path(__file__).with_suffix(".md")
HEAD = """\
# Models and their results

Made by `make results` from `results.json` of each folder of [weights](../weights) and from the tables of our own
measurements: do not edit it by hand. All results are on data that the model did not learn from; but EfficientNet, and
so `hybrid-vit`, learned from ImageNet, and Tiny ImageNet is a part of that. The card of each model, linked in the first
column, says how it was made, on which data, and for how long.

Behind each baseline stands whether the model is better, and by how much. Where the standard error of the difference is
known, a smaller difference is called "no clear difference". Two shares count as independent, unless they were measured
on the same questions and the error of their difference is known."""
COLUMNS = "| model | parameters | measured | result | baselines |\n|---|---:|---|---:|---|"
LICENCES = """\
## Data and licences

The weights are under the project's licence (Apache-2.0) unless a card says otherwise. What they learned from:

- `translation`, `bert-pairs`: sentences of Tatoeba's contributors (CC BY 2.0).
- `*-tiny-imagenet`, `mae`, students of `vit-tiny-imagenet`: Tiny ImageNet, pictures for non-commercial research.
- `image-gpt`: CIFAR-10, which has no formal licence.
- Captioners and the CLIP of photographs: Flickr8k, which is for research and education.
- `bert-tasks`: SST-2, which is distributed for research, and UD_English-EWT (annotations CC BY-SA 4.0), whose counts
  are in `weights/bert-tasks/frequent_tags.json`. The heads that follow grammar were measured on the latter too. Neither
  is part of the project.
- `bert-inference`: English pairs of SICK (CC BY-NC-SA 3.0), which is not part of the project. Its weights are for
  non-commercial use, as SICK is.
- `efficientnet-lite0`, `minilm`: trained by others (Apache-2.0), one on ImageNet, one on pairs of sentences.
- `hybrid-vit`: learned from `efficientnet-lite0`, on pictures of Flickr8k and Tiny ImageNet.
- `sentiment`: film reviews of IMDB, distributed for research, and tweets of InterTASS 2017. Neither is part of the
  project.
- Emoji: pictures of googlefonts/noto-emoji (Apache-2.0), names of github/gemoji (MIT).
"""


def sections() -> dict[str, list[Result]]:
    """All results by the heading of their table."""
    return {
        "Language models": [*texts.gpt_books(), *texts.characters(), *texts.positions(), *texts.small_tasks()],
        "Masked language models": [
            *texts.bert_books(),
            *translations.bert_pairs(),
            *texts.bert_tasks(),
            *texts.bert_inference(),
        ],
        "Sentiment": texts.sentiment(),
        "Translation": translations.translation(),
        "Image classifiers": [*pictures.hybrid_vit(), *pictures.tiny_imagenet()],
        "Self-supervised learning from pictures": [*pictures.mae(), *pictures.image_gpt()],
        "Pictures and words": [*captions.packaged(), *captions.captioning(), *captions.clip(), *captions.vilbert()],
        "Pictures from sentences": [*drawings.dalle(), *drawings.attention_gan(), *drawings.scene_reader()],
        "Distilled models": [
            *distillation.students("bert-books", "masked tokens right"),
            *distillation.students("vit-tiny-imagenet", "top-1, Tiny ImageNet"),
        ],
        "Attention heads that follow grammar": texts.best_grammar_heads(),
        "Pointing game: maps of words over drawn scenes": captions.pointing_game(),
    }


def page() -> str:
    """The text of docs/results.md."""
    tables = [
        "\n".join([f"## {heading}", "", COLUMNS, *(row(result) for result in results)])
        for heading, results in sections().items()
    ]
    return "\n\n".join([HEAD, *tables, LICENCES])


def row(result: Result) -> str:
    """A result as a row of its table."""
    name = f"[`{result.folder}`](../weights/{result.folder}/CARD.md) {result.model}".strip()
    size = f"{result.parameters / 1e6:.1f} M" if result.parameters else ""
    baselines = "; ".join(
        f"{baseline.name} {result.unit.write(baseline.value)}: {compare(result, baseline)}"
        for baseline in result.baselines
    )
    value = result.unit.write(result.value)
    return f"| {name} | {size} | {result.measure} | {value} | {baselines or 'none measured'} |"


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
    print(f"Written: {FILE.relative_to(ROOT)}")
