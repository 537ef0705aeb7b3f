"""`make bench-load`: all six measurements, written into the table; `python -m benchmarks.load PART`: one, printed."""

import argparse
import statistics

from benchmarks import table
from benchmarks.load import crowd, fairness, flood, following, memory, reruns
from benchmarks.load.pages import PLACES

PARTS = (reruns, fairness, following, flood, crowd, memory)


def main() -> None:
    """Measure the part that the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part")
    rerun_parser = parts.add_parser(
        "rerun", help="processor time of the server for one rerun of a page, in milliseconds"
    )
    rerun_parser.add_argument(
        "pages", nargs="*", help=f"of {', '.join(place.url for place in PLACES)}; without any, all"
    )
    rerun_parser.add_argument("--repeats", type=int, default=reruns.REPEATS)
    crowd_parser = parts.add_parser("crowd", help="waits of many visitors at once, beside the empty page")
    crowd_parser.add_argument(
        "--visitors", type=int, nargs="*", default=sorted({size.visitors for size in crowd.CROWDS})
    )
    crowd_parser.add_argument("--processes", type=int, default=1)
    crowd_parser.add_argument("--seconds", type=float, default=crowd.SECONDS)
    fairness_parser = parts.add_parser("fairness", help="waits for new sentences while two visitors measure everything")
    fairness_parser.add_argument("--questions", type=int, default=fairness.QUESTIONS)
    following_parser = parts.add_parser("following", help="a teacher's step until the last follower of a class has it")
    following_parser.add_argument("--followers", type=int, default=following.FOLLOWERS)
    following_parser.add_argument("--steps", type=int, default=following.STEPS)
    flood_parser = parts.add_parser("flood", help="what another visitor waits while a class sends all that it may")
    flood_parser.add_argument("--followers", type=int, default=flood.FOLLOWERS)
    memory_parser = parts.add_parser("memory", help="the resident set after so many sessions, and after as many again")
    memory_parser.add_argument("--sessions", type=int, default=memory.SESSIONS)
    memory_parser.add_argument("--texts", type=int, default=memory.TEXTS)
    memory_parser.add_argument("--pictures", type=int, default=memory.PICTURES)
    memory_parser.add_argument("--keep-mb", type=int, default=memory.KEEP_MB)
    chosen = parser.parse_args()
    if chosen.part is None:
        rows: list[table.Row] = []
        for part in PARTS:
            rows += table.print_rows(part.rows())
            # After each part: what was measured stays if a later one fails.
            table.write(rows, complete=part is PARTS[-1], command="make bench-load")
    elif chosen.part == "rerun":
        _print_reruns(chosen.pages, chosen.repeats)
    elif chosen.part == "crowd":
        _print_crowds([crowd.Size(count, chosen.processes) for count in chosen.visitors], chosen.seconds)
    elif chosen.part == "fairness":
        waits_beside = fairness.measure(chosen.questions)
        for name, waits in (("alone", waits_beside.alone), ("beside two who measure", waits_beside.beside)):
            print(f"{name}: median {statistics.median(waits):.3f} s, longest {max(waits):.3f} s")
        print(f"long jobs finished meanwhile: {waits_beside.measured}")
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
            remark = f"{half.failed} sessions failed, {half.seconds:.0f} s"
            print(f"{name}: {half.resident / 1e6:,.0f} MB resident, {remark}", flush=True)


def _print_reruns(pages: list[str], repeats: int) -> None:
    places = [place for place in PLACES if not pages or place.url in pages]
    names = ("again", "known", "by a link", "new", "model", "rest", "kB")
    print(f"{'ms of processor time':22}" + "".join(f"{name:>11}" for name in names))
    for costs in reruns.measure(places, repeats):
        milliseconds = [costs.again, costs.known, costs.opened]
        if costs.new is not None and costs.model is not None:
            milliseconds += [costs.new, costs.model, costs.new - costs.model]
        blank = " " * 11 * (6 - len(milliseconds))
        figures = "".join(f"{value:11.1f}" for value in milliseconds)
        print(f"{costs.page:22}{figures}{blank}{costs.received / 1000:11.1f}", flush=True)


def _print_crowds(sizes: list[crowd.Size], seconds: float) -> None:
    for size, where, atlas, empty in crowd.measure(sizes, seconds):
        for name, result in (("the empty page", empty), (where, atlas)):
            waits = f"median {result.seconds(share=0.5):.3f} s, 95th percentile {result.seconds(share=0.95):.3f} s"
            print(f"{size.words}, {name}: {waits}, {len(result.waits)} requests, {len(result.troubles)} errors")
            print(f"  cores in use: server {result.server:.2f}, visitors {result.client:.2f}")
            print(crowd.percentiles_by_page(result), *result.troubles[:5], sep="\n  ", flush=True)


if __name__ == "__main__":
    main()
