"""Which models can be seen: every family of the installed libraries, built small and random, and what comes of it.

    make models                      # all of them, into docs/models.md; some 20 minutes
    python -m docs.models bert vit   # some of them: their rows take the place of those in docs/models.md

A family is built from its own configuration with small numbers in place of large ones, and run once. It is "exact" if
every map that the library's own eager attention gives equals one of the record's; "consistent" if nothing changes when
the record's own maps are pasted in place of the model's; else it is partly seen, not seen, or refused, with the
sentence; a family that could not be built or run on this input says why.
"""

import argparse
import contextlib
import math
import multiprocessing
import os
import re
import resource
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.capture import Paste, Record, edit_attention, record_attention
from core.errors import CaptureError
from docs import generation
from docs.families import NO_HEADS, Eager, Family, families

FILE = Path(__file__).with_suffix(".md")
PATIENCE = 120  # seconds for a family
MEMORY = 12 * 2**30  # bytes for a family: what is still huge with small numbers is not built
CLOSE = 1e-4  # weights and outputs that differ by less are the same
HEAD, WITHOUT = "| library | family | verdict | detail |", "Without attention heads, so not here: "
_PLACE = re.compile(r"[^\s'\"]*/site-packages/")  # where this machine has its libraries is no fact about them
LONGEST = 220  # characters of a library's own words


@dataclass(frozen=True)
class Row:
    """A family, its verdict and the detail."""

    library: str
    family: str
    verdict: str
    detail: str = ""


def main() -> None:
    """Write the page of all families, or the rows of some into the present page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*")
    chosen = parser.parse_args().families
    torch.set_num_threads(1)  # before anything is computed: threads of OpenMP do not outlive a fork
    rows = []
    for row in rows_of([family for family in families() if not chosen or family.name in chosen]):
        rows.append(row)
        print(f"{row.library} {row.family}: {row.verdict} {row.detail}", flush=True)
    rows_by_family = {(row.library, row.family): row for row in read(FILE)} if chosen else {}
    rows_by_family |= {(row.library, row.family): row for row in rows}
    page_text = FILE.read_text(encoding="utf-8") if chosen else generation.section()
    section = page_text[page_text.index(generation.HEADING) :]
    FILE.write_text(f"{page(list(rows_by_family.values()))}\n{section}", encoding="utf-8")


def rows_of(chosen: list[Family]) -> Iterator[Row]:
    """The rows of families in their order, each made in a process of its own, which may hang or run out of memory."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(_in_a_process, chosen)


def _in_a_process(family: Family) -> Row:
    context = multiprocessing.get_context("fork")  # what is imported and what builds go along
    receiver, sender = context.Pipe(duplex=False)

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        sender.send(row_of(family))

    child = context.Process(target=work, daemon=True)
    child.start()
    sender.close()
    try:
        if receiver.poll(PATIENCE):
            return receiver.recv()
        return Row(family.library, family.name, "not built", f"It takes more than {PATIENCE} seconds.")
    except EOFError:
        return Row(family.library, family.name, "not built", "Its process ended without a word.")
    finally:
        child.kill()


def row_of(family: Family) -> Row:
    """Build, run, record and compare one family; errors become rows too."""
    reason = ""
    for way in family.ways:
        try:
            torch.manual_seed(0)
            make, run, eager = way.build()
            model = make().eval()
            with torch.no_grad():
                plain = run(model)
        except Exception as error:  # whatever a library does with a configuration that it did not expect
            reason = reason or _words(error)
            continue
        verdict, detail = _safe_verdict(model, run, eager, plain)
        return Row(family.library, family.name, verdict, "; ".join(filter(None, [detail, way.note])))
    return Row(family.library, family.name, "not built", reason)


def _safe_verdict(model: nn.Module, *how: Any) -> tuple[str, str]:
    try:
        return verdict_of(model, *how)
    except CaptureError as error:
        return "refused", str(error)
    except Exception as error:
        if isinstance(error, MemoryError) or "allocate memory" in str(error):
            return "not built", f"It takes more than {MEMORY / 2**30:.0f} GB."
        return "FAILED", f"{type(error).__name__}: {_words(error)}"


def verdict_of(model: nn.Module, run: Callable[[nn.Module], Any], eager: Eager | None, plain: Any) -> tuple[str, str]:
    """The verdict on a model's record, and the detail of the row."""
    with torch.no_grad(), record_attention(model) as record:
        run(model)
    missing, notes = _missing_parts(record), []
    library_maps, reason = _their_maps(model, eager, plain)
    if library_maps:
        recorded_maps = [call.weights() for call in record]
        same = sum(any(_equal(own, other) for other in recorded_maps) for own in library_maps)
        notes.append(f"{same} of {len(library_maps)} maps")
        if same == len(library_maps) and not missing:
            return "exact", "; ".join(filter(None, [*notes, reason]))
        if same < len(library_maps):
            missing.append(f"{notes.pop()} equal the library's own")
    pasted, changed = _pasted(model, run, record, plain)
    if isinstance(changed, str):
        missing.append(f"edits are refused: {changed}")
    elif changed > CLOSE:
        missing.append(f"pasting its own maps moves the output by {changed:.1g}")
    elif not pasted:
        missing.append("nothing can be pasted, because its modules run several times or have a sink")
    else:
        # What was not pasted is not known to be consistent.
        (notes if pasted == len(record) else missing).append(f"{pasted} of {len(record)} maps pasted")
    return "partly" if missing else "consistent", "; ".join(filter(None, [*missing, *notes, reason]))


def _their_maps(model: nn.Module, eager: Eager | None, plain: Any) -> tuple[list[Tensor], str]:
    """The library's own maps of the same computation, and the reason why some are left out, or ""."""
    output, maps = None, []
    with contextlib.suppress(Exception):  # some have no eager form that gives maps
        output, maps = eager(model) if eager else (None, [])
    if maps and _apart(plain, output) > CLOSE:
        return [], "the library's eager form computes something else"
    usable_maps = [map_ for map_ in maps if _are_shares(map_.detach().nan_to_num())]
    return usable_maps, "what the library gives as maps is no softmax" if len(usable_maps) < len(maps) else ""


def _are_shares(weights: Tensor) -> bool:
    """Whether all weights are non-negative and no row sums to more than 1 (less where there is a sink)."""
    return bool((weights >= 0).all() and (weights.sum(-1) < 1.01).all())


def _missing_parts(record: Record) -> list[str]:
    """Texts about what the record itself reports as missing."""
    parts = []
    if record.unseen:
        parts.append(f"unseen: {', '.join(record.unseen[:3])}{' …' if len(record.unseen) > 3 else ''}")
    if record.partial:
        path, (rows, tokens) = next(iter(record.partial.items()))
        parts.append(f"{path}: {rows} of {tokens} rows")
    if any(call.over == "channel" for call in record):
        parts.append("some maps are over channels")
    return parts


def _pasted(model: nn.Module, run: Callable[[nn.Module], Any], record: Record, plain: Any) -> tuple[int, float | str]:
    """How many maps can be pasted over themselves, and the change of the output then, or the reason of a refusal."""
    counts = {path: sum(call.path == path for call in record) for path in record.paths}
    chosen = [call for call in record if counts[call.path] == 1 and call.sink is None]
    edits = {
        (call.path, head): Paste(
            torch.stack([call.weights(head, item) for item in range(call.batch_size)]).nan_to_num()
        )
        for call in chosen
        for head in range(call.heads)
    }
    if not edits:
        return 0, 0.0
    try:
        with torch.no_grad(), edit_attention(model, edits):
            return len(chosen), _apart(plain, run(model))
    except CaptureError as error:
        return 0, _words(error)


def _apart(first: Any, second: Any) -> float:
    """The largest absolute difference of two outputs; infinity where their shapes differ."""
    first_tensors, second_tensors = _tensors(first), _tensors(second)
    if [tensor.shape for tensor in first_tensors] != [tensor.shape for tensor in second_tensors]:
        return math.inf
    return max(
        (float((a - b).abs().max()) for a, b in zip(first_tensors, second_tensors, strict=True) if a.numel()),
        default=0.0,
    )


def _tensors(output: Any) -> list[Tensor]:
    """All floating-point tensors in an output, nested ones too, in their order."""
    if isinstance(output, Tensor):
        return [output.detach().float()] if output.is_floating_point() else []
    if isinstance(output, dict):
        return [tensor for value in output.values() for tensor in _tensors(value)]
    return [tensor for value in output for tensor in _tensors(value)] if isinstance(output, tuple | list) else []


def _equal(own: Tensor, other: Tensor) -> bool:
    """Whether a recorded map equals the library's own, which may leave out queries and keys of a prompt."""
    queries, keys = own.shape[-2:]
    other = other[..., -queries:, -keys:]
    return own.shape == other.shape and bool(((own - other.nan_to_num()).abs() < CLOSE).all())


def _words(error: Exception) -> str:
    words = _PLACE.sub("", " ".join(str(error).split())) or type(error).__name__
    return words if len(words) <= LONGEST else f"{words[:LONGEST].rpartition(' ')[0]} …"


def read(file: Path) -> list[Row]:
    """Read the rows of a page, with those of families without attention."""
    lines = file.read_text(encoding="utf-8").splitlines()
    first, last = lines.index(HEAD) + 2, next(place for place, line in enumerate(lines) if line.startswith(WITHOUT))
    cells = [line.strip("| ").split(" | ", 3) for line in lines[first:last] if line]
    without = filter(None, lines[last].removeprefix(WITHOUT).strip(".").split(", "))
    return [
        *(Row(*three, detail=_plain(detail)) for *three, detail in cells),
        *(Row("timm", name, "not built", NO_HEADS) for name in without),
    ]


def page(rows: list[Row]) -> str:
    """The page: a count of each verdict, the rows of families with attention, and a line with those without."""
    meanings = {
        "exact": "every map that the library's own eager attention gives equals one of the record's (to 0.0001)",
        "consistent": "nothing changes when the record's maps are pasted in place of the model's own",
        "partly": "something of it is not seen, cannot be edited, or differs: the row says what",
        "refused": "the recorder says why, in the sentence of the row",
        "not built": "no small random one could be made or run from its configuration alone; nothing is known of it",
        "FAILED": "the recorder ended in another error: a fault of ours",
    }
    order = {library: place for place, library in enumerate(("torch.nn", "torchvision", "timm", "transformers"))}
    rows = sorted(rows, key=lambda row: (order[row.library], row.family))
    without = [row for row in rows if row.detail == NO_HEADS]
    rows = [row for row in rows if row not in without]
    lines = [
        "# Which models can be seen",
        "",
        "Made by `make models`: every family of the installed libraries, small and with random weights, run once on "
        "one input. What is true of the small one is true of the large one: it is the same code.",
        "",
        "| verdict | families | what it says |",
        "|---|---|---|",
        *(f"| {name} | {sum(row.verdict == name for row in rows)} | {meaning} |" for name, meaning in meanings.items()),
        "",
        HEAD,
        "|---|---|---|---|",
        *(f"| {row.library} | {row.family} | {row.verdict} | {_cell(row.detail)} |" for row in rows),
        "",
        f"{WITHOUT}{', '.join(row.family for row in without)}.",
        "",
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _plain(cell: str) -> str:
    return cell.replace("\\|", "|").replace("&lt;", "<")


if __name__ == "__main__":
    main()
