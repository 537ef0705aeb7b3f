"""The glossary: sound entries, and links that change nothing of a text but that a term leads to its meaning."""

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from streamlit.testing.v1 import AppTest

from dashboard import contents
from dashboard.glossary import MOST_LINKS, TERMS, linked, links, terms_in
from dashboard.typeset import plain
from tests.page_prose import sections_of

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
LINK = re.compile(r"\[([^\[\]]*)\]\(glossary\?term=[^)]*\)")
BLOCK = "\n\n$$\nnats\n\ntoken\n$$\n\n"
# What has to stay as it is, whatever stands around it.
WHOLE = (
    "$softmax(x)$",
    "`logit`",
    "[entropy](https://example.org/nats)",
    "“a token”",
    "[CLS] ",
    "`` a ` logit ``",
    "\n\n$$\nnats\n\ntoken\n$$\n\n",
)
PIECES = (
    *WHOLE,
    *("entropy", "Logits", "residual stream", "nats", "token", "KL", "R@1", "TF-IDF", "heads", "softmax", "bits,"),
    *("**token**, ", "*nats*.", "**token*, ", "*a **bits***; "),
    *(
        " ",
        " ",
        " ",
        "\n",
        "\n\n",
        ", ",
        ". ",
        "*",
        "**",
        "~~",
        "_",
        "$",
        "`",
        "[",
        "](",
        ")",
        "!",
        "<",
        "> ",
        ":",
        "\\",
    ),
    *("# ", "- ", "1. ", "    ", "\n---\n", "\n```\n", "| ", "x", "é", "'s", "-", "www.", "https://", "“", "”"),
)
texts = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)


def unlinked(text: str) -> str:
    return LINK.sub(r"\1", text)


def rendered(text: str) -> str:
    """What a reader sees of Markdown: its letters, code and line breaks, without any markup."""
    blocks = []
    for block in MARKDOWN.parse(text):
        blocks.append(f"<{block.tag}>")
        parts = [token.content or ("\n" if "break" in token.type else "") for token in block.children or []]
        blocks.append("".join(parts) if block.children else block.content)
    return "|".join(blocks)


@given(texts)
@example("*a *query token* b*")
@example("a [softmax] b")
@example("$a\\$ nats $ token $x$")
@example("```\n\ntoken\n\n```\ntoken")
@example("[ **nats*. (**token**, ")
@example("1.     token")
@example("<!heads\n\ntoken")
@example("!token and :token: and www.token.org token@token")
def test_a_link_changes_nothing_that_is_seen(text):
    assume("$$" not in text.replace(BLOCK, ""))  # the reader of Markdown here knows no formulas
    made = linked(text)
    assert unlinked(made) == unlinked(text)
    assert rendered(made) == rendered(text)


@given(texts)
@example("bits,entropy")
def test_linking_twice_changes_nothing(text):
    assert linked(linked(text)) == linked(text)


@given(texts)
def test_no_more_links_than_a_handful_in_a_paragraph_and_each_term_once(text):
    led_to = re.findall(r"\(glossary\?term=([^)]*)\)", linked(text))
    assert len(led_to) == len(set(led_to))
    for paragraph in linked(text).split("\n\n"):
        assert len(LINK.findall(paragraph)) <= MOST_LINKS


@given(st.lists(st.sampled_from([*WHOLE, "nats", "token", "a", "softmax"]), max_size=12).map(" ".join))
def test_formulas_code_links_and_quotations_stay_as_they_are(text):
    made = linked(text)
    for phrase in WHOLE:
        assert made.count(phrase) == text.count(phrase)


@given(st.text(alphabet="tokensa $*_`[]()<>!:\\“”#-|~\n", max_size=40))
def test_text_of_a_visitor_beside_ours_is_seen_as_it_was_written(text):
    sentence = f"The head gives most to “{plain(text)}”, and {plain(text)} is a token."
    assert rendered(linked(sentence)) == rendered(sentence)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Loss, in nats.", "[Loss](glossary?term=loss), in [nats](glossary?term=nats)."),
        ("**Entropy** of *a head*", "**[Entropy](glossary?term=entropy)** of *a [head](glossary?term=attention+head)*"),
        ("**Entropy**, in *bits*.", "**[Entropy](glossary?term=entropy)**, in *[bits](glossary?term=bits)*."),
        ("**Layer 3, head 2** looks", "**Layer 3, head 2** looks"),
        ("a token, two tokens", "a [token](glossary?term=token), two tokens"),
        ("# A token", "# A token"),
        ("to clip a Bert, a value, a headline", "to clip a Bert, a value, a headline"),
        ("a previous-token head", "a [previous-token head](glossary?term=previous-token+head)"),
        ("", ""),
    ],
)
def test_what_becomes_a_link(text, made):
    assert linked(text) == made


def page() -> None:
    import streamlit

    from dashboard import contents
    from dashboard.frame import layout, page_head, prose

    streamlit.navigation(contents.navigation(), position="hidden")
    page = prose.parse(f"# {contents.HEADS.question}\nOf a softmax.\n### Try this\n- Try nats.\n- Or nats.\n")
    page_head.head(page)
    layout.notes(page, notice=("An entropy.", "No entropy."), formula=lambda: None)
    layout.caption("By BLEU.")


def test_the_kit_links_the_terms_of_leads_notes_and_captions():
    app = AppTest.from_function(page).run()
    assert not app.exception
    text = " ".join(element.value for element in (*app.markdown, *app.caption))
    for name in ("softmax", "nats", "entropy", "BLEU"):
        assert text.count(TERMS[name].address) == 1


def test_table_heads_name_terms_in_their_order():
    terms = terms_in(["layer", "Entropy (bits)", "BLEU, greedy", "other", "layers"])
    assert [term.name for term in terms] == ["layer", "entropy", "bits", "BLEU", "greedy decoding"]
    assert links(terms[:2]) == "[layer](glossary?term=layer) · [entropy](glossary?term=entropy)"


def test_a_term_is_explained_in_a_sentence_or_two_and_shown_on_a_section_that_exists():
    for term in TERMS.values():
        assert 30 <= len(term.says) <= 230, term.name
        assert term.says.endswith("."), term.name
        assert 1 <= len(re.findall(r"[.:]\s+[A-Z]|\.$", term.says)) <= 3, term.name
        assert not set(term.says) & set("*_`$[]<>#\\"), f"{term.name} is shown as plain text, too"
        assert term.page in contents.pages(), term.name
        if term.choices:
            assert set(term.choices) == {"show"}, term.name
            assert term.choices["show"] in sections_of(term.page), term.name


def test_no_spelling_belongs_to_two_terms():
    spelled = [
        spelling for term in TERMS.values() for spelling in {term.name, *term.also, *term.forms, *term.spellings}
    ]
    assert len(spelled) == len(set(spelled))


def test_the_terms_are_in_alphabetical_order():
    assert list(TERMS) == sorted(TERMS, key=str.casefold)
