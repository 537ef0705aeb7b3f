"""Translation, Images, Language, By year: each sentence follows from the published table as it lies there."""

from datetime import date
from statistics import median

import numpy as np
import pytest
from scipy import stats

from core.scaling.growth import fit_growth
from dashboard.frame.prose import FORMULA
from pages.scale.scaling_comparison import compute, glue, images, language, translation, years
from tests.pages.conftest import check, message_text, prose
from tests.pages.scaling import PAGE, chosen, has_no_number, original, placed, plain

TIMM = original("image_models.csv")
BEST = "eva02_large_patch14_448.mim_m38m_ft_in22k_in1k, 448 px"
GLUE = {of["model"]: of for of in original("glue_leaderboard.csv")}
PEOPLE = GLUE["GLUE Human Baselines"]
NOTABLE = original("notable_models.csv")


@pytest.mark.parametrize(("french", "short"), [(False, "de"), (True, "fr")])
def test_bleu_stands_against_the_flops_of_the_same_language(french, short):
    names = f"train_flops_en_{short}", f"bleu_en_{short}"
    rows = [of for of in original("translation_bleu.csv") if all(of[name] for name in names)]
    selection = chosen(translation.paper(french))
    assert placed(selection) == sorted(tuple(float(of[name]) for name in names) for of in rows)
    # The dearest in comparison: each transformer against the best of another family that scores no more.
    ratios = []
    for own in rows:
        others = [of for of in rows if of["family"] != "transformer" and float(of[names[1]]) <= float(own[names[1]])]
        if own["family"] == "transformer" and others:
            best = max(others, key=lambda of: float(of[names[1]]))
            ratios.append((float(best[names[0]]) / float(own[names[0]]), own["model"], best["model"]))
    times, own, other = max(ratios)
    sentence = translation.same_bleu(selection).replace("\\", "")
    assert sentence.startswith(f"**{own}** reaches")
    assert f"**{other}**" in sentence
    assert f"**{times:.1f} times** as much" in sentence


def test_the_estimate_of_the_paper_gives_the_flops_of_its_table():
    by_name = {of["model"]: float(of["train_flops_en_de"] or 0) for of in original("translation_bleu.csv")}
    for name, (hours, cards, speed) in translation.PAPER.items():
        assert f"{3600 * hours * cards * speed:.1e}" == f"{by_name[name]:.1e}"
    assert "footnote in section 6.1" in translation.SECTION.texts[FORMULA]


def test_translation_opens_with_the_front_drawn_and_says_where_nothing_has_both_figures(visit):
    app = visit(PAGE, show="Translation")
    assert "**2 of 7** are on the Pareto front (**Transformer (base)** and **Transformer (big)**)" in prose(app)
    app = visit(PAGE, show="Translation", bleude_search="bytenet")
    assert not app.get("plotly_chart")
    assert "Of the models that pass the filters (1), none has both" in message_text(app)
    assert "No model passes the filters." in prose(app)


def test_every_result_of_timm_stands_at_its_parameters_and_its_accuracy():
    selection = chosen(images.timm())
    expected = sorted((1e6 * float(of["parameters_millions"]), float(of["top1"])) for of in TIMM)
    assert np.allclose(placed(selection), expected)
    assert plain(images.notice(selection)).startswith(f"**{BEST}** (transformer) has the best")
    assert ": 90.06%" in plain(images.notice(selection))
    assert f"**{len({of['model'].partition('.')[0] for of in TIMM}):,} architectures**" in plain(
        images.hides(selection)
    )


@pytest.mark.parametrize(("x", "cost"), [("parameters", "parameters_millions"), ("rtx4090", "rtx4090")])
def test_medians_of_two_families_are_those_of_thirds_of_their_models(x, cost):
    sentence = images.rivals(chosen(images.timm(), x, "top1"))
    rows = [of for of in TIMM if of["family"] in images.RIVALS and of[cost]]
    costs = sorted(float(of[cost]) for of in rows)
    low, high = (np.quantile(costs, share) for share in (1 / 3, 2 / 3))
    for name, least, most in (("lowest", 0, low), ("middle", low, high), ("highest", high, np.inf)):
        own, other = (
            [float(of["top1"]) for of in rows if of["family"] == family and least < float(of[cost]) <= most]
            for family in images.RIVALS
        )
        ahead = median(own) - median(other)
        assert f"{abs(ahead):.1f} points {'ahead' if ahead > 0 else 'behind'}** in the {name} third" in sentence


def test_points_are_said_of_accuracies_alone():
    assert images.rivals(chosen(images.timm(), "parameters", "rtx4090")) == ""


@pytest.mark.parametrize(("x", "y"), [("parameters", "top1"), ("rtx4090", "a"), ("rtx4090", "macs"), ("cpu", "top5")])
def test_the_example_of_a_model_that_is_beaten_is_one(x, y):
    selection = chosen(images.timm(), x, y)
    winner, loser = images.beaten(selection).replace("\\", "").removeprefix("Here *").split("*:")[0].split("* beats *")
    rows = selection.placed.set_index("label")
    for measure in (selection.choices.x, selection.choices.y):
        ahead, behind = rows.loc[winner, measure.column], rows.loc[loser, measure.column]
        assert ahead >= behind if measure.better == "more" else ahead <= behind
    assert tuple(rows.loc[winner, [x, y]]) != tuple(rows.loc[loser, [x, y]])


def test_one_chosen_picture_model_has_a_card_two_a_table_and_an_unknown_address_shows_the_beginning(visit):
    app = visit(PAGE, show="Images", images_chosen=BEST, images_x="Beauty", images_family="poets")
    assert "| Top-1, ImageNet-A | 88.63% |" in prose(app)
    assert "**1,556 of 1,556** results are shown" in prose(app)
    app.multiselect(key="images_chosen").set_value([BEST, "resnet50.a1_in1k, 224 px"])
    text = prose(check(app.run()))
    assert "| Parameters | 305 million | **25.6 million** |" in text
    assert "| Learned from | merged 30M or 38M | ImageNet-1k |" in text
    leaders = visit(PAGE, show="Images", images_table=images.LEADERS)
    assert "**All** of them learned from more than ImageNet-1k" in prose(leaders)
    assert "For 11 of 12 the table has no operations" in prose(leaders)


@pytest.mark.parametrize("name", [name for name in GLUE if GLUE[name] is not PEOPLE])
def test_an_entry_of_glue_is_ahead_of_people_where_the_table_says(name):
    tasks = glue.by_task(compute.glue(), name)
    means = {
        "MRPC": ("MRPC_f1", "MRPC_acc"),
        "STS-B": ("STS-B_pearson", "STS-B_spearman"),
        "QQP": ("QQP_f1", "QQP_acc"),
        "MNLI": ("MNLI-m", "MNLI-mm"),
    }
    gaps = {
        task: round(sum(float(GLUE[name][of]) - float(PEOPLE[of]) for of in means.get(task, (task,))), 6)
        / len(means.get(task, (task,)))
        for task in glue.GLUE_TASKS
    }
    assert dict(zip(tasks.task, tasks.difference, strict=True)) == pytest.approx(gaps)
    sentences = glue.notice(tasks)
    assert f"is ahead of people on **{sum(gap > 0 for gap in gaps.values())} of 9** tasks" in sentences[0]
    assert sentences[1].startswith("Furthest ahead on " if max(gaps.values()) > 0 else "Least behind on ")
    for row in tasks.itertuples():
        of = means.get(row.task, (row.task,))
        human = sum(float(PEOPLE[one]) for one in of)
        ahead = sum(sum(float(other[one]) for one in of) - human > 1e-9 for other in GLUE.values())
        assert row._5 == ahead


def test_an_entry_that_equals_people_is_neither_ahead_nor_behind():
    tasks = glue.by_task(compute.glue(), next(name for name in GLUE if GLUE[name] is not PEOPLE))
    text = " ".join(glue.notice(tasks.assign(difference=0.0)))
    assert "ahead of people on **0 of 9** tasks, equal on" in text
    assert "Furthest" not in text
    assert "Least behind" not in text


def test_ahead_of_people_and_the_correlation_are_counted_over_the_models(visit):
    selection = chosen(glue.entries(), "score", "RTE")
    others = [of for of in GLUE.values() if of is not PEOPLE]
    ahead = sum(float(of["RTE"]) > float(PEOPLE["RTE"]) for of in others)
    r = stats.pearsonr([float(of["score"]) for of in others], [float(of["RTE"]) for of in others]).statistic
    text = plain(glue.about_entries(selection))
    assert f"Ahead of people in *RTE* (93.6): {ahead} of 14 models" in text
    assert f"correlation of **{r:.2f}**" in text
    assert "Every score: GLUE leaderboard" in message_text(visit(PAGE, show="Language"), "caption")


def test_all_that_are_best_in_sentiment_are_named_and_no_front_joins_two_data_sets():
    selection = chosen(language.sentiment(), "percent", "percent")
    rows = [of for of in original("sentiment.csv") if of["dataset"] == "TASS"]
    best = [of["model"] for of in rows if float(of["val_accuracy"]) == max(float(one["val_accuracy"]) for one in rows)]
    assert len(best) == 2
    assert f"**{best[0]}** and **{best[1]}**" in plain(language.about_sentiment(selection))
    assert chosen(language.sentiment()).front.empty
    assert len(chosen(language.sentiment(), only={"language": ("English",)}).front)


def test_sizes_grew_by_their_ratio_and_models_of_one_size_did_not():
    rows = [of for of in original("language_model_sizes.csv") if of["params"]]
    sizes = [float(of["params"]) for of in rows]
    text = plain(language.about_sizes(chosen(language.sizes())))
    assert f"**{max(sizes) / min(sizes):,.0f} times** as many parameters" in text
    table = language.sizes()
    table.rows.loc[:, "parameters"]  # shared with all visitors: a copy is changed
    alike = table.rows.assign(parameters=1e8)
    assert language.about_sizes(chosen(type(table)(**{**vars(table), "rows": alike}))) == ()


def year(of):
    day = date.fromisoformat(of["date"])
    return day.year + (day.timetuple().tm_yday - 1) / 365.25


@pytest.mark.parametrize(
    ("y", "column", "choices"),
    [
        ("training_flops", "training_flops", {}),
        ("parameters", "parameters", {"years": (2012, 2020), "only": {"confidence": ("Confident",)}}),
        ("data", "dataset_size", {"years": (2019, 2025)}),
    ],
)
def test_the_doubling_time_is_that_of_scipys_line_through_what_is_left(y, column, choices):
    selection = chosen(years.table(), "year", y, **choices)
    low, high = choices.get("years", (0, 3000))
    rows = [of for of in NOTABLE if of[column] and low <= int(of["date"][:4]) <= high]
    rows = [of for of in rows if of["confidence"] in choices.get("only", {}).get("confidence", (of["confidence"],))]
    other = stats.linregress([year(of) for of in rows], np.log10([float(of[column]) for of in rows]))
    assert len(selection.placed) == len(rows)
    assert f"every **{years.time(np.log10(2) / other.slope)}**" in plain(years.notice(selection))
    (line,) = years.lines(selection)
    assert np.log10(line.y) == pytest.approx(other.intercept + other.slope * line.x)
    assert years.time(np.log10(2) / other.slope) in line.name
    sure = sum(of["confidence"] == "Confident" for of in rows)
    assert f"**{sure:,} of {len(rows):,}** of these entries" in years.hides(selection)[0]


@pytest.mark.parametrize("values", [[5.0, 5.0, 5.0], [1.0, 100.0, 1.0], [9.0, 3.0, 1.0], [1.0, 3.0, 9.0]])
def test_where_growth_is_not_clear_nothing_is_said_to_double(values):
    fitted = fit_growth(np.array([2000.0, 2001.0, 2002.0]), np.array(values))
    clear = fitted.doubling_interval is not None
    assert clear == (values in ([9.0, 3.0, 1.0], [1.0, 3.0, 9.0]))
    assert ("every" in years.legend(fitted)) == clear
    assert not has_no_number(years.legend(fitted))


def test_notable_models_have_cards_with_links_and_a_sentence_where_no_line_is_fitted(visit):
    app = visit(PAGE, show="By year", years_chosen="Pangu Ultra", years_search="grok-3")
    assert "| Training FLOPs | 1.1\u00a0×\u00a010²⁵ |" in prose(app)
    assert "| Published | 2025-04-10 |" in prose(app)
    assert [element.proto.url for element in app.get("link_button")] == ["https://arxiv.org/abs/2504.07866"]
    assert years.SECTION.text("Conditions of a line") in prose(app)
    app = visit(PAGE, show="By year", years_x="Parameters", years_y="Data points", years_search="no such model")
    assert f"None of the {len(NOTABLE)} models passes these filters" in message_text(app)
