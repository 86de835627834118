"""The examples of the package and of docs/python.md run, and print what is shown."""

import pathlib
import re
import subprocess
import sys
import unittest

from package import EXAMPLES, main

PAGE = EXAMPLES.parent / "docs/python.md"


class ExamplesTest(unittest.TestCase):
    maxDiff = None

    def test_training(self):
        """The network learns, and its losses are those of PyTorch's operators; their digits depend on the CPU."""
        done = subprocess.run([sys.executable, EXAMPLES / "python/train.py"], capture_output=True, text=True,
                              check=True)
        shown = re.search(r"```console\n\$ python3 examples/python/train.py\n(.*?)```", PAGE.read_text(), re.S)[1]
        without = lambda text: re.sub(r"[\d.]+(e[-+]\d+)?%?", "#", text)  # noqa: E731
        self.assertEqual(without(done.stdout), without(shown))
        for first, last, right in re.findall(r"loss ([\d.]+) -> ([\d.]+), (\d+)% right", done.stdout):
            self.assertLess(float(last), 0.2 * float(first))
            self.assertGreaterEqual(int(right), 90)
        self.assertLess(float(re.search(r"at most ([\d.e-]+)", done.stdout)[1]), 1e-4)

    def test_page(self):
        """The first block of the page; the others are parts."""
        block = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S)[1]
        subprocess.run([sys.executable, "-c", block + "\nassert (c == 50).all()"], check=True)


if __name__ == "__main__":
    main()
