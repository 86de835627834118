"""Random kernels of mmk-hunt as Ascend C, with the choices and dimensions of their samples: what is written gives
the bits of the emulated core. ASCENDC_HUNT="500 7" runs so many samples of a seed, and prints what came of them;
a third word names the kernels, as for mmk-hunt."""

import collections
import json
import os
import re
import shlex
import subprocess

from projects import ORDERS, ProjectTest, Signature
from command import LONGEST, main

COUNT, SEED, *KERNELS = os.environ.get("ASCENDC_HUNT", "12 1").split()


class Sample:
    """The text of a kernel, and the words of its command: dimensions and scalars, and choices."""

    def __init__(self, number):
        text = subprocess.run([os.environ["MMK_HUNT"], "--text", str(number), SEED, *KERNELS], capture_output=True,
                              text=True, check=True, timeout=LONGEST).stdout
        self.text, _, line = text.rpartition("mmk run sample.mmk")
        words = shlex.split(line)
        self.values = dict(word.split("=") for before, word in zip(["", *words], words)
                           if not before.startswith("--") and re.fullmatch(r"\w+=[^=]+", word))
        self.choices = [each for at, word in enumerate(words) if word == "--set" for each in words[at:at + 2]]


class HuntTest(ProjectTest):
    machine = ("--machine", os.environ.get("ASCENDC_MACHINE", "ascend910b2"))

    def test_samples(self):
        tally = collections.Counter()
        for number in range(int(COUNT)):
            with self.subTest(number=number, seed=SEED, kernels=KERNELS):
                tally[self.attempt(Sample(number), ORDERS[number % len(ORDERS)])] += 1
        print("\n".join(f"{count:5} {outcome}" for outcome, count in tally.most_common()))
        self.assertGreater(tally["equal"], int(COUNT) // 4)

    def attempt(self, sample, order):
        """What came of a sample: "equal", or why it is refused."""
        signature = Signature(sample.text)
        # Choices that no machine of this kind takes, or that do not fit, are left to the default.
        for choices in (sample.choices, []):
            project = self.emit(sample.text, *choices,
                                *(f"{name}={value}" for name, value in sample.values.items()), exit=None)
            if self.code == 0:
                break
        if self.code != 0:
            unwritten = re.search("not written as Ascend C yet: (.*)", self.said)
            self.assertTrue(unwritten or self.code == 2, self.said)
            return f"not written: {unwritten[1]}" if unwritten else "no legal variant of this machine"
        driver, dims = self.driver([self.header(project)], defaults={**signature.defaults, **sample.values})
        scalars = [f"{name}={sample.values[name]}" for name, _, shape in signature.parameters
                   if not shape and name in sample.values]
        # With those that follow from others, also the merged ones of a product of windows.
        counted = self.mmk("run", self.program, *self.machine, *(f"{name}={value}" for name, value in sample.values.items()),
                           "--count-only", "--no-cache", "--json", "-")
        values = json.loads(counted)[0]["dims"]
        bound = {name: value for name, value in values.items() if name in {**sample.values, **signature.derived}}
        raws, expected = self.data(signature, bound, scalars)
        self.expect_bits(driver, raws, expected, [values[name] for name in dims], order)
        return "equal"


if __name__ == "__main__":
    main()
