"""Chapters, paragraphs and sentences of a text."""

from core.long_context.outline import outline, sentence_at

TEXT = (
    'I\n\nIt was late. "Who is there?" he said. Nobody!\n\nChapter Two\n\nNo. 5 stayed, e.g. there.\n\n  Morning came'
)


def words(text: str) -> list[str]:
    """Labels as a tokenizer gives them: each but the first with what precedes it."""
    labels, start = [], 0
    for place in range(1, len(text)):
        if text[place] in " \n" and text[place - 1] not in " \n":
            labels.append(text[start:place])
            start = place
    return [*labels, text[start:]]


def test_marks_are_chapters_paragraphs_and_sentences_in_the_order_of_the_text():
    labels = words(TEXT)
    assert "".join(labels) == TEXT
    marks = outline(labels)
    assert [(mark.level, mark.label) for mark in marks] == [
        (0, "I"),
        (1, 'It was late. "Who is there?" he said. No'),
        (2, '"Who is there?" he said. Nobody!'),
        (2, "Nobody!"),
        (0, "Chapter Two"),
        (1, "No. 5 stayed, e.g. there."),
        (2, "5 stayed, e.g. there."),
        (0, "Morning came"),
    ]
    assert [labels[mark.token].strip() for mark in marks] == [
        "I",
        "It",
        '"Who',
        "Nobody!",
        "Chapter",
        "No.",
        "5",
        "Morning",
    ]


def test_the_sentence_of_a_token_ends_where_the_next_mark_begins():
    labels = words(TEXT)
    marks = outline(labels)
    sentence = sentence_at(marks, labels.index(" he"), len(labels))
    assert "".join(labels[token] for token in sentence).strip() == '"Who is there?" he said.'
    assert sentence_at((), 3, 9) == range(9)
    assert sentence_at(marks, len(labels) - 1, len(labels)).stop == len(labels)


def test_a_text_without_any_mark_of_its_own_is_one_paragraph():
    assert [(mark.token, mark.level) for mark in outline(["and ", "so ", "on, ", "and on"])] == [(0, 1)]
