"""Where the first figure of every section stands, what stands before it, and how far the page moves while it loads.

python -m benchmarks.figures                # all pages, three sizes of window: some ten minutes; rows go to RESULTS.md
python -m benchmarks.figures --pages clip joint
"""

import argparse
import statistics
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks import table
from benchmarks.server import ROOT, running_server
from benchmarks.table import Row
from dashboard import contents

COMMAND = "python -m benchmarks.figures"
SECTIONS = "What to look at"  # the name of a page's tabs for those who listen
QUIET = 400  # milliseconds without a change after which a page has come to rest
WITHIN = 120_000  # milliseconds

# The first plot, picture, view of ours or table of a page, no small control; a line of words across the page, some of
# them masked or tinted, is a figure of less height.
FIRST_FIGURE = """
const main = document.querySelector("[data-testid=stMain]");
const kinds = ".js-plotly-plot, [data-testid=stImage] img, [data-testid^=stBidiComponent], [data-testid=stTable], "
    + "[data-testid=stDataFrame]";
const figure = [...main.querySelectorAll(kinds)].find((one) => {
    const { height, width } = one.getBoundingClientRect();
    const isLarge = (height >= 90 && width >= 120) || (height >= 60 && width >= 600);
    return isLarge && one.checkVisibility({ visibilityProperty: true });
});
const above = (one) => one.getBoundingClientRect().top;
const top = figure && Math.round(above(figure) - above(main) + main.scrollTop);
"""
MEASURE = f"""(() => {{
{FIRST_FIGURE}
if (!figure) return null;
// The boxes of all that is drawn or written in a figure; a view of ours is often wider than that.
const within = (root) => [root, ...root.children].flatMap(
    (one) => (one === root ? (one.shadowRoot ? within(one.shadowRoot) : []) : [one, ...within(one)]));
const isInk = (one) => ["CANVAS", "IMG", "svg", "TD", "BUTTON"].includes(one.tagName)
    || [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
const inked = (one) => {{
    const isSeen = (part) => part.checkVisibility() && part.getBoundingClientRect().width > 1;
    const inks = within(one).filter((part) => isInk(part) && isSeen(part));
    return (inks.length ? inks : [one]).map((part) => part.getBoundingClientRect());
}};
const isBefore = (one) => figure.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING;
const isThere = (one) => isBefore(one) && one.checkVisibility();
const before = (selector) => [...main.querySelectorAll(selector)].filter(isThere);
const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
let words = 0;
while (texts.nextNode()) {{
    const holder = texts.currentNode.parentElement;
    const isSpoken = !["STYLE", "SCRIPT"].includes(holder.tagName);
    if (isThere(holder) && isSpoken) words += (texts.currentNode.data.match(/\\S+/g) ?? []).length;
}}
const seen = (low, high, most) => Math.max(0, Math.min(high, most) - Math.max(low, 0));
const isBeside = (one) => Math.abs(above(one) - above(figure)) < 70 && one.getBoundingClientRect().height >= 90;
const isSeen = (one) => one === figure || (isBeside(one) && one.checkVisibility());
const row = [...main.querySelectorAll(kinds)].filter(isSeen);
const boxes = row.map((one) => {{
    const inks = inked(one);
    return {{
        across: seen(Math.min(...inks.map((ink) => ink.left)), Math.max(...inks.map((ink) => ink.right)), innerWidth),
        down: seen(Math.min(...inks.map((ink) => ink.top)), Math.max(...inks.map((ink) => ink.bottom)), innerHeight),
    }};
}});
const sum = (values) => values.reduce((total, value) => total + value, 0);
return {{
    top,
    words,
    controls: before("input, button, select, textarea, [role=slider]").length,
    share: sum(boxes.map(({{ across, down }}) => across * down)) / (innerWidth * innerHeight),
    side: Math.max(
        Math.max(...boxes.map(({{ down }}) => down)) / innerHeight,
        sum(boxes.map(({{ across }}) => across)) / innerWidth,
    ),
    shift: window.shifted ?? 0,
}};
}})()"""
# Cumulative layout shift: the largest sum of shifts within five seconds, here the sum of all, without those that follow
# a visitor's input (https://web.dev/articles/cls).
NOTE_SHIFTS = """
new PerformanceObserver((list) => {
    const own = list.getEntries().filter((entry) => !entry.hadRecentInput);
    window.shifted = own.reduce((sum, entry) => sum + entry.value, window.shifted ?? 0);
}).observe({ type: "layout-shift", buffered: true });
"""
REST = """
(() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
    && !document.querySelector("[data-testid=stSkeleton]") && document.querySelector("[data-testid=stMain] h1")
    && !document.getAnimations().some((one) => one.transitionProperty === "opacity"))
"""


@dataclass(frozen=True)
class Size:
    """A window: its name in the table, size in pixels, what is added to the address, how low a figure may begin."""

    name: str
    width: int
    height: int
    query: str
    lowest: int


SIZES = (
    Size("at 1280 x 800", 1280, 800, "", 350),
    Size("on a phone (390 x 844)", 390, 844, "", 844),
    Size("presented (1920 x 1080)", 1920, 1080, "present=1", 350),
)


@dataclass(frozen=True)
class Measured:
    """What was measured of one section: pixels above its figure, words and controls before it, shares, layout shift.

    `share` is of the screen's area and `side` of its height or width, the larger of both; figures side by side count
    together. Where the shape of a figure (a square map, a line of words) forbids much of the area, `side` can be large.
    """

    section: str
    top: int
    words: int
    controls: int
    share: float
    side: float
    shift: float


def main() -> None:
    """Measure, and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", nargs="*", help="addresses of pages, for instance clip (default: all)")
    chosen = parser.parse_args().pages
    pages = [page for page in contents.pages() if not chosen or page.url in chosen]
    table.write(table.print_rows(rows(pages)), complete=not chosen, command=COMMAND)


def rows(pages: Sequence[contents.Page]) -> Iterator[Row]:
    """The rows of all sizes of window."""
    chromium = subprocess.run([ROOT / "bin" / "browser"], capture_output=True, text=True, check=True).stdout.strip()
    with sync_playwright() as playwright, running_server() as (address, _):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for size in SIZES:
            yield from rows_of(size, [one for page in pages for one in measured(browser, address, page, size)])
        browser.close()


def measured(browser: Browser, address: str, page: contents.Page, size: Size) -> Iterator[Measured]:
    """Each section of a page in a window of its own; those without a figure are left out."""
    context = browser.new_context(viewport={"width": size.width, "height": size.height})
    context.add_init_script(NOTE_SHIFTS)
    tab = context.new_page()
    tab.set_default_timeout(WITHIN)
    names = [""]
    for number, name in enumerate(names):
        show = f"show={name.replace(' ', '+').replace('?', '%3F')}" if number else ""
        tab.goto(f"{address}/{page.url}?{'&'.join(filter(None, (show, size.query)))}")
        _rest(tab)
        if not number:
            tabs = tab.get_by_role("radiogroup", name=SECTIONS).get_by_role("radio").all_inner_texts()
            names += tabs[1:]
            name = tabs[0] if tabs else page.name
        if result := tab.evaluate(MEASURE):
            print(f"  {size.name}: {page.name} / {name}: {result}", flush=True)
            yield Measured(f"{page.name} / {name}", **result)
    context.close()


def _rest(tab: Page) -> None:
    for _ in range(2):
        tab.wait_for_function(REST)
        tab.wait_for_timeout(QUIET)


def rows_of(size: Size, sections: Sequence[Measured]) -> Iterator[Row]:
    """The rows of one size of window: the lowest figure, words and controls before it, the largest shift."""
    if not sections:
        return
    named: Mapping[str, str] = {
        "top": "first figure begins",
        "words": "words before it",
        "controls": "controls before it",
    }
    budgets = {"top": float(size.lowest), "words": None, "controls": None}
    for name, what in named.items():
        worst = max(sections, key=lambda section: getattr(section, name))
        middle = statistics.median(getattr(section, name) for section in sections)
        unit = "px" if name == "top" else name
        yield Row(
            f"Sections {size.name}: {what}, most of {len(sections)}",
            getattr(worst, name),
            unit,
            budgets[name],
            detail=f"{worst.section}; median {middle:g}",
        )
    shifted = max(sections, key=lambda section: section.shift)
    few = sum(section.shift <= 0.1 for section in sections)
    detail = f"{shifted.section}; {few} of {len(sections)} at most 0.1"
    yield Row(f"Sections {size.name}: layout shift while loading, most", shifted.shift, "", 0.1, detail=detail)
    if size.query:
        shares = [100 * section.share for section in sections]
        detail = f"{min(shares):.0f} to {max(shares):.0f} %; {sum(share >= 75 for share in shares)} fill 75 %"
        yield Row(
            f"Sections {size.name}: share of the screen, median", statistics.median(shares), "%", 75, True, detail
        )
        sides = [100 * section.side for section in sections]
        narrow = min(sections, key=lambda section: section.side)
        detail = (
            f"{narrow.section}; median {statistics.median(sides):.0f} %; {sum(side >= 75 for side in sides)} fill 75 %"
        )
        yield Row(f"Sections {size.name}: share of the height or width, least", min(sides), "%", 75, True, detail)


if __name__ == "__main__":
    main()
