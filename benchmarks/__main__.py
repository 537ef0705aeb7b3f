"""`make bench`: each row a ratio or a wait measured in this run; written to RESULTS.md and results.json.

python -m benchmarks                    # everything
python -m benchmarks foundations        # one part; the rows of the others stay as they were measured
"""

import argparse

from benchmarks import (
    bertviz_peer,
    browser,
    foundations,
    language,
    long_text,
    pictures,
    recording,
    scale,
    table,
    translation,
    vision,
    words_and_pictures,
)

PARTS = {
    "recording": recording.rows,
    "tiles": recording.tile_rows,
    "bertviz": bertviz_peer.rows,
    "browser": browser.rows,
    "foundations": foundations.rows,
    "translation": translation.rows,
    "language": language.rows,
    "long_text": long_text.rows,
    "vision": vision.rows,
    "pictures": pictures.rows,
    "words_and_pictures": words_and_pictures.rows,
    "scale": scale.rows,
}


def main() -> None:
    """Measure, print each row, write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; without any, everything is measured")
    chosen = parser.parse_args().parts or list(PARTS)
    if unknown := set(chosen) - PARTS.keys():
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    rows = table.print_rows(row for part in chosen for row in PARTS[part]())
    table.write(rows, complete=set(chosen) == set(PARTS))


if __name__ == "__main__":
    main()
