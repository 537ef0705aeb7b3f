"""Two tasks with known answers, the small GPTs that learned them, and the strongest links of their heads.

    from . import TASKS, load_small_gpt, strongest_links, write

    task, network = TASKS["sort"], load_small_gpt("sort")
    write(network, task, task.read("352041")).text                        # "012345"
    strongest_links(network, task, task.draw(512, seed=0)).pointed       # (layer, head, aim): in how many of 512

A problem is a row of digits; as the model reads it, signs stand between them: "352041=", "47+85=".
"""

from .links import Links, strongest_links
from .small_gpts import WrittenAnswer, load_small_gpt, right_digits, save_small_gpts, with_answers, write
from .tasks import ALPHABET, SHARE, TASKS, Aim, Task

__all__ = [
    "ALPHABET",
    "SHARE",
    "TASKS",
    "Aim",
    "Links",
    "Task",
    "WrittenAnswer",
    "load_small_gpt",
    "right_digits",
    "save_small_gpts",
    "strongest_links",
    "with_answers",
    "write",
]
