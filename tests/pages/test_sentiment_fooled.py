"""Fooled on the page Sentiment: it opens, a named model reads the checklist, and its sentences are true."""

import re
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.sentiment.behavioural_tests import KINDS, BehaviouralTestResult, pairs_of
from core.zoo.sentiment_classifiers import REVIEWERS
from dashboard.theme import PALETTES, Look
from pages.language.sentiment import compute_fooled, fooled, fooled_own
from pages.language.sentiment import fooled_sentences as sentences
from pages.language.sentiment.figures_fooled import Move, Span, moves, rates
from pages.language.sentiment.fooled import change, pairs_table, rates_table
from pages.language.sentiment.fooled_names import marked, short
from tests.core.saved_models import save_text_model
from tests.pages.conftest import check, message_text, prose

PAGE = "language/sentiment"
open_section = partial(dict, show="Fooled")
LOOK = Look(PALETTES["light"])


@pytest.mark.parametrize(("language", "kind"), [("English", "Contrast"), ("Spanish", "Intensity")])
def test_the_section_opens_by_its_address(visit, language, kind):
    app = visit(PAGE, **open_section(language=language, fooled_kind=kind, fooled_page="1"))
    assert not app.warning
    assert f"**{kind}**:" in prose(app)
    table = app.table[0].value
    assert len(table) == 10
    assert len(table.columns) == 2 + len(REVIEWERS[language.lower()])
    assert "moves the wrong way by more than 5%" in message_text(app, "caption") or kind != "Intensity"


def test_pairs_on_which_nobody_fails_are_left_out_on_demand(visit):
    app = visit(PAGE, **open_section(fooled_kind="Names swapped", fooled_only=fooled.FAILED))
    for table in app.table:
        assert all("✗" in " ".join(row) for row in table.value.astype(str).to_numpy())


def test_an_own_pair_is_read_by_all_and_an_empty_text_gets_one_sentence(visit):
    app = visit(PAGE, **open_section(fooled_before="A <b>good</b> *film*.", fooled_after="A <b>good</b> *film*."))
    assert "**No model** changes its prediction between the two texts: all 5 stay." in prose(app)
    check(app.text_input(key="fooled_after").set_value(" ").run())
    assert "There is no text here yet" in message_text(app)
    check(app.text_input(key="fooled_after").set_value("Awful, dull, bad and boring.").run())
    check(app.text_input(key="fooled_before").set_value("A wonderful, brilliant film.").run())
    assert not app.warning
    assert "models change their prediction" in prose(app)


def test_an_example_follows_the_language_and_an_own_pair_stays(visit):
    app = visit(PAGE, **open_section())
    check(app.segmented_control(key="language").set_value("Spanish").run())
    assert app.text_input(key="fooled_before").value == next(iter(fooled_own.EXAMPLES["spanish"].values()))[0]
    check(app.text_input(key="fooled_before").set_value("Qué tal").run())
    check(app.segmented_control(key="language").set_value("English").run())
    assert app.text_input(key="fooled_before").value == "Qué tal"


@pytest.mark.usefixtures("at_home")
def test_a_named_classifier_reads_the_checklist_on_demand(visit, tmp_path):
    folder = str(save_text_model("bert-classifier", tmp_path / "mine"))
    app = visit(PAGE, **open_section(model=folder))
    captions = message_text(app, "caption")
    assert "has not read the checklist yet: 690 pairs" in captions
    assert "are not called negative and positive" in captions
    assert app.button(key="fooled_run")  # an AppTest cannot click while a folder is chosen: it is on no list
    counted = compute_fooled.checklist(folder, "english")
    app = visit(PAGE, **open_section(model=folder))
    assert "has not read" not in message_text(app, "caption")
    assert {one.kind for one in counted} == set(KINDS) - {"intensity"}
    assert "mine" in app.table[0].value.columns


def test_work_that_is_stopped_keeps_the_kinds_that_were_read():
    class StoppedError(Exception):
        pass

    def stop(done: int, _total: int) -> None:
        if done == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        compute_fooled.checklist("english-encoder", "english", progress=stop)
    assert compute_fooled.reading.peek("english-encoder", "english", "negated") is not None
    assert compute_fooled.checklist.peek("english-encoder", "english") is None


def test_a_model_that_gives_no_class_is_refused_in_a_sentence(visit):
    assert "gives a text no class" in message_text(visit(PAGE, **open_section(model="gpt-books")))


# What it says.

FOUND = st.builds(
    BehaviouralTestResult,
    kind=st.just("contrast"),
    test=st.sampled_from(["a", "b"]),
    should=st.sampled_from(["change", "stay"]),
    pairs=st.just(20),
    failed=st.integers(0, 20),
    right=st.integers(0, 40),
    unread=st.sampled_from([0.0, 0.1]),
)
COUNTED = st.dictionaries(st.sampled_from(["A", "B", "C"]), st.lists(FOUND, min_size=2, max_size=2), min_size=1)


@given(COUNTED)
def test_who_fails_most_and_least_is_named(counted):
    text = sentences.about_kind("Contrast", counted)
    failed = {name: sum(one.failed for one in tests) for name, tests in counted.items()}
    if len(set(failed.values())) == 1:
        assert f"on {failed.popitem()[1]} of 40 pairs" in text
        return
    most, least = re.search(r"(\w) fails most, on (\d+) of 40 pairs .*?; (\w) least", text).group(1, 3)
    assert failed[most] == max(failed.values())
    assert failed[least] == min(failed.values())


@given(COUNTED)
def test_what_a_stubborn_model_would_do_is_counted(counted):
    text = sentences.about_stubborn(counted)
    shoulds = [one.should for one in next(iter(counted.values()))]
    expected = {0: "fail on none of these 40 pairs", 1: "fail on 20 of 40 pairs", 2: "fail on all 40 pairs"}
    assert expected[shoulds.count("change")] in text
    if shoulds.count("change") == 1:  # 20 of 40 pairs: two standard errors of a difference are 9 pairs or so
        failed = [sum(one.failed for one in tests) for tests in counted.values()]
        more, fewer = map(int, re.search(r"(\d+) of \d+ models fail on more and (\d+) on fewer", text).groups())
        assert sum(count >= 30 for count in failed) <= more <= sum(count > 28 for count in failed)
        assert sum(count <= 10 for count in failed) <= fewer <= sum(count < 12 for count in failed)


def test_models_that_read_nothing_are_not_compared():
    assert "No model" in sentences.about_kind("Contrast", {})
    assert "cannot be compared" in sentences.about_sides(
        {"A": [BehaviouralTestResult("names", "b", "stay", 20, 3, None, 0.0)]}
    )


@pytest.mark.parametrize(("first", "second", "named"), [(70, 62, False), (70, 40, True), (60, 60, False)])
def test_a_model_gets_more_sentences_right_only_beyond_two_standard_errors(first, second, named):
    counted = {
        name: [BehaviouralTestResult("negation", "a", "change", 40, 10, right, 0.0)]
        for name, right in (("Worse", second), ("Better", first))
    }
    assert ("by Better, and" in sentences.about_right(counted)) == named


@given(COUNTED)
def test_right_sentences_and_unknown_words_are_shares_of_all(counted):
    shares = sorted({sum(one.right for one in tests) / 80 for tests in counted.values()})
    text = sentences.about_right(counted)
    assert f"{shares[-1]:.0%}" in text
    assert f"{shares[0]:.0%}" in text
    unread = {name: np.mean([one.unread for one in tests]) for name, tests in counted.items()}
    sentence = sentences.about_unread(counted)
    if max(unread.values()) == 0:
        assert sentence is None
    else:
        assert f"{max(unread.values()):.1%} by" in sentence
        assert f"{sum(share == 0 for share in unread.values())} of {len(unread)}" in sentence


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=4))
def test_keeping_and_losing_one_s_mind_are_compared_model_by_model(failures):
    counted = {
        f"m{number}": [
            BehaviouralTestResult("negation", "a", "change", 20, change, None, 0.0),
            BehaviouralTestResult("names", "b", "stay", 20, stay, None, 0.0),
        ]
        for number, (change, stay) in enumerate(failures)
    }
    sentence = sentences.about_sides(counted)
    stubborn, of, fickle = map(int, re.search(r"\*\*(\d+) of (\d+)\*\* err .*?, (\d+) by changing", sentence).groups())
    # Of 20 pairs each a difference of 4 is never clear, one of 7 always.
    assert sum(change - stay >= 7 for change, stay in failures) <= stubborn
    assert stubborn <= sum(change - stay > 3 for change, stay in failures)
    assert sum(stay - change >= 7 for change, stay in failures) <= fickle
    assert fickle <= sum(stay - change > 3 for change, stay in failures)
    assert of == len(failures)
    assert sentences.about_right(counted) is None


def test_a_baseline_is_only_beaten_where_intervals_lie_apart():
    tests = {"TF-IDF": 50, "low": 10, "near": 45, "high": 95}
    counted = {
        name: [BehaviouralTestResult("negation", "a", "change", 100, failed, None, 0.0)]
        for name, failed in tests.items()
    }
    text = sentences.about_baseline(counted, "TF-IDF")
    assert text.endswith("do not overlap: low. Clearly more often: high.")
    assert sentences.about_baseline(counted, "another") is None


@given(st.dictionaries(st.sampled_from("ABCD"), st.booleans(), min_size=1))
def test_whoever_changed_its_mind_is_named(changed):
    text = sentences.about_own(changed)
    count = sum(changed.values())
    if count == 0:
        assert text.startswith("**No model**")
    elif count == len(changed):
        assert f"All {count}" in text
    else:
        before, after = text.split("Unchanged:")
        assert all((name in after.replace(".", "")) != moved for name, moved in changed.items())
        assert f"**{count} of {len(changed)}**" in before


# What it shows.


def test_a_changed_place_is_marked_and_nothing_a_visitor_writes_is_markdown():
    assert marked("It is bad", "It is not bad") == "It is **not** bad"
    assert marked("The old film", "The new film") == "The ~~old~~ **new** film"
    assert marked("Good", "<b>*Good*</b>").count("\\<") == 2
    assert marked("", "") == ""


def spaced(read: torch.Tensor, classes: tuple[str, ...]) -> str:
    return change(read, classes).replace("\u00a0", " ")


def test_both_verdicts_stand_in_a_cell():
    read = torch.tensor([[0.1, 0.9], [0.8, 0.2]])
    assert spaced(read, ("negative", "positive")) == "pos 90% → neg 80%"
    assert spaced(read, ("bad*", "good")) == "good 90% → bad\\* 80%"
    assert spaced(read[:1].repeat(2, 1), ("negative", "positive")) == "pos 90% → 90%"


def test_a_named_model_never_takes_the_name_of_one_of_ours():
    assert short("english-bert") == "BERT"
    assert short("spanish-tfidf-logistic") == "TF-IDF"
    assert short("someone/reviews") == "reviews"
    assert short("/models/BERT") == "/models/BERT"


def test_tables_hold_every_pair_and_every_test():
    counted = {short(name): tests for name, tests in compute_fooled.measured("spanish").items()}
    table = rates_table(counted)
    assert len(table) == sum(map(len, counted.values()))
    assert (table["from"] <= table["share"]).all()
    assert (table["share"] <= table["to"]).all()
    pairs = pairs_of("spanish")[:4]
    wide = pairs_table(pairs, {"m": torch.eye(2).expand(4, 2, 2)}, {"m": ("no", "yes")})
    assert wide["m, before"].tolist() == ["no"] * 4
    assert wide["m, after"].tolist() == ["yes"] * 4


def test_figures_show_each_row_and_read_no_markup():
    figure = rates((Span("<b>x", 0.5, 0.4, 0.7, "half"),), look=LOOK, x="share")
    (trace,) = figure.data
    assert (trace.error_x.array[0], trace.error_x.arrayminus[0]) == pytest.approx((0.2, 0.1))
    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;x",)
    figure = moves((Move("a", 0.9, 0.2, "fell"), Move("b", 0.1, 0.3, "rose")), look=LOOK, x="positive")
    assert [list(trace.x) for trace in figure.data[1:]] == [[0.9, 0.1], [0.2, 0.3]]
