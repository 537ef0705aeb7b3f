"""A picture that hangs, crashes or wants all memory costs one sentence, and nothing else."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image

from benchmarks.hostile.pictures import hungry_tiff, saved, slow_ppm
from benchmarks.measure import peak_of
from benchmarks.pictures import largest
from core.errors import InputError
from core.images import decoder_pool, open_picture
from core.images.decoder import ANSWER
from core.images.decoder_pool import Decoder, Pool
from tests.polling import wait_until

ROOT = Path(__file__).parent.parent.parent
SMALL = saved(Image.new("RGB", (9, 9), "red"))
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc, and memory is limited on Linux only")


@pytest.fixture
def decoder():
    one = Decoder()
    yield one
    one.end()


@pytest.fixture
def pool(monkeypatch):
    """A pool of one, and the decoders that it has had."""
    had: list[Decoder] = []
    monkeypatch.setattr(decoder_pool, "_start_decoder", lambda: had.append(Decoder()) or had[-1])
    yield Pool(1), had
    for one in had:
        one.end()


def test_a_picture_that_takes_too_long_is_given_up_and_the_next_one_is_read(pool):
    """The file is small, and breaks no rule: Pillow needs about a minute for it."""
    pool, had = pool
    with pytest.raises(InputError, match="more than 3 seconds: it was given up"):
        pool.decode(slow_ppm())
    assert had[0].process.poll() is not None
    assert pool.decode(SMALL).size == (9, 9)


def test_a_decoder_that_only_waits_is_ended_by_the_clock(decoder):
    os.kill(decoder.process.pid, signal.SIGSTOP)  # it computes nothing from now on, so its own limit is never reached
    began = time.monotonic()
    with pytest.raises(InputError, match="it was given up"):
        decoder.decode(SMALL, deadline=0.5)
    assert time.monotonic() - began < 30
    assert decoder.process.poll() is not None


def test_a_decoder_that_crashes_takes_nobody_with_it(pool):
    pool, had = pool
    pool.start()
    crash = threading.Timer(0.5, lambda: os.kill(had[0].process.pid, signal.SIGSEGV))
    crash.start()
    with pytest.raises(InputError, match="broke down over this picture"):
        pool.decode(slow_ppm())
    assert pool.decode(SMALL).size == (9, 9)
    assert len(had) == 2


def test_a_decoder_that_died_while_nobody_needed_it_is_replaced(pool):
    pool, had = pool
    pool.start()
    had[0].end()
    assert pool.decode(SMALL).size == (9, 9)


def test_an_answer_that_was_interrupted_is_not_given_to_the_next_picture(pool, monkeypatch):
    pool, had = pool

    def interrupted(_read):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(decoder_pool, "_read_answer", interrupted)
        with pytest.raises(KeyboardInterrupt):
            pool.decode(saved(Image.new("RGB", (5, 5))))
    assert pool.decode(SMALL).size == (9, 9)
    assert len(had) == 2


@pytest.mark.parametrize("answer", [(True, 2**31, 2**31), (True, 0, 5), (True, 9000, 1), (False, 2**31, 0)])
def test_what_a_decoder_answers_is_not_believed(answer):
    with pytest.raises(ValueError, match="A decoder gives no"):
        decoder_pool._read_answer(BytesIO(ANSWER.pack(*answer)).read)


@LINUX
def test_a_picture_that_needs_too_much_memory_is_a_sentence_and_the_decoder_goes_on(decoder):
    with pytest.raises(InputError, match="more than the 360 MB of memory"):
        decoder.decode(hungry_tiff())
    assert decoder.decode(SMALL).size == (9, 9)
    assert peak_of(decoder.process.pid) < 400e6


@LINUX
@pytest.mark.parametrize("name", [name for name, _ in largest()])
def test_the_largest_picture_of_a_format_takes_at_most_400_megabytes(name, decoder):
    decoder.decode(dict(largest())[name]())
    assert peak_of(decoder.process.pid) < 400e6


def test_eight_visitors_at_once_each_get_their_own_picture():
    pool = Pool(2)

    def try_often(number: int) -> None:
        for repeat in range(10):
            colour = (number * 30, repeat * 25, 7)
            read = pool.decode(saved(Image.new("RGB", (300 + number, 200), colour)))
            assert read.size == (300 + number, 200)
            assert (np.asarray(read) == colour).all()
            with pytest.raises(InputError, match="not a picture"):
                pool.decode(bytes([number]) * 50)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(try_often, range(8)))


def test_whoever_waits_too_long_is_told(monkeypatch):
    monkeypatch.setattr(decoder_pool, "PATIENCE", 0.01)
    with pytest.raises(InputError, match="has waited"):
        Pool(0).decode(SMALL)


def test_where_no_process_can_be_started_a_sentence_says_so_and_the_place_stays(monkeypatch):
    pool = Pool(1)
    with monkeypatch.context() as patch:
        patch.setattr(decoder_pool.sys, "executable", "/no/such/program")
        with pytest.raises(InputError, match="no room now"):
            pool.decode(SMALL)
    assert pool.decode(SMALL).size == (9, 9)


@LINUX
@pytest.mark.parametrize("busy", [False, True])
def test_decoders_end_with_the_process_that_started_them_even_when_it_is_killed(busy):
    work = "decoder.decode(slow_ppm())" if busy else "import signal; signal.pause()"
    program = (
        "from benchmarks.hostile.pictures import saved, slow_ppm; from core.images.decoder_pool import Decoder; "
        "from PIL import Image; decoder = Decoder(); decoder.decode(saved(Image.new('RGB', (9, 9)))); "
        f"print(decoder.process.pid, flush=True); {work}"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    before = processor_seconds(child)
    wait_until(lambda: not busy or processor_seconds(child) > before + 0.1)
    assert is_running(child)
    parent.kill()
    parent.wait()
    wait_until(lambda: not is_running(child))  # a busy one ends when its three seconds are over


def processor_seconds(process: int) -> float:
    return psutil.Process(process).cpu_times().user


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@LINUX
def test_a_decoder_knows_nothing_of_the_servers_secrets(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    decoder = Decoder()
    assert decoder.decode(SMALL).size == (9, 9)
    known = Path(f"/proc/{decoder.process.pid}/environ").read_text()
    decoder.end()
    assert "OPENBLAS_NUM_THREADS" in known
    assert "secret" not in known


def test_a_decoder_loads_neither_torch_nor_streamlit():
    paths = [str(ROOT), *filter(None, sys.path)]
    program = "import sys; sys.path = sys.argv[1:]; import core.images.decoder; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-I", "-S", "-c", program, *paths], text=True).split()
    assert {"numpy", "PIL.Image"} <= set(loaded)
    assert not {"torch", "streamlit", "skimage", "scipy"} & set(loaded)


def test_pictures_are_read_in_a_process_of_their_own():
    """And this one's settings of Pillow stay as they are."""
    before = Image.MAX_IMAGE_PIXELS
    assert open_picture(SMALL).size == (9, 9)
    assert before == Image.MAX_IMAGE_PIXELS


def test_a_module_beside_the_app_that_is_named_as_one_of_python_s_own_does_not_break_the_decoder(tmp_path, monkeypatch):
    """Streamlit puts the folder of the app before all others, and in `dashboard/` there is a `numbers.py`."""
    (tmp_path / "numbers.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert Pool(1).decode(SMALL).size == (9, 9)
