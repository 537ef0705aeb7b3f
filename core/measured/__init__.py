"""What was measured with this project's own scripts: every row names the command and the machine that made it."""

from core.measured.small_data import SMALL_DATA, SmallDataRun, small_data_runs

__all__ = ["SMALL_DATA", "SmallDataRun", "small_data_runs"]
