"""What only a process of its own can say: what it has loaded, and what is answered where no types are checked."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.test_zoo_embedded import weights  # noqa: F401

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from pathlib import Path
import core.zoo
print("transformers" in sys.modules, "timm" in sys.modules)
model = core.zoo.embedded.load_embedded_text("gpt-books", weights=Path(sys.argv[1]))
print("transformers" in sys.modules, "torch._dynamo" in sys.modules)

from core.capture import record_attention
from core.errors import CaptureError
try:
    with record_attention("gpt2"):
        pass
except CaptureError as error:
    print(error)
with record_attention(model.network) as record:
    model.run(model.encode("Who listens to whom?"))
for wrong in ([0, 1], "0", 1.5, True):
    try:
        record[0].weights(wrong)
    except CaptureError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def printed(weights) -> list[str]:  # noqa: F811
    """The lines that one process prints, which both tests share: to import torch takes most of its time."""
    command = [sys.executable, "-c", PROGRAM, str(weights)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout.splitlines()


def test_the_zoo_and_its_gpt_are_loaded_without_the_large_libraries(printed):
    assert printed[:2] == ["False False"] * 2


def test_what_is_no_model_or_no_number_of_a_head_gets_a_sentence(printed):
    model, *heads = printed[2:]
    assert model == "What is watched is a torch.nn.Module, not 'gpt2': load the model first."
    assert heads == [f"A head is a whole number, not {wrong}." for wrong in ("[0, 1]", "'0'", "1.5", "True")]
