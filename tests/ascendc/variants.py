"""Examples in several variants, emitted as Ascend C, against the emulated core; and one of them without some of
its flags.

ASCENDC_VARIANTS=20 is the long run; ASCENDC_ONLY names examples. ASCENDC_FLAGS=1 takes away each call of a flag,
and then all calls of each flag, and prints how many are noticed."""

import os
import random
import re

from projects import ROOM, ProjectTest, Signature, isCall
from command import ALL, EXAMPLES, in_turn, mine

ONLY = os.environ.get("ASCENDC_ONLY", "").split()
VARIANTS = int(os.environ.get("ASCENDC_VARIANTS", "0"))
FLAGS = "ASCENDC_FLAGS" in os.environ
# Calls of flags that are taken away of an example, but in the long run.
SOME_FLAGS = 4 if ALL else 2


class VariantTest(ProjectTest):
    """What a variant may choose, by directive; what a kernel does not have, or what does not fit, is another
    choice."""

    choices = {}
    # What may be refused of the drawn variants, as a pattern.
    refused = "(?!)"
    # Of the first variants; the others are drawn.
    first = ({},)

    def variants(self, program, count, named, extents):
        """Headers of some variants that are legal for these extents by their names."""
        draw, found = random.Random(program.name), {}
        for attempt in range(20 * count):
            if len(found) == count:
                break
            sets = self.first[attempt] if attempt < len(self.first) else {
                key: draw.choice(values) for key, values in self.choices.items() if draw.random() < 0.4}
            # One core has the most tiles, and so the most that a flag orders; not all variants take one.
            sets = {**sets, "cores": 1} if FLAGS and attempt < 10 * count else sets
            words = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
            project = self.emit(program, *words, *named, exit=None)
            if self.code == 0:
                text = self.header(project).read_text()
                limits = re.findall(r"// assumes +(\w+) of at most (\d+)", text)
                dims = dict(zip(re.findall(r"int64_t (\w+)", re.search(r"_launch\(([^)]*)", text)[1]), extents))
                if all(dims[name] <= int(most) for name, most in limits) and self.takes(program, named, dims):
                    found.setdefault(self.variant, self.header(project))
            elif "this is not written as Ascend C yet" in self.said:
                self.assertRegex(self.said, self.refused)
        return found

    def takes(self, program, named, dims):
        """Whether the variant that was emitted takes these extents, also of images that it loads."""
        self.mmk("run", program, "--variant", self.variant, *self.machine, *ROOM, *named, "--count-only",
                 *(f"{name}={extent}" for name, extent in dims.items()), exit=None)
        self.assertIn(self.code, (0, 2), self.said)
        return self.code == 0

    def check_examples(self, shapes, count):
        """Of each example, "path" or "path:kernel", all extents of a list, the first in two orders of the
        pipes; for a test that is @divided. Of `count` variants every example has one half."""
        for number, (name, all_extents) in mine(list(enumerate(shapes.items()))):
            if not ONLY or name in ONLY:
                with self.subTest(name=name):
                    path, _, kernel = name.partition(":")
                    self.check_example(EXAMPLES / f"{path}.mmk", kernel or None, all_extents, count, number)

    def check_example(self, program, kernel, all_extents, count, number):
        named = ["--kernel", kernel] if kernel else []
        signature = Signature(program.read_text(), kernel)
        found = self.variants(program, VARIANTS or count, named, all_extents[0])
        if VARIANTS:
            print(f"{signature.name}: {len(found)} variants", flush=True)
        else:
            found = dict(in_turn(number, list(found.items())))
        driver, dims = self.driver(list(found.values()), defaults=signature.defaults)
        bound = [d for d in dims if d not in signature.derived]
        for number, variant in enumerate(found):
            self.variant = variant
            for extents in all_extents:
                values = dict(zip(bound, extents))
                numbers = {name: int(text) for name, text in signature.defaults.items() if text.isdigit()}
                for each, text in signature.derived.items():
                    values[each] = eval(text.replace("/", "//"), {}, {**numbers, **values})
                raws, expected = self.data(signature, values, words=named)
                orders = ("ahead", "behind") if extents == all_extents[0] else ("7",)
                self.compare(driver, raws, expected, [values[d] for d in dims], number, orders)
                if number == 0 and extents == all_extents[0]:
                    self.check_flags(driver, raws, expected, [values[d] for d in dims], named)

    def check_flags(self, driver, raws, expected, extents, named):
        names = self.flags(driver, raws, expected, extents)
        calls = [name for name in names if isCall(name)]
        whole = [name for name in names if not isCall(name)] if FLAGS else []
        if not FLAGS:
            calls = random.Random(self.program.name).sample(calls, min(SOME_FLAGS, len(calls)))
        self.assertEqual([], self.redundant(driver, raws, expected, extents, calls))
        unseen = self.redundant(driver, raws, expected, extents, whole)
        needless = [name for name in unseen if self.isNeedless(name, "--variant", self.variant, *named)]
        self.assertEqual([], needless)
        if FLAGS:
            print(f"{self.program.name}: of {len(calls)} calls all, of {len(whole)} flags all but {unseen}", flush=True)
