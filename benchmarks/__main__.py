"""`make bench`: one table, each row a ratio or a wait measured in this run; written to RESULTS.md and results.json."""

from itertools import chain

from benchmarks import bertviz_peer, browser, foundations, recording, table, visitors


def main() -> None:
    """Measure, say each row as it comes, write the table."""
    rows = []
    parts = (recording.rows, recording.tile_rows, bertviz_peer.rows, browser.rows, foundations.rows, visitors.rows)
    for row in chain.from_iterable(part() for part in parts):
        print(f"{row.what}: {row.shown} {row.unit}  {row.verdict.replace('*', '')}  {row.detail}", flush=True)
        rows.append(row)
    table.write(rows)


if __name__ == "__main__":
    main()
