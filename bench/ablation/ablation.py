#!/usr/bin/env python3
"""The gain of each change of a schedule, and the hand-written schedule compared with the default:
the tables of docs/ablation.md, counted by `mmk run --count-only`.

    ablation.py MMK            the tables
    ablation.py MMK --check    whether the page has them; exit code 1 when not. With MMK_UPDATE in the
                               environment they are written into it.
"""

import argparse
import difflib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "ablation.md"
KERNEL = "examples/matmul_bias_leakyrelu.mmk"
MACHINE = "ascend910b3"
BEGIN, END = "<!-- The tables: bench/ablation/ablation.py -->\n", "<!-- End of the tables -->\n"

CASES = {"S1": ["--case", "S1"], "S2": ["--case", "S2"]}
OWN_SHAPE = {"1024 x 640 x 256": ["M=1024", "N=640", "K=256"]}

PLAIN = ("cores=20,tile=128x256x64,stage=64,l1=1,l0=1,acc=1,out=1,ub=1,skew=none,store=after,order=rows,"
         "fuse=none")
CHANGES = [
    ("double buffering in L1", "l1=2"),
    ("double buffering in L0A and L0B", "l0=2"),
    ("double buffering in UB", "out=2,ub=2"),
    ("fused epilogue", "fuse=all"),
    ("stages of 4 base tiles in L1", "stage=256"),
    ("overlapped store", "store=overlapped"),
    ("swizzled order", "order=swizzle(4)"),
    ("skewed cores", "skew=stages"),
]
TOGETHER = [("double buffering everywhere", "l1=2,l0=2,out=2,ub=2")]

HAND_WRITTEN = ("cores=1,tile=256x128x64,stage=256,l1=2,l0=2,acc=1,out=1,ub=1,store=after,"
                "order=rows,fuse=all")
READINGS = [
    ("stages of K = 256, L1 single", "l1=1"),
    ("base tiles to L1, L1 doubled", "stage=64"),
    ("base tiles to L1, L1 single", "stage=64,l1=1"),
]
# What it does besides, where L1 has room for it.
KEEPING = [
    ("A kept in L1", "keep=A(256)"),
    ("A kept in L1, bias from the bias table", "keep=A(256),bias=table"),
]
DEFAULTS = [("default, one core", "cores=1"), ("default, all cores", "cores=20")]


def changed(variant, words):
    """The name of a variant with some of its words replaced."""
    choices = dict(word.split("=") for word in variant.split(","))
    choices.update(word.split("=") for word in words.split(","))
    return ",".join(f"{name}={value}" for name, value in choices.items())


class Clock:
    def __init__(self, mmk):
        self.mmk = pathlib.Path(mmk).resolve()

    def count(self, case, variant):
        done = subprocess.run(
            [self.mmk, "run", KERNEL, *case, "--machine", MACHINE, "--variant", variant,
             "--count-only", "--json", "-"], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"ablation.py: mmk refuses {variant}\n{done.stderr}")
        (report,) = json.loads(done.stdout)
        return report["clock"]


def row(name, words, clock, base):
    saved = 100 * (base["time_us"] - clock["time_us"]) / base["time_us"]
    gain = "" if clock is base else f"{saved:+.1f} %"
    pipes = clock["pipes"]
    return (f"| {name} | {words} | {clock['cycles']} | {clock['time_us']:.1f} | {gain} | "
            f"{100 * pipes['cube']['ratio']:.1f} % | {100 * pipes['mte2']['ratio']:.1f} % |\n")


def table(title, first, rows):
    """A table whose gains are over its first row; both are (name, words, clock)."""
    head = "| | | cycles | us | gain | cube | MTE2 |\n|---|---|---|---|---|---|---|\n"
    return f"\n### {title}\n\n{head}" + "".join(row(*each, first[2]) for each in [first, *rows])


def code(words):
    return f"`{words}`"


def alone(clock, case, options):
    rows = [(name, code(words), clock.count(options, changed(PLAIN, words)))
            for name, words in CHANGES + TOGETHER]
    return table(f"{case}: each change alone, from the plain schedule",
                 ("plain", "", clock.count(options, PLAIN)), rows)


def left_out(clock, case, options):
    best = changed(PLAIN, ",".join(words for _, words in CHANGES))
    plain = dict(word.split("=") for word in PLAIN.split(","))
    rows = []
    for name, words in CHANGES + TOGETHER:
        back = ",".join(f"{key}={plain[key]}"
                        for key in (word.split("=")[0] for word in words.split(",")))
        rows.append((f"without {name}", code(back), clock.count(options, changed(best, back))))
    return table(f"{case}: each change taken away from all of them",
                 ("all changes", "", clock.count(options, best)), rows)


def hand_written(clock, case, options):
    readings = READINGS + (KEEPING if case in OWN_SHAPE else [])
    rows = [(f"hand-written, {name}", code(words),
             clock.count(options, changed(HAND_WRITTEN, words))) for name, words in readings]
    rows += [(name, code(words), clock.count(options, words)) for name, words in DEFAULTS]
    return table(f"{case}: the hand-written schedule and the default",
                 ("hand-written, stages of K = 256, L1 doubled", "",
                  clock.count(options, HAND_WRITTEN)), rows)


def tables(clock):
    text = ""
    for make, cases in [(alone, CASES), (left_out, CASES), (hand_written, {**CASES, **OWN_SHAPE})]:
        for case, options in cases.items():
            text += make(clock, case, options)
    return text + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mmk")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    made = tables(Clock(options.mmk))
    if not options.check:
        print(made, end="")
        return 0
    old = PAGE.read_text()
    new = old[:old.index(BEGIN)] + BEGIN + made + old[old.index(END):]
    if os.environ.get("MMK_UPDATE"):
        PAGE.write_text(new)
        return 0
    difference = difflib.unified_diff(old.splitlines(), new.splitlines(), "docs/ablation.md",
                                      "as counted now", lineterm="")
    for line in difference:
        print(line)
    if new != old:
        print("./dev goldens docs/ablation rewrites the page")
    return 1 if new != old else 0


if __name__ == "__main__":
    sys.exit(main())
