"""`python -m dashboard.cluster.head`: Ray, started or joined, with workers, until either of the two ends.

Without RAY_ADDRESS, Ray is started on this computer, for this computer alone (`own_computer`). ATLAS_CLUSTER names the
file in which fronts find the address of Ray, which is another one at each start.
"""

import argparse
import os
import signal
import sys
import time
from pathlib import Path

from dashboard.cluster import serving


def main() -> int:
    """Serve until SIGTERM; the exit code."""
    options, file = read(), Path(os.environ["ATLAS_CLUSTER"])
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    file.unlink(missing_ok=True)  # of one that was killed, with its Ray: fronts see by it that there is none
    try:
        if "RAY_ADDRESS" in os.environ:
            serving.join(os.environ["RAY_ADDRESS"])
        else:
            serving.start_here(metrics_port=options.metrics or None)
        serving.deploy(least=options.workers, most=max(options.workers, options.most), cpus=options.cores)
        new = file.with_suffix(".new")
        new.write_text(serving.address())
        new.replace(file)
        while serving.is_running():
            time.sleep(serving.LOOK_PAUSE)
        file.unlink(missing_ok=True)
        os._exit(1)  # Ray's own end would wait for what is not there any more
    except KeyboardInterrupt:
        serving.end()
        return 0


def read() -> argparse.Namespace:
    """The parsed arguments, which `with_workers` has checked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("workers", "most", "cores", "metrics"):
        parser.add_argument(f"--{name}", type=int, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
