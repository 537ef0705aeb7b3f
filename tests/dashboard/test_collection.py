"""In processes of their own: freezing objects would change all tests that follow."""

import subprocess
import sys

from dashboard.contents import ROOT

COUNT = """
import gc, sys
from dashboard.runs.collection import set_aside
watched = lambda: len(gc.get_objects())
before = watched()
set_aside()
assert watched() < before / 10, "what has been there is no longer looked through"
kept = [[] for _ in range(1000)]
set_aside()
assert watched() > 1000, "without new modules nothing more is set aside"
import colorsys
set_aside()
assert watched() < before / 10, "new modules are"
cycle = []
cycle.append(cycle)
del cycle
assert gc.collect() > 0, "what is garbage later is still found"
"""


def test_what_stays_is_out_of_the_collection_and_garbage_is_not():
    subprocess.run([sys.executable, "-W", "ignore", "-c", COUNT], cwd=ROOT, check=True)
