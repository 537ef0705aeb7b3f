"""How the workers share the tests: the longest files begin, and a file that visits every page is divided by page."""

import re

from xdist.scheduler import LoadFileScheduling

from dashboard import contents

# Files whose tests visit one page each, and the name of their groups.
DIVIDED = {
    "tests/browser/test_every_section.py": "browser",
    "tests/pages/test_addresses.py": "addresses",
}
# Places in the order in which they begin, so that no long file is left when the other workers have none; whatever lies
# elsewhere comes after these.
ORDER = (
    "browser/test_classroom.py",
    "pages/test_addresses.py",
    "browser",
    "training",
    "test_models.py",
    "test_environment.py",
    "test_wheel.py",
    "test_recipes.py",
    "pages",
)
PAGES = {name for page in contents.pages() for name in (page.name, page.url or "home")}


class PageScheduling(LoadFileScheduling):
    """One file after the other for each worker, but for those that are divided by page."""

    def _split_scope(self, nodeid: str) -> str:
        return scope(nodeid)


def scope(nodeid: str) -> str:
    """What is run by one worker: the tests of a file, or those that visit one page."""
    file = nodeid.split("::", 1)[0]
    page = re.search(r"\[(.+)\]$", nodeid)
    if file in DIVIDED and page and page[1] in PAGES:
        return f"{DIVIDED[file]}: {page[1]}"
    return file


def turn(path: str) -> int:
    """When a file begins, by its path within tests/: 0 is first."""
    return next((turn for turn, place in enumerate(ORDER) if f"{path}/".startswith(f"{place}/")), len(ORDER))
