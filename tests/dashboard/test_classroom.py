"""The store of classes: codes, keys, who counts, where a class can go, answers, and what is refused."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import AtlasError
from dashboard import classroom
from dashboard.classroom import AGE, AWAY, LETTERS, MOST_CLASSES, MOST_FOLLOWERS, Classes, checked

PAGES = ("", "text", "heads")


class Clock:
    """Seconds that pass when they are told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def classes(clock):
    return Classes(PAGES, clock)


def test_a_code_is_six_letters_without_look_alikes_and_is_found_however_it_is_typed(classes):
    room = classes.open()
    assert len(room.code) == 6
    assert set(room.code) <= set(LETTERS)
    assert not set("ILOQUAE01") & set(LETTERS)
    assert classes.find(f" {room.code.lower()} ") is room


def test_codes_and_keys_differ(classes):
    rooms = [classes.open() for _ in range(20)]
    assert len({room.code for room in rooms}) == len({room.key for room in rooms}) == 20


def test_a_code_that_is_taken_is_not_given_again(classes, monkeypatch):
    codes = iter(["BCDFGH", "BCDFGH", "JKMNPR"])
    monkeypatch.setattr(classroom, "new_code", lambda: next(codes))
    assert [classes.open().code, classes.open().code] == ["BCDFGH", "JKMNPR"]


@pytest.mark.parametrize("code", ["", "ABCDEF", "x" * 1000, "<script>", "\ud800", "../../x"])
def test_an_unknown_code_is_a_sentence_that_names_age_and_length(classes, code):
    with pytest.raises(AtlasError, match=r"no class .* ends after 24 hours.* 6 letters"):
        classes.find(code)


def test_only_the_key_makes_a_teacher(classes):
    room = classes.open()
    room.teach(room.key)
    for key in ("", room.code, room.key + "x", "ä", "\ud800"):
        with pytest.raises(AtlasError, match="Only the browser tab that opened"):
            room.teach(key)


def test_a_class_ends_after_a_day_for_those_who_are_there_too(classes, clock):
    room = classes.open()
    told = []
    room.watch(lambda: told.append(room.ended))
    clock.now += AGE - 1
    assert classes.find(room.code) is room
    clock.now += 1
    with pytest.raises(AtlasError, match="no class"):
        classes.find(room.code)
    assert told == [True]


def test_two_hundred_follow_and_no_more_until_one_has_left(classes, clock):
    room = classes.open()
    for number in range(MOST_FOLLOWERS):
        room.join(str(number))
    assert room.followers == MOST_FOLLOWERS == 200
    with pytest.raises(AtlasError, match=r"is full: 200 follow it, and no more than 200 can"):
        room.join("one more")
    room.join("7")  # is there already: a second tab
    room.leave("8")
    with pytest.raises(AtlasError, match="is full"):
        room.join("one more")
    clock.now += AWAY
    room.join("one more")
    assert room.followers == 200


def test_who_changes_pages_counts_meanwhile_and_who_is_gone_does_not(classes, clock):
    room = classes.open()
    room.join("a")
    room.join("b")
    room.leave("a")
    clock.now += AWAY - 1
    assert room.followers == 2
    room.join("a")
    clock.now += 2
    assert room.followers == 2
    room.leave("a")
    clock.now += AWAY
    assert room.followers == 1


def test_who_looks_around_does_not_count(classes):
    room = classes.open()
    room.join("a")
    room.join("b", following=False)
    assert room.followers == 1
    room.follow("b", following=True)
    room.follow("a", following=False)
    assert room.followers == 1


def test_a_later_answer_replaces_an_earlier_one_and_answers_count_by_question(classes):
    room = classes.open()
    for who, choice in (("a", "left"), ("b", "left"), ("c", "right"), ("a", "right")):
        room.answer("q", who, choice)
    room.answer("other", "a", "left")
    assert room.answers("q") == {"left": 1, "right": 2}
    assert room.answers("other") == {"left": 1}
    assert room.answers("never asked") == {}


def test_answers_are_bounded_in_number_and_length(classes):
    room = classes.open()
    for number in range(MOST_FOLLOWERS):
        room.answer("q", str(number), "x")
    with pytest.raises(AtlasError, match="200 have answered, and no more than 200 can"):
        room.answer("q", "one more", "x")
    room.answer("q", "5", "y")
    assert room.answers("q") == {"x": 199, "y": 1}
    for texts in (("q", "a", "x" * 201), ("q" * 201, "a", "x"), ("q", "a" * 201, "x"), ("q", "a", "")):
        with pytest.raises(AtlasError, match="1 to 200"):
            room.answer(*texts)
    for number in range(150):
        room.answer(f"question {number}", "a", "x")
    assert not room.answers("q")
    assert sum(bool(room.answers(f"question {number}")) for number in range(150)) == classroom.MOST_QUESTIONS


def test_a_class_goes_to_pages_of_the_atlas_without_what_is_a_visitor_s_own(classes):
    room = classes.open()
    room.go_to("text?text=The+sea&layer=3&present=1&class=BCDFGH&embed=true&empty=")
    assert room.address == "text?text=The+sea&layer=3&empty="
    room.go_to("?example=1")
    assert room.address == "?example=1"
    room.go_to("heads")
    assert room.address == "heads"


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/text",
        "//evil.example/text",
        "javascript:alert(1)",
        "/text",
        "../text",
        "text/../heads",
        "text#x",
        "nowhere?x=1",
        "data:text/html,x",
        "\\\\evil.example",
    ],
)
def test_a_class_goes_nowhere_else(classes, address):
    room = classes.open()
    with pytest.raises(AtlasError, match="only to pages of the atlas"):
        room.go_to(address)
    assert room.address is None


def test_an_address_that_is_too_long_or_cannot_be_read_is_refused(classes):
    room = classes.open()
    with pytest.raises(AtlasError, match=r"60,006 characters, and a class can follow one of up to 60,000"):
        room.go_to("text?" + "x" * 60_001)
    with pytest.raises(AtlasError, match="up to 60,000"):
        room.go_to("text?a=" + "ä" * 30_000)
    for query in ("&".join(f"a{number}=1" for number in range(1000)), "a=\ud800"):
        with pytest.raises(AtlasError, match="cannot be read"):
            room.go_to(f"text?{query}")


@given(st.text(max_size=60))
def test_whatever_is_said_the_address_is_a_page_and_a_query_or_a_sentence(address):
    try:
        found = checked(address, PAGES)
    except AtlasError:
        return
    page, _, query = found.partition("?")
    assert page in PAGES
    assert query.isascii()
    assert not set(query) & set("#<>\"' \\:/")


def test_where_there_are_too_many_the_oldest_goes_in_which_nobody_is(classes):
    rooms = [classes.open() for _ in range(MOST_CLASSES)]
    rooms[0].teach(rooms[0].key)
    rooms[1].join("a")
    classes.open()
    assert [room.ended for room in rooms[:4]] == [False, False, True, False]
    assert len(classes) == MOST_CLASSES
    for room in rooms[3:]:
        room.join("a")
    newest = classes.open()
    newest.join("a")
    with pytest.raises(AtlasError, match=f"{MOST_CLASSES} classes are at work"):
        classes.open()
    classes.end(newest)
    classes.open()


def test_one_follower_has_few_connections(classes):
    room = classes.open()
    for _ in range(classroom.MOST_TABS):
        room.join("a")
    with pytest.raises(AtlasError, match="5 tabs"):
        room.join("a")


def test_many_threads_join_answer_and_leave_one_class(classes):
    room = classes.open()

    def follower(number: int) -> None:
        for turn in range(50):
            room.join(f"{number}")
            room.answer("q", f"{number}", f"{turn % 2}")
            room.leave(f"{number}")
        room.join(f"{number}")

    threads = [threading.Thread(target=follower, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert room.followers == 8
    assert room.answers("q") == {"1": 8}
