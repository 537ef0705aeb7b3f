"""Read on the page Sentiment: it opens, and each of its sentences is true of what was computed."""

import re
from dataclasses import replace
from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.attribution.token_methods import METHODS
from core.zoo.sentiment_classifiers import REVIEWERS, load_reviewer
from dashboard import typeset
from pages.language.sentiment import compute
from pages.language.sentiment.compute import Sentence, Verdict
from pages.language.sentiment.prose import PAGE as PROSE
from pages.language.sentiment.read_sentences import (
    about_against,
    about_first,
    about_sentences,
    about_unknown,
    about_verdicts,
    shares_of,
    tell,
    word_scores,
)
from pages.language.sentiment.reviews import EXAMPLES, LANGUAGES
from pages.language.sentiment.sentences import cut, places
from tests.core.saved_models import save_text_model
from tests.pages.conftest import check, message_text, prose

PAGE = "language/sentiment"
reviewer = cache(load_reviewer)


def test_the_page_counts_the_networks_of_each_language():
    assert re.findall(r"\d+", PROSE.about) == [str(len(names)) for names in REVIEWERS.values()]


@pytest.mark.parametrize("name", ["english-rnn", "english-cnn", "spanish-encoder"])
def test_the_section_opens_by_its_address(visit, name):
    language = next(title for title, short in LANGUAGES.items() if name.startswith(short))
    app = visit(PAGE, show="Read", model=name, language=language)
    assert app.title[0].value == "Sentiment"
    assert app.get("plotly_chart")
    sentence = next(markdown.value for markdown in app.markdown if "predicts **" in markdown.value)
    assert sentence.startswith(f"**Notice:** **{typeset.plain(load_reviewer(name).title)}** predicts")


def test_a_model_that_gives_no_class_is_refused_in_a_sentence(visit):
    app = visit(PAGE, show="Read", model="gpt-books")
    assert "gives a text no class" in " ".join(message.value for message in (*app.error, *app.warning))
    assert app.get("plotly_chart"), "The page shows its own first model instead."


@pytest.mark.usefixtures("at_home")
def test_a_classifier_of_a_folder_has_bars_words_and_sentences_of_its_own(visit, tmp_path):
    folder = str(save_text_model("bert-classifier", tmp_path))
    app = visit(PAGE, show="Read", model=folder, text="The fox jumps. The dog sleeps.")
    assert "so it is not counted with them." in prose(app)  # its classes are called bad and good
    assert len(app.get("plotly_chart")) == 2
    verdict = compute.verdict(folder, "The fox jumps. The dog sleeps.")
    assert verdict.label in ("bad", "good")
    assert f"predicts **{verdict.label}** ({verdict.probabilities.max():.1%})." in prose(app)
    table = app.dataframe[0].value
    assert table["sentence"].tolist() == ["The fox jumps.", "The dog sleeps."]
    scores = compute.explanation("The fox jumps. The dog sleeps.", folder, "integrated", verdict.target)
    special = sum(score for score, own in zip(scores.tolist(), verdict.tokens.special, strict=True) if own)
    assert sum(table["in the whole"]) == pytest.approx(float(scores.sum()) - special, abs=1e-4)


def test_a_long_text_is_tinted_in_part_and_its_unread_sentences_are_left_out(visit):
    text = "It was dull. " * 400  # 1,600 tokens; the network reads 1,024
    app = visit(PAGE, show="Read", model="english-cnn", text=text)
    assert "The first 600 of 1,024 words are shown here" in message_text(app, "caption")
    table = app.dataframe[0].value
    assert len(table) == 256
    assert (table["verdict"] == "negative").all()


def test_each_explanation_of_the_network_has_its_formula(visit):
    page_text = prose(visit(PAGE, show="Read", model="english-rnn"))
    for name in ("Attention: ", "Gradient × input: ", "Integrated gradients: ", "Occlusion: "):
        assert name in page_text
    assert "Rollout: " not in page_text
    assert "Rollout: " in prose(visit(PAGE, show="Read", model="english-encoder"))


def test_an_empty_text_gets_a_sentence_and_another_one_works_after_it(visit):
    app = visit(PAGE, show="Read")
    app.text_area(key="text").set_value(" ").run()
    assert not app.exception
    check(app.text_area(key="text").set_value("A dull film, and yet I smiled.").run())
    assert app.get("plotly_chart")


SENTENCES = st.lists(
    st.tuples(st.sampled_from(["It was dull", "I loved it", "Who knows", "x"]), st.sampled_from([". ", "! ", "?\n"])),
    min_size=1,
    max_size=6,
)


@given(SENTENCES)
def test_a_text_is_cut_where_its_sentences_end(parts):
    text = "".join(words + end for words, end in parts)
    sentences = cut(text)
    assert "".join(sentences) == text
    assert [sentence.strip() for sentence in sentences] == [words + end.strip() for words, end in parts]


@pytest.mark.parametrize("name", ["english-rnn", "english-bert"])
@given(parts=SENTENCES)
@settings(max_examples=20)
def test_each_token_lies_in_one_sentence(name, parts):
    model = reviewer(name)
    text = "".join(words + end for words, end in parts)
    tokens, sentences = model.encode(text), cut(text)
    spans = places(model.tokenizer, tokens, sentences)
    assert [place for span in spans for place in span] == [n for n, own in enumerate(tokens.special) if not own]
    for sentence, span in zip(sentences, spans, strict=True) if name == "english-rnn" else ():
        assert len(span) == len(model.tokenizer.encode(sentence.rstrip(), add_special_tokens=False).ids)


SCORES = st.lists(st.floats(-3, 3).map(lambda value: round(value, 2)), min_size=1, max_size=12, unique=True)


@given(st.lists(SCORES, min_size=2, max_size=4))
def test_the_words_that_all_put_first_are_counted(rows):
    length = min(map(len, rows))
    scores = {method: torch.tensor(row[:length]) for method, row in zip(METHODS, rows, strict=False)}
    labels = [f" w{place}" for place in range(length)]
    count = 5
    if length <= count:
        assert "nothing to compare" in about_first(scores, labels)
        return
    first = [set(sorted(range(length), key=lambda place: -row[place])[:count]) for row in rows]
    shared = set(range(length)).intersection(*first)
    summary = about_first(scores, labels)
    named = len(set().union(*first))
    assert f" {named} different in all." in summary
    assert (f"**{len(shared)} of {count}** words {'are' if len(shared) > 1 else 'is'} named by all" in summary) == bool(
        shared
    )
    assert ("**No word** is named by all" in summary) == (not shared)
    assert f"share {length * (5 / length) ** len(rows):.1f} of {length} words" in summary
    for place in shared:
        assert f"“w{place}”" in summary


@given(
    st.lists(st.tuples(st.sampled_from(["negative", "neutral", "positive"]), st.floats(-5, 5)), min_size=2, max_size=8)
)
def test_the_sentence_that_adds_most_is_named(rows):
    sentences = [Sentence("x", range(1), label, 0.5) for label, _ in rows]
    shares = [share for _, share in rows]
    summary = about_sentences(sentences, shares, "positive")
    best = shares.index(max(shares))
    if any(abs(abs(share) - 0.05) < 1e-9 for share in shares):
        return
    adds = f"Sentence {best + 1} of {len(rows)} adds most to “positive” ({shares[best]:+.2f} of"
    assert summary.startswith(adds) == (shares[best] > 0.05)
    assert (f"read alone it is {rows[best][0]}." in summary) == (shares[best] > 0.05)
    others = [label for label, _ in rows if label != "positive"]
    assert f"**{len(others)} of {len(rows)}** sentences read alone are not positive" in summary
    apart = sum(share < -0.05 if label == "positive" else share > 0.05 for label, share in rows)
    assert f"; for {apart}, the prediction for the sentence alone" in summary


@cache
def verdict_of(name: str) -> Verdict:
    model = reviewer(name)
    return Verdict(model, model.encode("a film"), torch.tensor([0.5, 0.5]), 0.0, identity=name)


def with_classes(verdict: Verdict, classes: tuple[str, ...], probabilities: list[float]) -> Verdict:
    model = replace(verdict.model, classes=classes)
    return replace(verdict, model=model, probabilities=torch.tensor(probabilities))


CLASSES = ("negative", "positive")


@given(st.lists(st.integers(1, 999).filter(lambda part: part != 500), min_size=3, max_size=3))
def test_who_agrees_and_who_is_least_sure_is_counted(parts):
    names = ("english-rnn", "english-cnn", "english-encoder")
    shares = [part / 1000 for part in parts]
    verdicts = [with_classes(verdict_of(name), CLASSES, [1 - p, p]) for name, p in zip(names, shares, strict=True)]
    summary = about_verdicts(verdicts, names[0], CLASSES)
    first = "positive" if shares[0] > 0.5 else "negative"
    assert summary.startswith(f"**{typeset.plain(reviewer(names[0]).title)}** predicts **{first}** (")
    praise = sum(share > 0.5 for share in shares)
    if praise in (0, 3):
        sure = sorted(max(share, 1 - share) for share in shares)
        assert "All 3 agree" in summary
        assert f"{sure[0]:.1%}" in summary.rpartition("the least sure ")[2]
        if abs(sure[1] - sure[0] - 0.01) > 1e-6:
            assert ("the least sure is " in summary) == (sure[1] - sure[0] > 0.01)
    else:
        assert f"{max(praise, 3 - praise)} of 3 predict {'positive' if praise > 1 else 'negative'}." in summary


def test_a_class_is_known_by_its_name_however_it_is_written_and_wherever_it_stands():
    ours = with_classes(verdict_of("english-rnn"), CLASSES, [0.9, 0.1])
    theirs = with_classes(verdict_of("english-cnn"), ("POSITIVE", "NEGATIVE"), [0.2, 0.8])
    assert shares_of(theirs, CLASSES).tolist() == pytest.approx([0.8, 0.2])
    assert "Both agree" in about_verdicts([ours, theirs], "english-cnn", CLASSES)
    other = with_classes(verdict_of("english-cnn"), CLASSES, [0.2, 0.8])
    assert "no side is larger" in about_verdicts([ours, other], "english-cnn", CLASSES)  # one against one
    stars = with_classes(verdict_of("english-cnn"), ("1 star", "5 stars"), [0.2, 0.8])
    assert shares_of(stars, CLASSES) is None
    summary = about_verdicts([ours, stars], "english-cnn", CLASSES)
    assert "predicts **5 stars**" in summary
    assert summary.endswith("so it is not counted with them.")  # and one alone agrees with nobody


@given(
    st.lists(st.tuples(st.integers(-99, 99), st.integers(1, 99)), min_size=1, max_size=8, unique_by=lambda row: row[0])
)
def test_the_words_that_speak_against_are_counted_with_their_attention(rows):
    scores = {
        "attention": torch.tensor([float(weight) for _, weight in rows]),
        "integrated": torch.tensor([float(score) for score, _ in rows]),
    }
    summary = about_against(scores, [f" w{place}" for place in range(len(rows))], "positive")
    against = [(score, weight, place) for place, (score, weight) in enumerate(rows) if score < 0]
    assert ("no word counts against" in summary) == (not against)
    if against:
        assert f"{len(against)} of {len(rows)} word" in summary
        assert f"“w{min(against)[2]}” most." in summary
        share = sum(weight for _, weight, _ in against) / sum(weight for _, weight in rows)
        percent = int(summary.partition("**")[2].partition("%")[0])
        assert abs(percent - 100 * share) < 0.51
        assert f"uniform attention would give {len(against) / len(rows):.0%}" in summary


def test_the_table_of_words_holds_every_explanation():
    table = word_scores({"attention": torch.tensor([0.25, 0.75]), "occlusion": torch.tensor([-1.0, 2.0])}, ["a", " b"])
    assert table == {"word": ["a", "b"], "Attention": [0.25, 0.75], "Occlusion": [-1.0, 2.0]}


def test_a_word_is_told_with_its_score_and_its_side():
    assert (
        tell(" dull", -0.5, "occlusion", "positive")
        == "“dull” counts against “positive” by occlusion: -0.500 of the log-odds."
    )
    assert "neither for nor against" in tell(" dull", 0.0, "occlusion", "positive")
    assert tell(" dull", 0.25, "attention", "positive") == "“dull” gets 25.0% by attention."


def test_there_are_examples_for_every_language():
    assert set(EXAMPLES) == set(REVIEWERS) == set(LANGUAGES.values())


def test_what_the_page_shows_at_first_has_been_computed_by_the_warm_up():
    compute.warm_up()
    text, names = next(iter(EXAMPLES["english"].values())), tuple(REVIEWERS["english"])
    first = compute.verdict.peek(names[0], text)
    assert first is not None
    assert all(compute.verdict.peek(name, text) for name in names)
    for method in compute.methods(names[0]):
        assert compute.explanation.peek(text, names[0], method, first.target) is not None


@given(st.integers(0, 9), st.integers(0, 9))
def test_words_that_a_network_does_not_know_are_counted(unknown, known):
    remark = about_unknown(unknown, unknown + known, "[UNK]")
    assert bool(remark) == bool(unknown)
    if unknown + known > 1 and unknown:
        assert f" {unknown} of {unknown + known} are words unknown to it" in remark


def test_a_network_of_words_says_so_of_another_script_and_one_of_pieces_need_not(visit):
    for name, says in (("english-rnn", True), ("english-bert", False)):
        app = visit(PAGE, show="Read", model=name, text="שלום, what a dull film 😍")
        assert any("never learned: 2 of 7 are words unknown" in caption.value for caption in app.caption) == says
