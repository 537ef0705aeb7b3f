"""Every control of a section: how long the page changes after it is moved away and back."""

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from playwright.sync_api import Locator, Page

QUIET_MILLISECONDS = 500  # milliseconds without a change: the page is as it will be
ROUNDS = 3  # there and back, the first time only to fill what is kept

# Notes the last change since a key or the pointer was pressed. Not counted: what Streamlit says of its own state, the
# cells that a table keeps for readers of the screen, and the control itself, which moves at once.
WATCH = """() => {
  if (window.watched) return;
  const uncounted = 'header, canvas, [data-testid="stStatusWidget"], [data-pressed]';
  const watched = window.watched = { pressed: 0, changed: 0 };
  const press = (event) => {
    watched.control?.removeAttribute('data-pressed');
    watched.control = event.target.closest('[data-testid="stElementContainer"]');
    watched.control?.setAttribute('data-pressed', '');
    watched.pressed = watched.changed = performance.now();
  };
  for (const kind of ['pointerdown', 'keydown']) document.addEventListener(kind, press, true);
  new MutationObserver((changes) => {
    const elements = changes.map(({ target }) => (target.nodeType === 1 ? target : target.parentElement));
    if (elements.some((element) => element && !element.closest(uncounted))) watched.changed = performance.now();
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
IS_STILL = f"() => performance.now() - Math.max(watched.pressed, watched.changed) > {QUIET_MILLISECONDS}"


@dataclass(frozen=True)
class Control:
    """What a visitor may move, with two ways to move it: away, and back again."""

    label: str
    moves: tuple[Callable[[], None], Callable[[], None]]


def waits(page: Page) -> Iterator[tuple[str, float]]:
    """For each control of the open section its label and the median wait in milliseconds, until all of the page is
    as it will be.
    """
    page.evaluate(WATCH)
    for control in list(_controls(page.get_by_test_id("stMain"))):
        measured = [_wait(page, move) for _ in range(ROUNDS) for move in control.moves]
        yield control.label, statistics.median(measured[len(control.moves) :])


def _wait(page: Page, move: Callable[[], None]) -> float:
    page.evaluate("watched.pressed = performance.now()")
    move()
    page.wait_for_function(IS_STILL)
    return page.evaluate("watched.changed - watched.pressed")


def _controls(main: Locator) -> Iterator[Control]:
    for group in main.get_by_test_id("stButtonGroup").all()[1:]:  # the first one chooses the section
        choices = group.get_by_role("radio").all()
        selected = next((n for n, choice in enumerate(choices) if choice.get_attribute("aria-checked") == "true"), None)
        if selected is not None and len(choices) > 1:
            other = choices[(selected + 1) % len(choices)]
            yield Control(_label(group), (other.click, choices[selected].click))
    for toggle in main.get_by_role("switch").all():
        if toggle.is_enabled():
            press = _pressing(toggle, "Space")
            yield Control(toggle.get_attribute("aria-label") or "", (press, press))
    for box in main.get_by_test_id("stSelectbox").all():
        box.click()
        names = main.page.get_by_role("option").all_inner_texts()
        box.press("Escape")
        present = box.get_by_role("combobox").input_value()
        if others := [name for name in names if name != present]:
            yield Control(_label(box), (_choosing(box, others[0]), _choosing(box, present)))
    for slider in main.get_by_role("slider").all():
        yield Control(_label(slider), (_pressing(slider, "ArrowRight"), _pressing(slider, "ArrowLeft")))


def _pressing(element: Locator, key: str) -> Callable[[], None]:
    return lambda: element.press(key)


def _choosing(box: Locator, option: str) -> Callable[[], None]:
    def choose() -> None:
        box.scroll_into_view_if_needed()
        box.page.wait_for_timeout(300)  # a list closes when the page scrolls
        box.click()
        box.page.get_by_role("option", name=option, exact=True).click()

    return choose


def _label(element: Locator) -> str:
    return element.get_attribute("aria-label") or element.inner_text().partition("\n")[0]
