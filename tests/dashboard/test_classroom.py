"""The store of classes: codes, keys, who counts, where a class can go, answers, and what is refused."""

import threading
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import AtlasError
from dashboard.classroom import classes as codes
from dashboard.classroom import classroom
from dashboard.classroom import limits as classroom_limits
from dashboard.classroom.classes import LETTERS, MOST_CLASSES, MOST_OF_ADDRESS, RETURN_WITHIN, Classes
from dashboard.classroom.classroom import (
    AGE,
    MOST_FOLLOWERS,
    MOST_MEMBERS,
    MOST_SOCKETS,
    RECONNECT_WITHIN,
    TEACHER_AWAY,
    valid_address,
)
from dashboard.classroom.limits import MOST_WRONG, WITHIN, Limits, network_of

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
    drawn = iter(["BCDFGH", "BCDFGH", "JKMNPR"])
    monkeypatch.setattr(codes, "new_code", lambda: next(drawn))
    assert [classes.open().code, classes.open().code] == ["BCDFGH", "JKMNPR"]


@pytest.mark.parametrize("code", ["", "ABCDEF", "x" * 1000, "<script>", "\ud800", "../../x"])
def test_an_unknown_code_is_a_sentence_that_names_age_and_length(classes, code):
    with pytest.raises(AtlasError, match=r"no class .* ends after 24 hours.* 6 letters"):
        classes.find(code)


def test_only_the_key_makes_a_teacher(classes):
    room = classes.open()
    room.connect_teacher(room.key)
    for key in ("", room.code, room.key + "x", "ä", "\ud800"):
        with pytest.raises(AtlasError, match="Only the browser tab that opened"):
            room.connect_teacher(key)


def test_a_process_with_the_same_secret_opens_a_class_again_for_its_key_alone(clock):
    before, after = (Classes(PAGES, clock, secret=b"secret") for _ in range(2))
    room = before.open()
    for code, key in ((room.code, ""), (room.code, "é"), (room.code, room.key[::-1]), ("BCDFGH", room.key)):
        with pytest.raises(AtlasError):
            after.reopen(code, key)
    again = after.reopen(room.code.lower(), room.key)
    assert (again.code, again.key) == (room.code, room.key)
    assert after.reopen(room.code, room.key) is after.find(room.code) is again
    with pytest.raises(AtlasError):
        Classes(PAGES, clock, secret=b"another").reopen(room.code, room.key)
    with pytest.raises(AtlasError):
        Classes(PAGES, clock).reopen(room.code, room.key)


def test_a_class_that_has_ended_stays_so(clock):
    classes = Classes(PAGES, clock, secret=b"secret")
    room = classes.open()
    classes.end(room)
    with pytest.raises(AtlasError):
        classes.reopen(room.code, room.key)


def test_classes_that_are_opened_again_are_bounded_as_others_are(clock):
    before, after = (Classes(PAGES, clock, secret=b"secret") for _ in range(2))
    rooms = [before.open() for _ in range(MOST_OF_ADDRESS)]
    after_rooms = [after.reopen(room.code, room.key, "192.0.2.1") for room in rooms]
    for room in after_rooms:
        room.connect_teacher(room.key)
    one_more = Classes(PAGES, clock, secret=b"secret").open()
    with pytest.raises(AtlasError):
        after.reopen(one_more.code, one_more.key, "192.0.2.1")


def test_classes_may_come_back_only_at_the_start_and_only_to_a_secret_of_a_process_before(clock):
    with_secret, without = Classes(PAGES, clock, secret=b"secret"), Classes(PAGES, clock)
    assert (with_secret.may_return, without.may_return) == (True, False)
    clock.now += RETURN_WITHIN
    assert not with_secret.may_return


def test_a_class_ends_after_a_day_for_those_who_are_there_too(classes, clock):
    room = classes.open()
    notifications = []
    room.watch(lambda _: notifications.append(room.ended))
    clock.now += AGE - 1
    assert classes.find(room.code) is room
    clock.now += 1
    with pytest.raises(AtlasError, match="no class"):
        classes.find(room.code)
    assert notifications == [True]


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
    clock.now += RECONNECT_WITHIN
    room.join("one more")
    assert room.followers == 200


def test_who_changes_pages_counts_meanwhile_and_who_is_gone_does_not(classes, clock):
    room = classes.open()
    room.join("a")
    room.join("b")
    room.leave("a")
    clock.now += RECONNECT_WITHIN - 1
    assert room.followers == 2
    room.join("a")
    clock.now += 2
    assert room.followers == 2
    room.leave("a")
    clock.now += RECONNECT_WITHIN
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
    for member, choice in (("a", "left"), ("b", "left"), ("c", "right"), ("a", "right")):
        room.answer("q", member, choice)
    room.answer("other", "a", "left")
    assert room.answers("q", ["left", "right"]) == {"left": 1, "right": 2}
    assert room.answers("other", ["left", "right"]) == {"left": 1}
    assert room.answers("never asked", ["left", "right"]) == {}


def test_only_answers_that_a_question_allows_are_counted(classes):
    room = classes.open()
    for member, choice in (("a", "left"), ("b", "Something for the projector"), ("c", "LEFT"), ("d", "left ")):
        room.answer("q", member, choice)
    assert room.answers("q", ["left", "right"]) == {"left": 1}
    for member, number in zip(
        "abcdefgh", ("3", "3.0", "3e0", "0.50", "nan", "1e999", "three", "<b>3</b>"), strict=True
    ):
        room.answer("a number", member, number)
    assert room.answers("a number") == {"3": 3, "0.5": 1}


def test_answers_are_bounded_in_number_and_length(classes):
    room = classes.open()
    for number in range(MOST_FOLLOWERS):
        room.answer("q", str(number), "x")
    with pytest.raises(AtlasError, match="200 have answered, and no more than 200 can"):
        room.answer("q", "one more", "x")
    room.answer("q", "5", "y")
    assert room.answers("q", "xy") == {"x": 199, "y": 1}
    for texts in (("q", "a", "x" * 201), ("q" * 201, "a", "x"), ("q", "a" * 201, "x"), ("q", "a", "")):
        with pytest.raises(AtlasError, match="1 to 200"):
            room.answer(*texts)
    for number in range(150):
        room.answer(f"question {number}", "a", "x")
    assert not room.answers("q", "xy")
    assert sum(bool(room.answers(f"question {number}", "x")) for number in range(150)) == classroom.MOST_QUESTIONS


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
        valid_url = valid_address(address, PAGES)
    except AtlasError:
        return
    page, _, query = valid_url.partition("?")
    assert page in PAGES
    assert query.isascii()
    assert not set(query) & set("#<>\"' \\:/")


def test_where_there_are_too_many_the_oldest_goes_in_which_nobody_is(classes, clock):
    rooms = [classes.open() for _ in range(MOST_CLASSES)]
    clock.now += TEACHER_AWAY
    rooms[0].connect_teacher(rooms[0].key)
    rooms[1].join("a")
    classes.open()
    assert [room.ended for room in rooms[:4]] == [False, False, True, False]
    assert len(classes) == MOST_CLASSES
    for room in rooms[3:]:
        room.join("a")
    with pytest.raises(AtlasError, match=f"{MOST_CLASSES} classes are at work"):
        classes.open()
    clock.now += TEACHER_AWAY
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


def test_a_teacher_who_is_away_for_less_than_a_quarter_of_an_hour_keeps_the_class(classes, clock):
    room = classes.open()
    room.connect_teacher(room.key)
    clock.now += TEACHER_AWAY
    others = [classes.open() for _ in range(MOST_CLASSES - 1)]
    for other in others:
        other.join("a")
    room.disconnect_teacher()
    clock.now += TEACHER_AWAY - 1
    with pytest.raises(AtlasError, match="classes are at work"):
        classes.open()
    room.connect_teacher(room.key)
    room.disconnect_teacher()
    clock.now += TEACHER_AWAY - 1
    assert classes.find(room.code) is room
    clock.now += 1
    classes.open()
    assert room.ended


def test_one_network_opens_few_classes_and_the_others_go_on(classes, clock):
    rooms = [classes.open("192.0.2.1") for _ in range(MOST_OF_ADDRESS)]
    with pytest.raises(AtlasError, match=r"10 classes are at work that were opened from your network"):
        classes.open("192.0.2.1")
    classes.open("192.0.2.2")
    classes.open(None)
    clock.now += TEACHER_AWAY
    classes.open("192.0.2.1")
    assert [room.ended for room in rooms[:2]] == [True, False]


def test_a_follower_who_is_removed_is_gone_with_its_answers_and_comes_back_only_as_another(classes):
    room = classes.open()
    numbers = [room.join(member) for member in "abc"]
    room.answer("q", "b", "x")
    room.answer("q", "c", "x")
    room.remove(numbers[1])
    assert room.followers == 2
    assert room.follower_states() == [(numbers[0], True), (numbers[2], True)]
    assert room.answers("q", "x") == {"x": 1}
    for refused in (lambda: room.join("b"), lambda: room.answer("q", "b", "x")):
        with pytest.raises(AtlasError, match="Your teacher has removed this tab"):
            refused()
    room.leave("b")
    assert room.join("another") not in numbers
    room.remove(99)
    assert room.followers == 3


def test_a_locked_class_lets_back_whoever_was_there_and_nobody_else(classes, clock):
    room = classes.open()
    number = room.join("a")
    room.lock(locked=True)
    with pytest.raises(AtlasError, match="is locked"):
        room.join("b")
    room.leave("a")
    clock.now += AGE / 2
    assert room.followers == 0
    assert room.join("a") == number
    room.lock(locked=False)
    room.join("b")
    assert room.followers == 2


def test_a_class_remembers_so_many_followers_and_forgets_the_first_who_are_gone(classes, clock):
    room = classes.open()
    first = room.join("stays")
    for number in range(MOST_MEMBERS):
        room.join(str(number))
        room.leave(str(number))
        clock.now += RECONNECT_WITHIN
    assert room.join("stays") == first
    assert room.join("0") > MOST_MEMBERS


def test_the_tabs_of_all_followers_and_of_the_teacher_are_bounded(classes):
    room = classes.open()
    for number in range(MOST_SOCKETS):
        room.join(str(number % (MOST_FOLLOWERS // 2)))
    with pytest.raises(AtlasError, match=r"open in 250 tabs, and no more than 250 can be"):
        room.join("0")
    for _ in range(classroom.MOST_TABS):
        room.connect_teacher(room.key)
    with pytest.raises(AtlasError, match=r"leads class .* in 5 tabs"):
        room.connect_teacher(room.key)


def test_a_change_tells_the_followers_only_where_it_concerns_them(classes):
    room = classes.open()
    notifications: list[bool] = []
    room.watch(notifications.append)
    room.join("a")
    room.follow("a", following=False)
    room.answer("q", "a", "x")
    room.lock(locked=True)
    room.leave("a")
    assert notifications == [False] * 5
    room.go_to("text")
    room.remove(1)
    room.end()
    assert notifications[5:] == [True] * 3


def test_a_network_has_so_many_connections_and_each_that_ends_is_free_again(clock):
    limits, stack = Limits(clock), ExitStack()
    with stack:
        for _ in range(classroom_limits.MOST_SOCKETS):
            stack.enter_context(limits.connected("192.0.2.1"))
        with pytest.raises(AtlasError, match="250 connections to classes"), limits.connected("192.0.2.1"):
            pass
        with limits.connected("192.0.2.2"), limits.connected(None):
            pass
    with limits.connected("192.0.2.1"):
        pass


def test_so_many_different_wrong_codes_and_a_network_waits_even_with_the_right_one(clock):
    limits = Limits(clock)
    for _ in range(200):
        limits.note_unknown("192.0.2.1", "BCDFGH")  # a whole class comes back to one that has ended
    limits.check_codes("192.0.2.1")
    for number in range(MOST_WRONG - 1):
        limits.check_codes("192.0.2.1")
        clock.now += 1
        limits.note_unknown("192.0.2.1", f"wrong {number}")
    with pytest.raises(AtlasError, match=r"30 codes that are none .* within 10 minutes. Wait 10 minutes"):
        limits.check_codes("192.0.2.1")
    limits.check_codes("192.0.2.2")
    clock.now += WITHIN
    limits.check_codes("192.0.2.1")


@pytest.mark.parametrize(
    ("host", "network"),
    [
        (None, None),
        ("127.0.0.1", None),
        ("::1", None),
        ("::ffff:127.0.0.1", None),
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
    ],
)
def test_a_network_is_an_address_or_the_64_bits_that_one_visitor_has_of_ipv6(host, network):
    assert network_of(host) == network
