"""`make bench-load`: all six measurements, written into the table; `python -m benchmarks.load PART`: one, printed."""

import argparse
import statistics

from benchmarks import table
from benchmarks.load import crowd, fairness, flood, following, memory, reruns
from benchmarks.load.pages import PLACES

PARTS = (reruns, fairness, following, flood, crowd, memory)


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part")
    rerun = parts.add_parser("rerun", help="processor time of the server for one rerun of a page, in milliseconds")
    rerun.add_argument("pages", nargs="*", help=f"of {', '.join(place.url for place in PLACES)}; without any, all")
    rerun.add_argument("--repeats", type=int, default=reruns.REPEATS)
    many = parts.add_parser("crowd", help="waits of many visitors at once, beside the empty page")
    many.add_argument("--visitors", type=int, nargs="*", default=sorted({size.visitors for size in crowd.CROWDS}))
    many.add_argument("--processes", type=int, default=1)
    many.add_argument("--seconds", type=float, default=crowd.SECONDS)
    fair = parts.add_parser("fairness", help="waits for new sentences while two visitors measure everything")
    fair.add_argument("--questions", type=int, default=fairness.QUESTIONS)
    led = parts.add_parser("following", help="a teacher's step until the last follower of a class has it")
    led.add_argument("--followers", type=int, default=following.FOLLOWERS)
    led.add_argument("--steps", type=int, default=following.STEPS)
    much = parts.add_parser("flood", help="what another visitor waits while a class sends all that it may")
    much.add_argument("--followers", type=int, default=flood.FOLLOWERS)
    kept = parts.add_parser("memory", help="the resident set after so many sessions, and after as many again")
    kept.add_argument("--sessions", type=int, default=memory.SESSIONS)
    kept.add_argument("--texts", type=int, default=memory.TEXTS)
    kept.add_argument("--pictures", type=int, default=memory.PICTURES)
    kept.add_argument("--keep-mb", type=int, default=memory.KEEP_MB)
    chosen = parser.parse_args()
    if chosen.part is None:
        rows: list[table.Row] = []
        for part in PARTS:
            rows += table.said(part.rows())
            # After each part: what was measured stays if a later one fails.
            table.write(rows, whole=part is PARTS[-1], command="make bench-load")
    elif chosen.part == "rerun":
        _print_reruns(chosen.pages, chosen.repeats)
    elif chosen.part == "crowd":
        _print_crowds([crowd.Size(count, chosen.processes) for count in chosen.visitors], chosen.seconds)
    elif chosen.part == "fairness":
        found = fairness.measure(chosen.questions)
        for name, waits in (("alone", found.alone), ("beside two who measure", found.beside)):
            print(f"{name}: median {statistics.median(waits):.3f} s, longest {max(waits):.3f} s")
        print(f"long jobs finished meanwhile: {found.measured}")
    elif chosen.part == "following":
        steps = following.measure(chosen.followers, chosen.steps)
        middle, cost = statistics.median(steps.waits), steps.processor / chosen.steps
        print(f"median {middle:.3f} s, 95th percentile {steps.late:.3f} s, longest {max(steps.waits):.3f} s")
        print(f"processor time of the server for a step: {1000 * cost:.1f} ms")
    elif chosen.part == "flood":
        beside = flood.measure(chosen.followers)
        middle, longest = statistics.median(beside.seconds), max(beside.seconds)
        print(f"median {middle:.3f} s, 99th percentile {beside.late:.3f} s, longest {longest:.3f} s")
    elif chosen.part == "memory":
        halves = memory.measure(chosen.sessions, chosen.texts, chosen.pictures, chosen.keep_mb)
        for name, half in zip(("before", "first half", "second half"), halves, strict=True):
            said = f"{half.failed} sessions failed, {half.seconds:.0f} s"
            print(f"{name}: {half.resident / 1e6:,.0f} MB resident, {said}", flush=True)


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


def _print_crowds(sizes: list[crowd.Size], seconds: float) -> None:
    for size, where, atlas, empty in crowd.measure(sizes, seconds):
        for name, met in (("the empty page", empty), (where, atlas)):
            waits = f"median {met.seconds(share=0.5):.3f} s, 95th percentile {met.seconds(share=0.95):.3f} s"
            print(f"{size.words}, {name}: {waits}, {len(met.waits)} requests, {len(met.troubles)} errors")
            print(f"  cores in use: server {met.server:.2f}, visitors {met.client:.2f}")
            print(crowd.told(met), *met.troubles[:5], sep="\n  ", flush=True)


if __name__ == "__main__":
    main()
