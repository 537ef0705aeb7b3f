"""The websocket of classes: who is told what, and what happens to those who say what they may not."""

import json
import time
from contextlib import ExitStack

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from dashboard.classroom import classroom, limits, websocket
from dashboard.classroom.classroom import LONGEST_ADDRESS, MOST_FOLLOWERS


@pytest.fixture
def server():
    """A client of a server with this route only."""
    with TestClient(Starlette(routes=[websocket.route()])) as client:
        yield client


def asking(question: str) -> dict:
    """A question of a teacher's page, with two choices."""
    return {"question": question, "choices": ["left", "right"]}


class Tab:
    """One browser tab, connected; `hear` gives the next message, `until` the first one in which something holds."""

    def __init__(self, stack: ExitStack, server, **first):
        self._socket = stack.enter_context(server.websocket_connect("/class"))
        self.say(**first)

    def say(self, **message):
        self._socket.send_text(json.dumps(message))

    def say_text(self, text: str):
        self._socket.send_text(text)

    def say_bytes(self, content: bytes):
        self._socket.send_bytes(content)

    def hear(self) -> dict:
        return json.loads(self._socket.receive_text())

    def until(self, **expected) -> dict:
        for _ in range(1000):
            heard = self.hear()
            if expected.items() <= heard.items():
                return heard
        raise AssertionError(expected)

    def close(self):
        self._socket.close()

    def is_over(self) -> str:
        """The last sentence, after which the server closes for good."""
        while "over" not in (heard := self.hear()):
            pass
        with pytest.raises(WebSocketDisconnect) as closed:
            self.hear()
        assert closed.value.code == websocket.OVER
        return heard["over"]


@pytest.fixture
def tab(server):
    """A function that connects one."""
    with ExitStack() as stack:
        yield lambda **first: Tab(stack, server, **first)


@pytest.fixture
def teacher(tab):
    opened = tab(open=True)
    opened.room = opened.hear()
    opened.code = opened.room["code"]
    return opened


def test_a_teacher_opens_leads_and_sees_how_many_follow(tab, teacher):
    alone = {"followers": 0, "listed": [], "locked": False, "answers": {}}
    assert teacher.room == {"code": teacher.code, "key": teacher.room["key"], **alone}
    early = tab(code=teacher.code, who="a")
    assert early.hear() == {"code": teacher.code, "address": None, "number": 1}
    teacher.until(followers=1)
    teacher.say(address="text?layer=3")
    assert early.hear() == {"code": teacher.code, "address": "text?layer=3", "number": 1}
    late = tab(code=teacher.code.lower(), who="b")
    assert late.hear() == {"code": teacher.code, "address": "text?layer=3", "number": 2}
    teacher.until(followers=2)
    late.say(following=False)
    teacher.until(followers=1, listed=[[1, True], [2, False]])
    late.say(following=True)
    teacher.until(followers=2)


def test_followers_are_told_nothing_but_the_address_and_their_own_number(tab, teacher):
    follower = tab(code=teacher.code, who="a")
    other = tab(code=teacher.code, who="b")
    other.say(question="q", choice="x")
    other.say(following=False)
    teacher.say(address="text")
    heard = follower.until(address="text")
    assert heard == {"code": teacher.code, "address": "text", "number": 1}


def test_a_teacher_who_comes_back_with_the_key_leads_again(tab, teacher):
    teacher.close()
    again = tab(code=teacher.code, key=teacher.room["key"])
    assert again.hear()["code"] == teacher.code
    follower = tab(code=teacher.code, who="a")
    again.say(address="heads")
    assert follower.until(address="heads")


def test_who_has_left_counts_no_more_after_a_moment(tab, teacher, monkeypatch):
    monkeypatch.setattr(classroom, "RECONNECT_WITHIN", 0.05)
    monkeypatch.setattr(websocket, "RECONNECT_WITHIN", 0.05)
    follower = tab(code=teacher.code, who="a")
    teacher.until(followers=1)
    follower.close()
    teacher.until(followers=0)


def test_answers_reach_the_teacher_who_asked_for_them(tab, teacher):
    first, second = tab(code=teacher.code, who="a"), tab(code=teacher.code, who="b")
    teacher.say(asks=[asking("q")])
    first.say(question="q", choice="left")
    second.say(question="q", choice="right")
    teacher.until(answers={"q": {"left": 1, "right": 1}})
    first.say(question="q", choice="right")
    teacher.until(answers={"q": {"right": 2}})
    first.say(question="another", choice="left")
    teacher.say(asks=[asking("another")])
    teacher.until(answers={"another": {"left": 1}})


def test_only_answers_that_the_question_allows_reach_the_teacher(tab, teacher):
    follower, other = tab(code=teacher.code, who="a"), tab(code=teacher.code, who="b")
    teacher.say(asks=[asking("q"), {"question": "a number", "choices": []}])
    follower.say(question="q", choice="A word for the projector")
    follower.say(question="a number", choice="A word for the projector")
    other.say(question="q", choice="right")
    other.say(question="a number", choice="3.0")
    teacher.until(answers={"q": {"right": 1}, "a number": {"3": 1}})


def test_a_teacher_removes_a_follower_whose_tabs_all_close_and_locks_the_class(tab, teacher):
    tabs = [tab(code=teacher.code, who=who) for who in "aab"]
    numbers = [follower.hear()["number"] for follower in tabs]
    assert numbers == [1, 1, 2]
    teacher.say(remove=1)
    assert {follower.is_over() for follower in tabs[:2]} == {
        f"Your teacher has removed this tab from class {teacher.code}."
    }
    teacher.until(followers=1, listed=[[2, True]])
    assert "has removed this tab" in tab(code=teacher.code, who="a").is_over()
    teacher.say(lock=True)
    teacher.until(locked=True)
    assert "is locked" in tab(code=teacher.code, who="c").is_over()
    tabs[2].close()
    assert tab(code=teacher.code, who="b").hear()["number"] == 2
    teacher.say(lock=False)
    teacher.until(locked=False)
    assert tab(code=teacher.code, who="c").hear()["number"] == 3


def test_answers_and_followers_are_gathered_and_a_teacher_hears_of_them_at_most_twice_a_second(tab, teacher):
    teacher.say(asks=[asking("q")])
    begun, heard, counted = time.monotonic(), 0, {}  # of those who join the teacher hears, too
    followers = [tab(code=teacher.code, who=str(number)) for number in range(30)]
    for choice in ("left", "right", "left"):
        for follower in followers:
            follower.say(question="q", choice=choice)
    while counted != {"q": {"left": 30}}:
        counted, heard = teacher.hear()["answers"], heard + 1
    assert heard <= 3 + 2 * (time.monotonic() - begun)


def test_messages_of_followers_wake_no_other_follower(tab, teacher, monkeypatch):
    woken = []
    monkeypatch.setattr(websocket.Audience, "_wake", lambda _self, changed: woken.append(len(changed)))
    followers = [tab(code=teacher.code, who=str(number)) for number in range(20)]
    for follower in followers:
        follower.say(following=False)
        follower.say(nonsense=True)
        assert follower.until(said=websocket.UNREADABLE)
    assert set(woken) <= {1}  # the teacher


def test_a_connection_that_is_not_heard_of_is_closed_its_place_is_free_and_it_may_come_again(tab, teacher, monkeypatch):
    monkeypatch.setattr(websocket, "SILENCE_TIMEOUT", 0.2)
    monkeypatch.setattr(classroom, "MOST_FOLLOWERS", 1)
    monkeypatch.setattr(classroom, "RECONNECT_WITHIN", 0.0)
    silent = tab(code=teacher.code, who="a")
    silent.hear()
    with pytest.raises(WebSocketDisconnect) as closed:
        silent.hear()
    assert closed.value.code != websocket.OVER
    monkeypatch.setattr(websocket, "SILENCE_TIMEOUT", 60)
    other = tab(code=teacher.code, who="b")
    assert other.hear()["number"] == 2
    other.say(here=True)
    other.say(nonsense=True)
    assert other.hear() == {"said": websocket.UNREADABLE}
    assert "is full" in tab(code=teacher.code, who="c").is_over()


def test_a_network_has_so_many_connections(tab, monkeypatch):
    monkeypatch.setattr(limits, "MOST_SOCKETS", 2)
    teacher = tab(open=True)
    code = teacher.hear()["code"]
    follower = tab(code=code, who="a")
    follower.hear()
    assert "2 connections to classes here, and can have no more than 2" in tab(code=code, who="b").is_over()
    follower.close()
    teacher.until(followers=1)
    assert tab(code=code, who="b").hear()["number"] == 2


def test_who_tries_codes_has_to_wait(tab, teacher):
    for number in range(limits.MOST_WRONG):
        assert "There is no class" in tab(code=f"XXXX{number}", who="a").is_over()
    assert "30 codes that are none" in tab(code=teacher.code, who="a").is_over()


def test_the_end_is_told_to_all_and_the_code_is_unknown_afterwards(tab, teacher):
    follower = tab(code=teacher.code, who="a")
    teacher.say(end=True)
    assert teacher.is_over() == follower.is_over() == f"Class {teacher.code} has ended."
    assert "no class" in tab(code=teacher.code, who="a").is_over()


def test_an_unknown_code_a_wrong_key_and_a_full_class_close_with_a_sentence(tab, teacher, monkeypatch):
    assert "There is no class “ABCDEF” here" in tab(code="ABCDEF", who="a").is_over()
    assert "leads it" in tab(code=teacher.code, key="wrong").is_over()
    monkeypatch.setattr(classroom, "MOST_FOLLOWERS", 2)
    for who in "ab":
        tab(code=teacher.code, who=who).hear()
    assert "2 follow it, and no more than 2 can" in tab(code=teacher.code, who="c").is_over()


def test_two_hundred_are_taken_by_the_route_and_no_more(tab, teacher):
    followers = [tab(code=teacher.code, who=str(number)) for number in range(MOST_FOLLOWERS)]
    teacher.until(followers=MOST_FOLLOWERS)
    assert "no more than 200 can" in tab(code=teacher.code, who="one more").is_over()
    teacher.say(address="text?layer=1")
    for follower in followers:
        follower.until(address="text?layer=1")


@pytest.mark.parametrize(
    "message",
    [
        {"address": "text?text=mine"},
        {"end": True},
        {"asks": [{"question": "q", "choices": []}]},
        {"lock": True},
        {"remove": 1},
        {"following": "yes"},
        {"question": "q", "choice": 3},
        {"question": ["q"], "choice": "x"},
        {},
    ],
)
def test_a_follower_who_says_what_only_a_teacher_may_is_refused_and_changes_nothing(tab, teacher, message):
    teacher.say(address="heads")
    follower, other = tab(code=teacher.code, who="a"), tab(code=teacher.code, who="b")
    assert other.until(address="heads")
    follower.until(address="heads")
    follower.say(**message)
    assert follower.until(said=websocket.UNREADABLE)
    assert tab(code=teacher.code, who="c").hear() == {"code": teacher.code, "address": "heads", "number": 3}


@pytest.mark.parametrize(
    "message",
    [
        {"asks": ["q"]},
        {"asks": [{"question": "q"}]},
        {"asks": [{"question": "q", "choices": [1]}]},
        {"asks": "q"},
        {"lock": 1},
        {"remove": True},
        {"remove": "1"},
        {"here": 1},
    ],
)
def test_what_a_teacher_says_in_another_form_is_refused(teacher, message):
    teacher.say(**message)
    assert teacher.until(said=websocket.UNREADABLE)


@pytest.mark.parametrize(
    "address", ["https://evil.example/text", "javascript:alert(1)", "//evil.example", "nowhere", 7]
)
def test_an_address_elsewhere_reaches_nobody(tab, teacher, address):
    follower = tab(code=teacher.code, who="a")
    follower.hear()
    teacher.say(address=address)
    while "said" not in (heard := teacher.hear()):
        pass
    assert heard["said"] in (classroom.ELSEWHERE, websocket.UNREADABLE)
    teacher.say(address="text")
    assert follower.hear()["address"] == "text"


def test_what_is_too_long_is_refused_with_the_numbers_and_the_class_goes_on(tab, teacher):
    teacher.say(address="text?text=" + "x" * LONGEST_ADDRESS)
    while "said" not in (heard := teacher.hear()):
        pass
    assert "60,010 characters" in heard["said"]
    teacher.say_text("x" * 1_000_000)
    while "said" not in (heard := teacher.hear()):
        pass
    assert "1,000,000 characters, and can have 120,000" in heard["said"]
    teacher.say(address="text")
    assert tab(code=teacher.code, who="a").until(address="text")


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", "[" * 100_000, '{"code": 7}', '{"code": "x"}', "{}"])
def test_a_first_message_that_is_none_closes_with_a_sentence(server, text):
    with ExitStack() as stack:
        stranger = Tab(stack, server, code="")
        stranger.is_over()
        with server.websocket_connect("/class") as socket:
            socket.send_text(text)
            assert json.loads(socket.receive_text()).keys() == {"over"}


def test_bytes_are_no_message(server):
    with server.websocket_connect("/class") as socket:
        socket.send_bytes(b"\xff\x00")
        assert json.loads(socket.receive_text()) == {"over": websocket.UNREADABLE}


def test_who_says_nothing_is_not_waited_for_and_may_come_again(server, monkeypatch):
    monkeypatch.setattr(websocket, "FIRST_TIMEOUT", 0.05)
    with server.websocket_connect("/class") as socket, pytest.raises(WebSocketDisconnect) as closed:
        socket.receive_text()
    assert closed.value.code != websocket.OVER


def test_who_sends_without_end_is_closed_and_the_others_are_served(tab, teacher, monkeypatch):
    monkeypatch.setattr(websocket, "MESSAGE_PAUSE", 0)
    flood = tab(code=teacher.code, who="a")
    for _ in range(websocket.MOST_MESSAGES + 1):
        flood.say(following=True)
    assert "more than 100 messages within 10 seconds" in flood.is_over()
    teacher.say(address="text")
    assert tab(code=teacher.code, who="b").until(address="text")


def test_who_sends_much_at_once_is_heard_in_breaths(tab, teacher):
    flood, begun = tab(code=teacher.code, who="a"), time.monotonic()
    flood.hear()
    for _ in range(10):
        flood.say(following=True)
    flood.say(nonsense=True)
    flood.until(said=websocket.UNREADABLE)
    assert time.monotonic() - begun >= 10 * websocket.MESSAGE_PAUSE


def test_who_is_slow_gets_the_newest_address_and_not_all_of_them(tab, teacher):
    follower = tab(code=teacher.code, who="a")
    for layer in range(50):
        teacher.say(address=f"text?layer={layer}")
    heard = []
    while not heard or heard[-1]["address"] != "text?layer=49":
        heard.append(follower.hear())
    assert len(heard) < 50


def test_a_class_whose_day_is_over_ends_for_those_who_are_there(tab, monkeypatch):
    monkeypatch.setattr(classroom, "AGE", 0.3)
    teacher = tab(open=True)
    code = teacher.hear()["code"]
    follower = tab(code=code, who="a")
    assert follower.is_over() == teacher.is_over() == f"Class {code} has ended."


def test_a_class_goes_on_in_the_next_process_for_its_teacher_and_then_for_who_follows():
    with ExitStack() as stack:
        before, after = (
            stack.enter_context(TestClient(Starlette(routes=[websocket.route(b"secret")]))) for _ in range(2)
        )
        room = Tab(stack, before, open=True).hear()
        early = Tab(stack, after, code=room["code"], who="a", following=True)
        with pytest.raises(WebSocketDisconnect) as closed:
            early.hear()
        assert closed.value.code != websocket.OVER  # so the page comes again
        teacher = Tab(stack, after, code=room["code"], key=room["key"])
        teacher.until(key=room["key"], followers=0)
        teacher.say(address="text?layer=3")
        assert Tab(stack, after, code=room["code"], who="a", following=True).hear()["address"] == "text?layer=3"
