"""Missing word, Grammar: arcs, relations and heads, a visitor's treebank, and every sentence worked out otherwise."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from core.probing.grammar.relations import DIRECTIONS, TO_DEPENDENT, TO_GOVERNOR, BestHead, Measured
from core.probing.grammar.trees import ROOT, Tree
from core.results import grammar_heads
from core.text import Tokens
from dashboard import typeset
from dashboard.cache import memo
from dashboard.cache.upload import Upload
from dashboard.contents import ROOT as PROJECT
from dashboard.inputs import uploads
from dashboard.theme import DARK, LIGHT, Look
from pages.language.missing_word import compute_grammar, grammar, grammar_arcs, grammar_relations
from pages.language.missing_word.compute_grammar import EXAMPLES, Reading
from pages.language.missing_word.figures_grammar import Arc, Dot, arcs, relation_dots
from pages.language.missing_word.grammar_arcs import Drawn
from pages.language.missing_word.inputs import SENTENCE
from pages.language.missing_word.relation_names import NAMES
from tests.core.saved_models import save_text_model
from tests.pages.conftest import FRAME, check, message_text, prose

PAGE = "language/missing_word"
LOOK = Look(LIGHT)
NO_TOKENS = Tokens((), (), (), ())


def treebank(sentences: int) -> bytes:
    """The annotated sentences again and again, as CoNLL-U."""
    rows = []
    for number in range(sentences):
        tree = EXAMPLES[number % len(EXAMPLES)]
        for place, (word, governor, relation) in enumerate(
            zip(tree.words, tree.governors, tree.relations, strict=True), 1
        ):
            rows.append(f"{place}\t{word}\t_\t_\t_\t_\t{governor + 1}\t{relation}\t_\t_")
        rows.append("")
    return "\n".join(rows).encode()


def charts(app) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def test_the_section_opens_and_draws_what_the_first_heads_say(visit):
    app = visit(PAGE, show="Grammar")
    drawn, dots = charts(app)
    assert "How it is computed" in [element.value for element in app.subheader]
    assert drawn["layout"]["xaxis"]["ticktext"][:4] == SENTENCE.split()[:4]
    assert len(dots["layout"]["yaxis"]["ticktext"]) > 15
    assert grammar.SECTION.text("Unknown tree") in message_text(app, "caption")
    assert "BERT-base on another treebank" in message_text(app, "caption")
    assert not app.warning


def test_an_address_leads_to_an_annotated_sentence_and_to_chosen_relations(visit):
    tree = EXAMPLES[2]
    app = visit(
        PAGE, show="Grammar", grammar_from="annotated", grammar_example=tree.text, grammar_direction=TO_DEPENDENT,
        grammar_least="0",
    )  # fmt: skip
    drawn, _ = charts(app)
    assert drawn["layout"]["xaxis"]["ticktext"] == list(tree.words)
    assert any(trace.get("yaxis") == "y2" for trace in drawn["data"])
    assert app.segmented_control(key="grammar_direction").value == TO_DEPENDENT
    assert grammar.SECTION.text("Tree") in message_text(app, "caption")
    assert "The tree has" in prose(app)


def test_made_up_addresses_and_long_and_empty_texts_get_a_sentence_or_an_answer(visit):
    odd = {"grammar_from": "x", "grammar_heads": "", "grammar_sentence": "99", "grammar_relation": "nothing"}
    assert len(charts(visit(PAGE, show="Grammar", **odd))) == 2
    assert "There is no text here yet" in message_text(visit(PAGE, show="Grammar", text=" "))
    assert "A link needs two words" in message_text(visit(PAGE, show="Grammar", text="Alone"))
    app = visit(PAGE, show="Grammar", text="word " * 3_000)
    assert "the first 100 of 3,000 words" in message_text(app, "caption")
    assert app.number_input(key="grammar_part").value == 0
    app = visit(PAGE, show="Grammar", text="<b>猫</b> 👩‍👩‍👧 и 猫猫 $x$. Second one here!")
    assert len(charts(app)) == 2
    assert app.number_input(key="grammar_sentence").value == 0


def test_the_projector_shows_the_figures_without_prose(visit):
    app = visit(PAGE, show="Grammar", present="1")
    for sentence in (grammar.SECTION.text("Unknown tree"), "Measured on"):
        assert sentence in message_text(app, "caption")
    assert "How it is computed" not in [element.value for element in app.subheader]
    assert len(charts(app)) == 2


@pytest.mark.usefixtures("at_home")
def test_a_model_that_nobody_has_measured_shows_one_head_and_is_measured_on_a_treebank(visit, tmp_path):
    name = str(save_text_model("bert", tmp_path))
    text = "The lazy dog jumps over the fox."
    app = visit(PAGE, show="Grammar", model=name, text=text)
    assert "has not been measured here" in message_text(app)
    assert len(charts(app)) == 1
    assert app.number_input(key="grammar_layer").value == 0
    app = opened_with(treebank(80), model=name, text=text)
    assert "Your treebank: 80 sentences" in message_text(app, "caption")
    assert app.button(key="grammar_measure")
    reports = []
    upload = memo.store_upload(treebank(80))
    measured = compute_grammar.measure(name, upload, lambda done, total: reports.append((done, total)))
    assert reports == [(done, 80) for done in range(80)]
    assert (measured.chosen_in, measured.tried_in) == (40, 40)
    app = opened_with(treebank(80), model=name, text=text)
    assert "Measured on your file" in message_text(app, "caption")
    assert len(charts(app)) == 2


def opened_with(content: bytes, **query: str) -> AppTest:
    """The section as somebody sees it who has given this treebank."""
    app = AppTest.from_string(FRAME.format(page=PROJECT / "pages" / PAGE / "page.py"), default_timeout=60)
    for name, value in ({"show": "Grammar"} | query).items():
        app.query_params[name] = value
    file = uploads._StoredFile(memo.store_upload(content).identity, "own.conllu")
    app.session_state[f"{grammar.TREEBANK} given"] = file
    return check(app.run())


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"not a treebank", "Line 1 of this file has 1 columns"), (treebank(3), "This file has 3 sentences, and 40")],
)
def test_a_file_that_is_none_or_too_small_is_one_sentence(content, sentence):
    app = opened_with(content)
    if b"not" not in content:
        app.button(key="grammar_measure").click().run()
    assert sentence in message_text(app, "warning")
    assert not app.exception


def test_too_few_sentences_are_refused_before_anything_is_read():
    with pytest.raises(InputError, match="40 are the fewest"):
        compute_grammar.measure("gpt-books", Upload(treebank(39)))


def test_the_annotated_sentences_are_trees():
    assert len(EXAMPLES) >= 8
    for tree in EXAMPLES:
        assert tree.governors.count(ROOT) == 1
        assert set(tree.relations) <= set(NAMES) | {"root", "punct"}
        for word in range(len(tree.words)):
            steps = 0
            while word != ROOT:
                word, steps = tree.governors[word], steps + 1
                assert steps <= len(tree.words)


def test_every_relation_of_the_table_is_said_in_plain_words():
    relations = {best.relation for of in grammar_heads().values() for best in of.heads if best.cases >= 30}
    for relation in relations:
        assert grammar_relations.titled(relation) != relation


@given(text=st.text(alphabet="ab.!?。\n ", min_size=1))
def test_sentences_hold_all_of_the_text_but_spaces(text):
    sentences = grammar.sentences_of(text)
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence.strip() == sentence != "" for sentence in sentences)


def test_sentences_end_at_marks_and_lines():
    assert grammar.sentences_of("One. Two!\nThree? 猫。狗。 1.5 m") == [
        "One.",
        "Two!",
        "Three?",
        "猫。",
        "狗。",
        "1.5 m",
    ]
    assert grammar.shortened("a " * 300) == " ".join("a" * 100)
    assert len(grammar.shortened("a" * 9_000)) == 600


# What is drawn, and what is said of it.


@st.composite
def readings(draw):
    """A random tree and what one head looks at in it."""
    size = draw(st.integers(2, 9))
    order = draw(st.permutations(range(size)))
    governors = [ROOT] * size
    for place in range(1, size):
        governors[order[place]] = order[draw(st.integers(0, place - 1))]
    labels = tuple("root" if of == ROOT else draw(st.sampled_from(["det", "obj", "punct"])) for of in governors)
    tree = Tree(tuple(f"w{word}" for word in range(size)), tuple(governors), labels, "")
    looked = [draw(st.sampled_from([-1, *(other for other in range(size) if other != word)])) for word in range(size)]
    weight = [draw(st.floats(0, 1)) for _ in range(size)]
    reading = Reading(tree.words, ((3, 1),), np.array([looked]), np.array([weight]), NO_TOKENS)
    direction = draw(st.sampled_from([*DIRECTIONS, ""]))
    return reading, tree, Drawn("x", (3, 1), draw(st.sampled_from(["det", "obj"])) if direction else "", direction)


@settings(deadline=None)
@given(case=readings(), least=st.sampled_from([0.0, 0.3]))
def test_arcs_are_the_strong_links_and_solid_where_the_tree_has_them(case, least):
    reading, tree, drawn = case
    links = grammar_arcs.arcs_of(reading, [drawn], tree, least)
    strong = [(w, o) for w, o in enumerate(reading.attended_words[0]) if o >= 0 and reading.weight[0, w] >= least]
    assert [(arc.start, arc.end) for arc in links] == strong
    for arc in links:
        up = (arc.start, arc.end, tree.relations[arc.start]) in [*tree.links, *puncts(tree)]
        down = (arc.end, arc.start, tree.relations[arc.end]) in [*tree.links, *puncts(tree)]
        if drawn.direction == TO_GOVERNOR:
            expected = up and tree.relations[arc.start] == drawn.relation
        elif drawn.direction == TO_DEPENDENT:
            expected = down and tree.relations[arc.end] == drawn.relation
        else:
            expected = up or down
        assert arc.sure == expected
        assert f"“w{arc.start}” attends most to “w{arc.end}”" in arc.tell
        assert ("as in the tree" in arc.tell) == expected
    sentence = grammar_arcs.about_shown(links, [drawn], tree)
    if not links:
        assert sentence == "**No link** is strong enough to be drawn."
        return
    numbers = [int(number) for number in re.findall(r"\d+", sentence)]
    assert numbers[:3] == [len(links), sum(abs(a.start - a.end) == 1 for a in links), sum(a.sure for a in links)]
    if drawn.relation:
        cases = [link for link in tree.links if link[2] == drawn.relation]
        pairs = {(arc.start, arc.end) for arc in links if arc.sure}
        reached = sum((d, g) in pairs or (g, d) in pairs for d, g, _ in cases)
        assert numbers[3:] == [reached, len(cases)]
    assert all(arc.sure for arc in grammar_arcs.arcs_of(reading, [drawn], None, 0))


def puncts(tree):
    return [(w, g, r) for w, (g, r) in enumerate(zip(tree.governors, tree.relations, strict=True)) if r == "punct"]


def test_the_tree_is_drawn_from_governors_to_dependents():
    tree = EXAMPLES[0]
    links = grammar_arcs.tree_arcs(tree, [Drawn("det to governor", (0, 0), "det", TO_GOVERNOR)])
    assert [(arc.end, arc.start) for arc in links] == [link[:2] for link in tree.links]
    assert [arc.group == "det to governor" for arc in links] == [link[2] == "det" for link in tree.links]
    assert links[0].tell == "“The” depends on “man” as det: article, determiner"


def best(relation="det", direction=TO_GOVERNOR, share=0.5, offset_share=0.3, **other):
    usual = {"head": (1, 0), "chosen_share": share, "offset": 1, "cases": 100, "earlier": 0.0}
    by_head = (((0, 0), 0.1), ((1, 0), share), ((1, 1), 0.0))
    return BestHead(
        **{"relation": relation, "direction": direction, "share": share, "offset_share": offset_share}
        | {"by_head": by_head} | usual | other
    )  # fmt: skip


shares = st.floats(0, 1).map(lambda value: round(value, 3))
bests = st.builds(
    best, relation=st.sampled_from(["det", "obj", "nsubj", "cc", "x:y", "`a`*"]), direction=st.sampled_from(DIRECTIONS),
    share=shares, offset_share=shares, chosen_share=shares, cases=st.integers(1, 500), earlier=shares,
    head=st.sampled_from([(0, 0), (1, 0), (1, 1)]), offset=st.sampled_from([-2, -1, 1, 3]),
)  # fmt: skip
tables = st.lists(bests, min_size=1, max_size=8, unique_by=lambda row: (row.relation, row.direction)).map(
    lambda rows: Measured(tuple(rows), True, 10, 20)
)


@given(measured=tables, direction=st.sampled_from([grammar_relations.BETTER, *DIRECTIONS]))
def test_rows_are_chosen_where_heads_were_chosen_and_sorted_by_gain(measured, direction):
    rows = grammar_relations.rows_of(measured, direction)
    gains = [row.share - row.offset_share for row in rows.values()]
    assert gains == sorted(gains, reverse=True)
    for relation in {row.relation for row in measured.heads}:
        able = [row for row in measured.heads if row.relation == relation and row.cases >= 30]
        able = [row for row in able if direction in (grammar_relations.BETTER, row.direction)]
        assert (relation in rows) == bool(able)
        if able:
            assert rows[relation].chosen_share == max(row.chosen_share for row in able)


@given(measured=tables)
def test_sentences_about_the_shares_are_true_of_them(measured):
    rows = grammar_relations.rows_of(measured, grammar_relations.BETTER)
    if rows:
        sentence = grammar_relations.about_gains(rows)
        clear = sum(grammar_relations.is_clear(row) for row in rows.values())
        assert f"**{clear} of {len(rows)}** relations" in sentence
    if rows and max(row.gain for row in rows.values()) > 0:
        most = next(row for row in rows.values() if f"“{typeset.plain(row.relation)}” {row.direction}:" in sentence)
        assert most.gain == max(row.gain for row in rows.values())
        assert f"**{most.share:.0%}** of {most.cases:,} cases" in sentence
        named, count = re.search(r"Layers? ([\d, ]+) ha(?:s|ve each) the best heads of (\d+)", sentence).groups()
        layers = [row.head[0] for row in rows.values()]
        most_of_all = [layer for layer in sorted(set(layers)) if layers.count(layer) == int(count)]
        assert most_of_all == list(map(int, named.split(", ")))
        assert int(count) == max(map(layers.count, layers))
    for direction in DIRECTIONS:
        own = [row for row in measured.heads if row.direction == direction]
        sentence = " ".join(grammar_relations.about_ahead(measured))
        if own:
            later = np.average([1 - row.earlier for row in own], weights=[row.cases for row in own])
            assert f"**{later:.0%}** of {sum(row.cases for row in own):,} cases {direction}" in sentence
    assert grammar_relations.about_ahead(Measured(measured.heads, False, 1, 1)) == ()


@pytest.mark.parametrize(
    ("share", "fixed", "cases", "is_clear"),
    [
        (0.36, 0.3, 30, False),  # six points of thirty cases are two cases
        (0.36, 0.3, 3000, True),
        (0.33, 0.3, 30_000, False),  # sure, but less than five points
        (0.2, 0.4, 3000, False),
    ],
)
def test_a_head_beats_a_distance_by_points_and_by_standard_errors(share, fixed, cases, is_clear):
    assert grammar_relations.is_clear(best(share=share, offset_share=fixed, cases=cases)) == is_clear


def test_no_head_is_praised_where_a_fixed_distance_finds_as_much():
    sentence = grammar_relations.about_gains({"det": best(share=0.3, offset_share=0.3)})
    assert "**0 of 1** relations" in sentence
    assert "gains most" not in sentence


@given(measured=tables)
def test_the_relations_drawn_at_first_have_a_head_each_and_are_the_most_telling_of_it(measured):
    rows = grammar_relations.rows_of(measured, grammar_relations.BETTER)
    chosen = grammar_relations.of_several_heads(rows)
    clear = [row for row in rows.values() if row.cases >= 300 and row.gain >= 0.05]
    assert sorted(rows[relation].head for relation in chosen if clear) == sorted({row.head for row in clear})
    for relation in chosen:
        same = [row for row in clear or rows.values() if row.head == rows[relation].head or not clear]
        assert rows[relation].gain * rows[relation].cases == max(row.gain * row.cases for row in same)


def test_published_shares_stand_only_beside_the_same_direction():
    up, down = best(share=0.95), best(direction=TO_DEPENDENT, share=0.95)
    (sentence,) = grammar_relations.about_published({"det": up})
    assert "for 1 of these relations" in sentence
    assert "larger share in 0 of them and a smaller one in 0" in sentence  # 95 of 100 cases beside 94.3 %
    (sentence,) = grammar_relations.about_published({"det": best(share=0.97, cases=3000)})
    assert "larger share in 1 of them" in sentence
    (sentence,) = grammar_relations.about_published({"det": best(share=0.5)})
    assert "smaller one in 1" in sentence
    assert grammar_relations.about_published({"det": down}) == ()
    assert grammar_relations.about_published({"cc": best("cc")}) == ()
    frame = grammar_relations.relations_table([(up, 0.943), (down, None)])
    assert frame["BERT-base (Clark et al.)"].isna().tolist() == [False, True]


def test_the_sentence_of_a_dot_says_distance_and_what_comes_later():
    dot = grammar_relations.dot_of(best(offset=-2, earlier=0.25), None)
    assert "always 2 words back: 30%" in dot.tell
    assert "in 75% of them the other word comes later" in dot.tell
    assert "BERT" not in dot.tell


def test_the_map_holds_every_head_and_hatches_what_is_none():
    values, layers = grammar_relations.grid_of(best())
    assert layers == [0, 1]
    np.testing.assert_allclose(values, [[0.1, np.nan], [0.5, 0.0]])


# Figures.


@pytest.mark.parametrize("look", [LOOK, Look(DARK, letters=20, presented=True)])
def test_an_arc_joins_its_words_and_its_arrow_stands_at_the_end(look):
    above = [Arc(0, 3, "a", "one"), Arc(2, 1, "b", "<b>two</b>", 0.9, sure=False)]
    figure = arcs(
        ["w", "<x>", "y", "z"], above, [Arc(3, 0, "a", "three")], hues={"a": "#000", "b": "#fff"}, look=look, height=300
    )
    lines = [trace for trace in figure.data if trace.mode == "lines" and trace.x[0] is not None]
    ends = {trace.legendgroup + trace.yaxis: (round(trace.x[0]), round(trace.x[-2])) for trace in lines}
    assert ends == {"ay": (0, 3), "by": (2, 1), "ay2": (3, 0)}
    assert [trace.line.dash for trace in lines] == ["solid", "dot", "solid"]
    arrows = [round(float(x)) for trace in figure.data if trace.marker.symbol for x in trace.x]
    assert arrows == [3, 1, 0]
    assert figure.layout.xaxis.ticktext == ("w", "&lt;x&gt;", "y", "z")
    assert all("<b>" not in (text or "") for trace in figure.data for text in (trace.text or ()))
    assert max(value for trace in lines for value in trace.y if value is not None) <= 1.0


def test_without_arcs_the_words_stand_alone():
    figure = arcs(["a", "b"], [], None, hues={}, look=LOOK, height=300)
    assert figure.layout.xaxis.ticktext == ("a", "b")


def test_dots_stand_at_their_shares_and_the_published_only_where_there_is_one():
    figure = relation_dots(
        [Dot("det", 0.9, 0.5, None, "t"), Dot("obj", 0.4, 0.3, None, "u")],
        look=LOOK,
        best="b",
        offset="o",
        published="p",
    )
    assert [trace.name for trace in figure.data][1:] == ["b", "o"]
    assert figure.data[1].x == (0.9, 0.4)
    assert figure.data[2].x == (0.5, 0.3)
