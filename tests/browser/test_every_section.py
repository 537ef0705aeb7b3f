"""Every section: without an error, easy to read (axe-core), no formula cut off, as the content policy wants it.

Its first figure begins high on the screen, and on a phone on the first one. There, with all that is folded open, it is
no wider than the screen.
"""

import re
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Page, expect

from benchmarks.figures import FIRST_FIGURE
from dashboard import contents
from tests.browser.conftest import DESK, PHONE, sections, settled, unfold
from tests.page_prose import sections_of

SERVER = Path(__file__).parents[2] / "dashboard" / "hosting" / "server.py"
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")

# What Streamlit makes and no setting changes: rule, where, and why it is no barrier.
EXCEPTIONS = (
    # The groups of the table of contents are boxes between the list and its items; the links are links all the same.
    ("list", "[data-testid=stSidebarNavItems]"),
    ("listitem", "[data-testid=stSidebarNavItems] li"),
    # A formula that is wider than its column scrolls; Chromium and Firefox let the keyboard scroll any such box.
    ("scrollable-region-focusable", ".katex-display"),
    # The name of a control that cannot be used now (WCAG 2.2, 1.4.3: inactive components need no contrast).
    ("color-contrast", ".st-key-temperature label p"),
    # White on the accent, in dark 2.1 : 1. Streamlit has no setting for it, and an accent dark enough for white letters
    # could not be read as letters on the dark page. Each chip's name stands in the list of choices as well.
    ("color-contrast", "[data-testid=stMultiSelect] span[title]"),
)


@pytest.mark.parametrize("entry", contents.pages(), ids=lambda entry: entry.name)
def test_every_section_is_alive_easy_to_read_fits_a_phone_and_does_what_the_policy_allows(
    browser_page: Page, streamlit_server, entry: contents.Page
):
    page = opened(browser_page, f"{streamlit_server(SERVER)}/{entry.url}")
    expect(page).to_have_title("Attention Atlas" if entry is contents.HOME else f"{entry.name} · Attention Atlas")
    problems: list[str] = []
    page.emulate_media(color_scheme="dark")
    settled(page)
    # The page is the same but for its colours, and those are the same in each section.
    problems += [f"dark: {violation}" for violation in violations(page, "color-contrast")]
    page.get_by_role("button", name="Present").first.click()
    page.mouse.move(0, 0)  # what lies below the pointer has another colour
    expect(page).to_have_url(re.compile("present=1"))
    settled(page)
    problems += [f"dark, on a projector: {violation}" for violation in violations(page)]
    page.emulate_media(color_scheme="light")
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("present"))
    settled(page)
    visited = set()
    for name in sections(page, entry.name):
        visited.add(name)
        problems += [f"{name}, light: {violation}" for violation in violations(page) + canvases_without_a_name(page)]
        problems += [f"{name}: what to notice stands {down} pixels down" for down in page.evaluate(LATE)]
        problems += figure_too_low(page, f"{entry.url}/{name}", HIGHEST)
        unfold(page)
        problems += [f"{name}: wider than its column: {formula}" for formula in page.evaluate(WIDER)]
        problems += [f"{name}: cut off above or below: {formula}" for formula in page.evaluate(TALLER)]
        problems += [f"{name}: {error}" for error in page.locator(ERRORS).all_inner_texts()]
        page.set_viewport_size(PHONE)
        settled(page)
        problems += figure_too_low(page, f"{entry.url}/{name}, on a phone", PHONE["height"])
        problems += [f"{name}, on a phone: {element}" for element in page.evaluate(BEYOND)]
        page.set_viewport_size(DESK)
    expected = sections_of(entry)
    assert visited == (expected if len(expected) > 1 else {entry.name})
    problems += page.evaluate("window.refused")
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("method", ["Performer", "Clustered", "Linformer"])
def test_formulas_of_other_methods_fit_too(browser_page: Page, streamlit_server, method: str):
    address = f"{streamlit_server(SERVER)}/{contents.EFFICIENT.url}?show=Maps&maps_method={method}"
    browser_page.goto(address)
    expect(browser_page.get_by_role("heading", name="How it is computed")).to_be_visible()
    settled(browser_page)
    assert not browser_page.evaluate(WIDER)


def opened(page: Page, address: str) -> Page:
    """A page that has come to rest, with axe-core in it."""
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settled(page)
    page.evaluate(AXE)
    return page


# If the page scrolls sideways: the outermost of what ends beyond it, and is in no box of its own that scrolls or cuts.
BEYOND = """
(() => {
    const main = document.querySelector("[data-testid=stMain]");
    if (main.scrollWidth <= innerWidth) return [];
    const within = (one) =>
        one === main || (getComputedStyle(one).overflowX === "visible" && within(one.parentElement));
    const wide = [...main.querySelectorAll("*")].filter(
        (one) => one.getBoundingClientRect().right > innerWidth + 1 && within(one.parentElement));
    const outermost = wide.filter((one) => !wide.includes(one.parentElement));
    return [`${main.scrollWidth} pixels wide`, ...outermost.map((one) => one.outerHTML.slice(0, 200))];
})()
"""

ERRORS = "[data-testid=stException], .katex-error"

# The displayed formulas that are wider than what holds them, with their LaTeX; a few pixels are rounding.
WIDER = """
[...document.querySelectorAll(".katex-display")]
  .filter((formula) => formula.clientWidth && formula.scrollWidth > formula.clientWidth + 3)
  .map((formula) => formula.querySelector("annotation")?.textContent ?? formula.textContent)
"""

# The displayed formulas that are taller than their box, which hides what is beyond it.
TALLER = """
[...document.querySelectorAll(".katex-display")]
  .filter((formula) => formula.clientHeight && formula.scrollHeight > formula.clientHeight + 1)
  .map((formula) => formula.querySelector("annotation")?.textContent ?? formula.textContent)
"""

# How far down the sentence to notice stands, where that is beyond a screen and a third: visitors miss it there.
LATE = """
[...document.querySelectorAll("[data-testid=stMarkdown] strong")]
  .filter((word) => word.textContent === "Notice:")
  .map((word) => word.getBoundingClientRect().top + document.querySelector("[data-testid=stMain]").scrollTop)
  .filter((down) => down > (4 / 3) * innerHeight)
"""


HIGHEST = 350  # pixels above a section's first figure at 1280 x 800
LOW: dict[str, int] = {}  # sections whose first figure may begin lower, and how low


def figure_too_low(page: Page, section: str, most: int) -> list[str]:
    """A sentence about the first figure if it begins more than `most` pixels below the top; none for no figure."""
    top, most = page.evaluate(f"(() => {{ {FIRST_FIGURE} return top; }})()"), LOW.get(section, most)
    return [f"{section}: the first figure begins {top} pixels down, {most} are allowed"] if top and top > most else []


def violations(page: Page, *rules: str) -> list[str]:
    """What axe-core finds severe, by all its rules or by some: the rule, the reason, the element."""
    return page.evaluate(LOOK_THROUGH, {"rules": list(rules), "exceptions": EXCEPTIONS})


# Headings that jump are "moderate" to axe-core, and to us a violation.
LOOK_THROUGH = """async ({ rules, exceptions }) => {
    const options = { resultTypes: ["violations"], elementRef: true, ...(rules.length && { runOnly: rules }) };
    const { violations } = await axe.run(document, options);
    return violations
        .filter(({ impact, id }) => ["serious", "critical"].includes(impact) || id === "heading-order")
        .flatMap((rule) => rule.nodes.map((node) => [rule.id, node]))
        .filter(([rule, { element }]) => !exceptions.some((known) => known[0] === rule && element.matches(known[1])))
        .map(([rule, node]) => `${rule}: ${node.failureSummary.split("\\n")[1].trim()} ${node.html.slice(0, 200)}`);
}"""


def canvases_without_a_name(page: Page) -> list[str]:
    """Drawings that no element around them says anything of; Streamlit's tables hold their cells as text."""
    return page.evaluate(UNNAMED)


UNNAMED = """() => {
    const within = (root) =>
        [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? within(one.shadowRoot) : [])]);
    const names = "[aria-label]:not([aria-label='']), button, .legend, [data-testid=stDataFrame]";
    return within(document)
        .filter((one) => one.tagName === "CANVAS" && one.checkVisibility() && !one.closest(names))
        .map((one) => `a canvas without a name in ${one.parentElement.outerHTML.slice(0, 200)}`);
}"""
