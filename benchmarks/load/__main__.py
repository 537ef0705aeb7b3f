"""`python -m benchmarks.load rerun|crowd|fairness|memory`: one of the four measurements alone, printed only."""

import argparse

from benchmarks.load import reruns
from benchmarks.load.pages import PLACES


def main() -> None:
    """Measure what was asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    rerun = parts.add_parser("rerun", help="processor time of the server for one rerun of a page, in milliseconds")
    rerun.add_argument("pages", nargs="*", help=f"of {', '.join(place.url for place in PLACES)}; without any, all")
    rerun.add_argument("--repeats", type=int, default=reruns.REPEATS)
    chosen = parser.parse_args()
    if chosen.part == "rerun":
        _print_reruns(chosen.pages, chosen.repeats)


def _print_reruns(pages: list[str], repeats: int) -> None:
    places = [place for place in PLACES if not pages or place.url in pages]
    names = ("again", "known", "by a link", "new", "model", "rest", "kB")
    print(f"{'ms of processor time':22}" + "".join(f"{name:>11}" for name in names))
    for costs in reruns.measure(places, repeats):
        shown = [costs.again, costs.known, costs.opened]
        if costs.new is not None and costs.model is not None:
            shown += [costs.new, costs.model, costs.new - costs.model]
        blank = " " * 11 * (6 - len(shown))
        figures = "".join(f"{value:11.1f}" for value in shown)
        print(f"{costs.page:22}{figures}{blank}{costs.received / 1000:11.1f}", flush=True)


if __name__ == "__main__":
    main()
