"""A teacher and students, each in a browser of their own: who goes where, who is counted, what is answered."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, WebSocket, expect

from tests.browser.conftest import ROOT, SERVER, WITHIN, follow_requests, press_answer, settled

QUESTION = ROOT / "tests" / "browser" / "apps" / "classroom_server.py"


@pytest.fixture
def person(chromium: Browser) -> Iterator:
    """A function that gives a page in a browser context of its own."""
    contexts, errors = [], []

    def arrive(**how) -> Page:
        contexts.append(chromium.new_context(viewport={"width": 1280, "height": 800}, **how))
        page = contexts[-1].new_page()
        page.set_default_timeout(1000 * WITHIN)
        follow_requests(page)
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield arrive
    for context in contexts:
        context.close()
    assert not errors, f"A page raised: {errors}"


@pytest.fixture
def teacher(person, streamlit_server) -> Page:
    """A teacher on Explore / Text who has opened a class."""
    page = person()
    page.goto(f"{streamlit_server(SERVER)}/text?text=The+sea+was+calm")
    opened(page)
    settled(page)
    return page


@pytest.fixture
def student(person, streamlit_server, teacher) -> Page:
    """A student who came by the short link and is where the teacher is."""
    page = person()
    page.goto(f"{streamlit_server(SERVER)}/?class={code_of(teacher).lower()}")
    expect(page).to_have_url(re.compile(r"/text\?"))
    expect(bar(page)).to_contain_text(f"You follow class {code_of(teacher)}")
    expect(page.locator(".atlas .reading")).to_be_visible()
    settled(page)
    return page


def opened(page: Page) -> None:
    page.get_by_role("button", name="Class").click()
    page.get_by_role("button", name="Open a class").click()
    expect(bar(page).locator(".code")).to_be_visible()


def bar(page: Page):
    return page.locator(".class-bar")


def code_of(teacher: Page) -> str:
    return bar(teacher).locator(".code").inner_text()


def expect_count(teacher: Page, text: str) -> None:
    expect(bar(teacher).locator(".count")).to_have_text(text)


def test_a_student_comes_by_the_link_is_counted_and_sees_the_teacher_s_page(teacher, student):
    expect_count(teacher, "1 follows")
    expect(student.get_by_label("Your text")).to_have_value("The sea was calm")
    expect(student).to_have_url(re.compile(f"class={code_of(teacher)}"))
    expect(teacher).to_have_url(re.compile(f"class={code_of(teacher)}"))


def test_a_view_s_own_choice_is_followed_without_a_run_of_the_student_s_page(teacher, person, streamlit_server):
    student, sent = person(), []

    def listen(socket: WebSocket) -> None:
        if "_stcore" in socket.url:
            socket.on("framesent", lambda frame: sent.append(frame))

    student.on("websocket", listen)
    student.goto(f"{streamlit_server(SERVER)}/text?text=The+sea+was+calm&class={code_of(teacher)}")
    expect(student.locator(".atlas .reading")).to_be_visible()
    settled(student)
    before = len(sent)
    teacher.get_by_role("button", name="Lines", exact=True).click()
    expect(student).to_have_url(re.compile("view=lines"))
    expect(student.get_by_role("button", name="Lines", exact=True)).to_have_attribute("aria-pressed", "true")
    assert len(sent) == before
    teacher.get_by_role("button", name="Map", exact=True).click()
    expect(student).not_to_have_url(re.compile("view=lines"))
    expect(student.get_by_role("button", name="Map", exact=True)).to_have_attribute("aria-pressed", "true")
    assert len(sent) == before


def test_a_head_that_the_teacher_takes_is_the_student_s_too(teacher, student):
    teacher.locator(".atlas canvas").first.click(position={"x": 14, "y": 14})
    expect(teacher).to_have_url(re.compile("layer="))
    heading = teacher.locator(".middle .caption b").inner_text()
    assert heading != "Layer 3, head 2"
    expect(student.locator(".middle .caption b")).to_have_text(heading)


def test_text_page_and_section_are_followed_and_the_projector_is_not(teacher, student):
    teacher.get_by_label("Your text").fill("A heron stood in the river")
    teacher.get_by_label("Your text").press("Control+Enter")
    expect(student.get_by_label("Your text")).to_have_value("A heron stood in the river")
    expect(student.locator(".atlas .reading")).to_contain_text("river")
    teacher.get_by_role("link", name="Positional encoding", exact=True).first.click()
    expect(student).to_have_url(re.compile("/order"))
    expect(student.get_by_role("heading", level=1)).to_have_text("Positional encoding")
    settled(teacher)
    teacher.get_by_role("button", name="Present").click()
    expect(teacher).to_have_url(re.compile("present=1"))
    expect(bar(teacher).locator(".code")).to_be_visible()
    settled(teacher)
    teacher.get_by_role("radiogroup", name="What to look at").hover()  # only the chosen section is seen otherwise
    teacher.get_by_role("radio", name="Waves").click()
    expect(student.get_by_role("radio", name="Waves")).to_be_checked()
    expect(student).to_have_url(re.compile("show=Waves"))
    expect(student).not_to_have_url(re.compile("present"))
    expect(student.get_by_test_id("stSidebar")).to_be_visible()
    expect_count(teacher, "1 follows")


def test_parameters_that_two_pages_share_arrive_on_the_other_page(teacher, student, streamlit_server):
    """Streamlit by itself drops those of an address that the page before had as well."""
    code = code_of(teacher)
    for place, section in (("order", "Waves"), ("scaling", "Language"), ("order", "Learned")):
        teacher.goto(f"{streamlit_server(SERVER)}/{place}?show={section}&class={code}")
        expect(student).to_have_url(re.compile(f"/{place}\\?.*show={section}"))
        expect(student.get_by_role("radio", name=section, exact=True).first).to_be_checked()
        settled(student)


def test_a_student_looks_around_follows_again_and_leaves(teacher, student):
    expect_count(teacher, "1 follows")
    student.get_by_role("button", name="Look around myself").click()
    expect_count(teacher, "Nobody follows yet")
    student.get_by_role("link", name="Many heads", exact=True).first.click()
    expect(student.get_by_role("heading", level=1)).to_have_text("Many heads")
    expect(bar(student)).to_contain_text("You look around")
    teacher.get_by_role("link", name="Positional encoding", exact=True).first.click()
    expect(teacher.get_by_role("heading", level=1)).to_have_text("Positional encoding")
    settled(teacher)
    student.reload()
    expect(bar(student)).to_contain_text("You look around")
    expect(student).to_have_url(re.compile("/heads"))
    student.get_by_role("button", name="Follow again").click()
    expect(student).to_have_url(re.compile("/order"))
    expect_count(teacher, "1 follows")
    expect(bar(student)).to_contain_text("You follow")
    settled(student)
    student.get_by_role("button", name="Leave").click()
    expect(bar(student)).to_have_count(0)
    expect(student).not_to_have_url(re.compile("class="))
    expect_count(teacher, "Nobody follows yet")


def test_a_teacher_who_loads_the_page_anew_still_leads_and_ends_the_class(teacher, student):
    teacher.reload()
    expect(bar(teacher).get_by_role("button", name="End the class")).to_be_visible()
    expect_count(teacher, "1 follows")
    teacher.get_by_role("link", name="Positional encoding", exact=True).first.click()
    expect(student).to_have_url(re.compile("/order"))
    expect(bar(student)).to_contain_text("You follow class")  # who is on the way to a page comes back to none
    code = code_of(teacher)
    teacher.get_by_role("button", name="End the class").click()
    teacher.get_by_role("button", name="Yes, end it for all").click()
    expect(bar(teacher)).to_contain_text(f"Class {code} has ended.")
    expect(bar(student)).to_contain_text(f"Class {code} has ended.")
    student.get_by_role("button", name="Close").click()
    expect(bar(student)).to_have_count(0)
    expect(student.get_by_role("button", name="Class")).to_be_visible()


def test_an_unknown_code_is_a_sentence_and_the_page_is_there(person, streamlit_server):
    page = person()
    page.goto(f"{streamlit_server(SERVER)}/order?class=%3Cb%3Ex")
    expect(bar(page)).to_contain_text("There is no class “<B>X” here. A class ends after 24 hours")
    expect(page.get_by_role("heading", level=1)).to_have_text("Positional encoding")


def test_somebody_who_opens_the_teacher_s_address_follows_and_does_not_lead(teacher, person):
    other = person()
    other.goto(teacher.url)
    expect(bar(other)).to_contain_text("You follow class")
    expect_count(teacher, "1 follows")


def test_answers_are_bars_for_the_teacher_and_nobody_else(person, streamlit_server):
    address = streamlit_server(QUESTION)
    teacher = person()
    teacher.goto(address)
    opened(teacher)
    expect(teacher.locator(".class-answers caption")).to_have_text("No answers from the class yet")
    students = [person(), person()]
    for student, choice in zip(students, ("the dog", "<b>neither</b>"), strict=True):
        student.goto(f"{address}/?class={code_of(teacher)}")
        expect(bar(student)).to_contain_text("You follow")
        student.get_by_text(choice, exact=True).click()
        expect(student.get_by_text("Your answer is counted in class")).to_be_visible()
        expect(student.locator(".class-answers table")).to_have_count(0)
    rows = teacher.locator(".class-answers tr")
    expect(teacher.locator(".class-answers caption")).to_have_text("2 answers from the class")
    expect(rows).to_have_text(["the dog1", "the man0", "<b>neither</b>1"])
    students[0].get_by_text("the man", exact=True).click()
    expect(rows).to_have_text(["the dog0", "the man1", "<b>neither</b>1"])
    alone = person()
    alone.goto(address)
    alone.get_by_text("the dog", exact=True).click()
    settled(alone)
    expect(alone.locator(".class-answers")).to_have_count(0)
    expect(rows).to_have_text(["the dog0", "the man1", "<b>neither</b>1"])


def test_a_teacher_removes_a_follower_by_its_number_and_locks_the_class(person, streamlit_server):
    address = streamlit_server(QUESTION)
    teacher = person()
    teacher.goto(address)
    opened(teacher)
    students = [person() for _ in range(3)]
    for number, student in enumerate(students[:2], start=1):
        student.goto(f"{address}/?class={code_of(teacher)}")
        expect(bar(student)).to_contain_text(f"You follow class {code_of(teacher)} as number {number}")
    students[0].get_by_text("the dog", exact=True).click()
    expect(teacher.locator(".class-answers caption")).to_have_text("1 answer from the class")
    followers = teacher.get_by_role("button", name="Followers")
    expect(followers).to_have_attribute("aria-expanded", "false")
    followers.click()
    expect(followers).to_have_attribute("aria-expanded", "true")
    numbers = bar(teacher).get_by_role("group", name="Followers by number").get_by_role("button")
    expect(numbers).to_have_text(["1", "2"])
    numbers.nth(0).click()
    expect(numbers).to_have_text(["Remove 1?", "2"])
    numbers.nth(0).press("Enter")  # it has kept the focus
    expect(numbers).to_have_text(["2"])
    expect(bar(students[0])).to_contain_text(f"Your teacher has removed this tab from class {code_of(teacher)}.")
    expect(teacher.locator(".class-answers caption")).to_have_text("No answers from the class yet")
    expect_count(teacher, "1 follows")
    bar(teacher).get_by_role("button", name="Lock: let nobody else join").click()
    expect_count(teacher, "1 follows · locked")
    students[2].goto(f"{address}/?class={code_of(teacher)}")
    expect(bar(students[2])).to_contain_text(f"Class {code_of(teacher)} is locked")
    students[1].reload()
    expect(bar(students[1])).to_contain_text("as number 2")
    bar(teacher).get_by_role("button", name="Let others join again").click()
    expect_count(teacher, "1 follows")
    students[2].reload()
    expect(bar(students[2])).to_contain_text("as number 3")


def test_a_class_answers_the_question_of_a_station_and_the_teacher_sees_bars(teacher, student):
    teacher.get_by_test_id("stSidebar").get_by_role("button", name="View").click()
    teacher.get_by_test_id("stSidebar").get_by_role("link", name="Lessons").click()
    expect(teacher.get_by_role("heading", name="Inside one head")).to_be_visible()
    settled(teacher)
    teacher.get_by_test_id("stMain").get_by_role("link", name="A head with a habit").click()
    expect(teacher.get_by_role("heading", name="A head with a habit")).to_be_visible()
    expect(student.get_by_role("heading", name="A head with a habit")).to_be_visible()
    settled(student)
    student.get_by_test_id("stButtonGroup").get_by_text("head 4", exact=True).click()
    settled(student)
    press_answer(student)
    expect(student.get_by_text("You said head 4")).to_be_visible()
    expect(teacher.locator(".class-answers")).to_contain_text("1 answer from the class")
    expect(teacher.get_by_role("row", name=re.compile("head 4"))).to_contain_text("1")
    # The teacher shows the view with an answer of their own: it becomes nobody else's.
    settled(teacher)
    teacher.get_by_test_id("stButtonGroup").get_by_text("head 1", exact=True).click()
    settled(teacher)
    press_answer(teacher)
    expect(teacher.get_by_text("You said head 1")).to_be_visible()
    settled(teacher)
    expect(student).to_have_url(re.compile("answer=head(%20|\\+)1"))
    settled(student)
    bars = teacher.locator(".class-answers").filter(visible=True)
    expect(bars).to_contain_text("1 answer from the class")
    expect(bars.get_by_role("row", name=re.compile("head 4"))).to_contain_text("1")
    expect(bars.get_by_role("row", name=re.compile("head 1"))).to_contain_text("0")
