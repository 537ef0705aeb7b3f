"""The page Lessons: it opens and names every lesson."""

from dashboard.lessons.form import lessons
from tests.pages.conftest import prose


def test_the_page_names_every_lesson_and_says_what_it_is_about(visit):
    app = visit("learn/lessons")
    titles = {head.value.replace("\\", "") for head in app.subheader}
    assert {lesson.title for lesson in lessons().values()} <= titles
    assert all(lesson.about.replace("\\", "") in prose(app) for lesson in lessons().values())
