"""Take the pictures of README.md and docs/pages.md, of all pages or of some (needs what `make test` has).

.venv/bin/python -m docs.screenshots [NAME ...]
"""

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.server import ROOT, running_server

FOLDER = Path(__file__).parent
SIZE = {"width": 1280, "height": 960}

# file -> address, theme, and what is there once the page is complete
PICTURES = {
    "home": ("", "light", ".atlas .reading h2"),
    "lessons": ("text?lesson=first-twenty-minutes&station=2", "light", ".js-plotly-plot"),
    "text": ("text", "light", ".atlas .reading h2"),
    "image": ("image", "dark", ".atlas .reading h2"),
    "heads": ("heads", "light", ".st-key-jobs"),
    "order": ("order?show=Waves", "light", ".js-plotly-plot"),
    "before": ("before", "dark", ".js-plotly-plot"),
    "inside": ("inside", "light", ".js-plotly-plot"),
    "translation": ("translation", "light", ".st-key-translate_alignment canvas"),
    "next-word": ("next-word?writes_seed=3", "light", ".atlas .reading h2"),
    "missing-word": ("missing-word?show=Grammar", "light", ".js-plotly-plot"),
    "sentiment": ("sentiment?show=Read", "light", ".tinted .text"),
    "long-text": ("long-text?place=5.5", "light", ".links li"),
    "vit": ("vit?show=Maps", "light", ".photos .told"),
    "swin": ("swin?show=Maps", "dark", ".photos .told"),
    "reconstruction": ("reconstruction", "light", ".st-key-gaps-guessed canvas"),
    "captioning": ("captioning?world=Photographs&picture=cat&network_kind=Transformer", "light", ".wordmaps .told"),
    "joint": ("joint?joint_text=a+red+star+above+a+blue+circle", "light", ".wordmaps .told"),
    "clip": ("clip?show=Why%3F&why_scenes=a+red+star+above+a+blue+circle", "light", ".wordmaps .told"),
    "generation": ("generation?show=Who+told+it%3F&candidates=16", "light", ".beside .pointed"),
    "scaling": ("scaling?show=Images", "light", ".js-plotly-plot"),
    "efficient": ("efficient?show=Maps", "light", ".js-plotly-plot"),
    "shrinking": ("shrinking?show=All+together&shrunk=Vision+transformer", "light", ".js-plotly-plot"),
    "glossary": ("glossary?term=residual+stream", "light", ".st-key-asked"),
    "steps": ("steps?show=Eight+steps&begin=Your+sentence&layer=3&head=2&step=score", "light", ".steps"),
}


def main() -> None:
    """Take a PNG of each page, or of those that the command line names."""
    chromium = subprocess.run([ROOT / "bin" / "browser"], capture_output=True, text=True, check=True).stdout.strip()
    with sync_playwright() as playwright, running_server() as (address, _):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, (path, theme, ready) in PICTURES.items():
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            page = browser.new_page(viewport=SIZE, color_scheme=theme)
            page.goto(f"{address}/{path}")
            page.locator(ready).first.wait_for(timeout=60_000)
            page.wait_for_timeout(2000)  # fonts, and the charts further down
            page.screenshot(path=FOLDER / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
