"""Many calls: from several threads at once, with results that live and die, without a leak."""

import concurrent.futures
import gc
import pathlib
import threading
import time
import unittest

import numpy
import torch
from package import FUSED, main

import mmk

CALLS = 200_000


def resident():
    """Bytes of memory of this process."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096


class ThreadsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.double = mmk.compile("kernel double(x: f32[N]) -> y: f32[N] { y = 2 * x; }")

    def test_many_calls(self):
        """Of one thread, with arrays of NumPy and of PyTorch, half of them refused."""
        x = numpy.arange(16, dtype=numpy.float32)
        tensor = torch.from_numpy(x)
        out = numpy.empty_like(x)

        def calls(count):
            for i in range(count // 4):
                self.double(x)
                self.double(x, out=out)
                self.double(tensor)
                try:
                    self.double(None)
                except TypeError:
                    pass

        calls(8000)
        gc.collect()
        before = resident()
        calls(CALLS)
        gc.collect()
        # A leak of 16 bytes a call would be 3 MB.
        self.assertLess(resident() - before, 2 << 20)
        numpy.testing.assert_array_equal(out, 2 * x)

    def test_threads(self):
        """Threads share kernels, shapes change, and every result is right."""
        fused = mmk.compile(FUSED)
        wrong = []

        def work(seed):
            random = numpy.random.default_rng(seed)
            for _ in range(300):
                m, n, k = random.integers(1, 40, 3)
                a, b, bias = (random.integers(-3, 4, shape).astype(numpy.float32)
                              for shape in ((m, k), (k, n), (n,)))
                c = a @ b + bias
                if not numpy.array_equal(fused(a, b, bias), numpy.where(c > 0, c, c / 2)):
                    wrong.append((seed, m, n, k))

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        self.assertEqual(wrong, [])

    def test_interpreter_is_released(self):
        """Another thread runs Python while a kernel runs."""
        a = numpy.ones((1200, 1200), numpy.float32)
        fused = mmk.compile(FUSED)
        c = fused(a, a, a[0], threads=1)
        done = threading.Event()

        def call():
            for _ in range(5):
                fused(a, a, a[0], threads=1, out=c)
            done.set()

        thread = threading.Thread(target=call)
        thread.start()
        turns = 0
        while not done.is_set():
            time.sleep(0.0005)
            turns += 1
        thread.join()
        # Five calls of several milliseconds each would be five turns if each kept the interpreter.
        self.assertGreater(turns, 10)


if __name__ == "__main__":
    main()
