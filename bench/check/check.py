#!/usr/bin/env python3
"""Looks for false alarms of the check: runs kernels whose results are right, on all kinds of data, and
writes what the check said of them as tables.

  check.py MMK examples [--machine NAME ...] [--data KIND ...]
                         every case of examples/, each dimension doubled, by its own `check`
  check.py MMK shapes [--count N] [--seed N] [--machine NAME ...]
                         random kernels and shapes, up to K = 1000000, with rtol = 0 and atol = 0: the
                         bound of the rounding errors alone
  check.py MMK named     the products that a check without that bound called wrong
  check.py --mistakes REFERENCE_TEST
                         the table of planted mistakes, of the unit test that plants them

With --write the table replaces its older one in docs/check.md.

The exit code is 1 when there was a false alarm. A case that needs more memory than is free, or whose
products take more than --operations multiplications, is counted as left out."""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = ["uniform", "integers", "normal", "special"]
DEEPEST = 1_000_000
PAGE = ROOT / "docs" / "check.md"
FIRST = {"examples": "example", "shapes": "data", "named": "product, data"}

# Bodies of a product of M x K by K x N: (parameters, result type, text). {t} is the type of the operands.
FLOAT_BODIES = [
    ("", "f32", "c = a @ b;"),
    ("", "f16", "c = a @ b;"),
    ("", "bf16", "c = a @ b;"),
    (", r: f32[N]", "f32", "c = relu(a @ b + r);"),
    (", r: f32[N]", "f16", "c = leaky_relu(a @ b + r, 0.01);"),
    (", r: f32[N]", "f32", "c = gelu(a @ b + r);"),
    (", r: f32[N]", "f16", "c = silu(a @ b * 0.05 + r);"),
    (", r: f32[N]", "f32", "c = tanh((a @ b) / 64) * r;"),
    (", r: f32[N]", "f32", "c = softplus(a @ b) + mish(r);"),
    (", r: f32[N]", "i8", "c = (a @ b) * 0.125 + r;"),
    (", r: f32[M, N]", "f32", "c = select(a @ b > r, a @ b, floor(r));"),
    (", r: f32[M, N]", "f16", "c = sigmoid(a @ b) * r + exp(-abs(a @ b));"),
    (", r: f32[M, 1]", "f32", "c = hardswish(a @ b - r) / (1 + abs(r));"),
    (", r: f32[M, N]", "f32", "c = sqrt(abs(a @ b)) + log(1 + abs(r));"),
    (", w: {t}[N, 24]", "f32", "let h = cast<{t}>(gelu((a @ b) * 0.02)); c = h @ w;"),
    (", w: {t}[N, 40]", "f16", "let h = cast<{t}>(relu(a @ b)); c = relu(h @ w);"),
]
INTEGER_BODIES = [
    ("", "i32", "c = a @ b;"),
    (", r: f32[N]", "f16", "c = (a @ b) * r / 16384;"),
    (", r: f32[N]", "f32", "c = gelu((a @ b) * 0.001 + r);"),
]


class Tally:
    def __init__(self):
        self.runs = self.elements = self.wrong = self.sampled = self.unexplained = self.left_out = 0
        self.alarms = []

    def add(self, name, reports):
        if reports is None:
            self.left_out += 1
            return
        for report in reports:
            check = report["check"]
            self.runs += 1
            for field in ("elements", "wrong", "sampled", "unexplained"):
                setattr(self, field, getattr(self, field) + check[field])
            if not check["passed"] or check["wrong"]:
                self.alarms.append(f"{name} {report['case']} {report['dims']}")

    def cells(self):
        return (f"{self.runs} | {self.elements:.3g} | {self.wrong} | {self.unexplained} of "
                f"{self.sampled} | {len(self.alarms)}")


HEAD = ["runs | elements | wrong | unexplained | false alarms", "---|---|---|---|---"]


def run(mmk, words):
    """The report of `mmk run`; None when there is too little memory. Another failure ends the sweep."""
    result = subprocess.run([mmk, "run", *words, "--json", "-", "--no-cache"], capture_output=True,
                            text=True)
    if result.returncode in (0, 1) and result.stdout.startswith("["):
        return json.loads(result.stdout)
    if "of memory" in result.stderr:
        return None
    sys.exit(f"{' '.join(map(str, words))}: {result.stderr}")


def cases_of(file):
    text = re.sub(r"//.*", "", file.read_text())
    for name, body in re.findall(r"\bcase\s+(\w+)\s*\{(.*?)\}", text):
        yield name, dict(re.findall(r"(\w+)\s*=\s*([^;\s]+)\s*;", body))


def doubled(bindings):
    return [f"{name}={2 * int(value) if name[0].isupper() else value}" for name, value in bindings.items()]


def examples(arguments):
    tallies = []
    for file in sorted((ROOT / "examples").glob("*.mmk")):
        for machine in arguments.machine:
            tally = Tally()
            for name, bindings in cases_of(file):
                for kind in arguments.data:
                    words = [file, *doubled(bindings), "--data", kind, "--machine", machine]
                    tally.add(f"{file.name} {name} {kind} {machine}", run(arguments.mmk, words))
            tallies.append((f"{file.stem} | {machine}", tally))
            print("| " + tallies[-1][0] + " | " + tally.cells() + " |", flush=True)
    return tallies


def log_uniform(draw, low, high):
    return round(low * (high / low) ** draw.random())


def draw_shape(draw, operations):
    """Every tenth at the largest depth; M and N as the work allows."""
    k = DEEPEST if draw.random() < 0.1 else log_uniform(draw, 1, DEEPEST)
    most = max(2, operations / k)
    m = log_uniform(draw, 1, min(most, 2000))
    return m, log_uniform(draw, 1, max(1, min(most / m, 2000))), k


def shapes(arguments):
    draw = random.Random(arguments.seed)
    tallies = {(kind, machine): Tally() for kind in arguments.data for machine in arguments.machine}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "drawn.mmk"
        for number in range(arguments.count):
            element = draw.choice(["f16", "f16", "bf16", "f32", "i8"])
            parameters, result, body = draw.choice(INTEGER_BODIES if element == "i8" else FLOAT_BODIES)
            m, n, k = draw_shape(draw, arguments.operations)
            columns = re.search(r"w: .*\[N, (\d+)\]", parameters)
            nested = columns is not None
            if nested:
                m, n = min(m, 64), min(n, 64)
            text = (f"kernel drawn(a: {{t}}[M, K], b: {{t}}[K, N]{parameters}) -> c: {result}"
                    f"[M, {columns[1] if nested else 'N'}] {{{{ {body} check {{{{ rtol = 0; atol = 0; }}}} }}}}")
            file.write_text(text.format(t=element))
            for (kind, machine), tally in tallies.items():
                words = [file, f"M={m}", f"N={n}", f"K={k}", "--data", kind, "--machine", machine,
                         "--seed", str(number + 1)]
                before = len(tally.alarms)
                tally.add(f"{kind} {machine} {file.read_text()}", run(arguments.mmk, words))
                if len(tally.alarms) > before:
                    print("false alarm:", tally.alarms[-1], "seed", number + 1, flush=True)
    return [(f"{kind} | {machine}", tally) for (kind, machine), tally in tallies.items()]


NAMED = [(["--case", "S1"], "normal", "ascend910b3"), (["M=8192", "N=8192", "K=8192"], "uniform", "host"),
         (["M=64", "N=64", "K=40000"], "uniform", "ascend910b3"),
         (["M=64", "N=64", "K=1000000"], "uniform", "host")]


def named(arguments):
    tallies = []
    for words, kind, machine in NAMED:
        tally = Tally()
        file = ROOT / "examples" / "matmul.mmk"
        tally.add(" ".join(words), run(arguments.mmk, [file, *words, "--data", kind, "--machine", machine]))
        tallies.append((f"matmul {' '.join(words)}, {kind} | {machine}", tally))
    tally = Tally()
    tally.add("batches", run(arguments.mmk, [ROOT / "examples" / "batched_matmul.mmk", "--data", "special"]))
    return tallies + [("batched_matmul, all cases, special | ascend910b3", tally)]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("mmk", nargs="?")
    parser.add_argument("what", nargs="?", choices=["examples", "shapes", "named"])
    parser.add_argument("--machine", action="append")
    parser.add_argument("--data", action="append", choices=KINDS)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--operations", type=float, default=1e9)
    parser.add_argument("--mistakes")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.mistakes:
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "table.md"
            subprocess.run([arguments.mistakes, "--gtest_filter=Mistakes.EachIsFound"], check=True,
                           stdout=subprocess.DEVNULL, env=dict(os.environ, MMK_MISTAKES_TABLE=str(table)))
            show("mistakes", table.read_text(), arguments.write)
        return
    arguments.machine = arguments.machine or ["ascend910b3", "host"]
    arguments.data = arguments.data or KINDS
    tallies = {"examples": examples, "shapes": shapes, "named": named}[arguments.what](arguments)
    table = f"| {FIRST[arguments.what]} | machine | {HEAD[0]} |\n|---|---|{HEAD[1]}|\n"
    table += "".join(f"| {name} | {tally.cells()} |\n" for name, tally in tallies)
    show(arguments.what, table, arguments.write)
    alarms = [alarm for _, tally in tallies for alarm in tally.alarms]
    left_out = sum(tally.left_out for _, tally in tallies)
    print("\n".join(alarms) + f"\n{len(alarms)} false alarms, {left_out} left out")
    sys.exit(bool(alarms))


def show(what, table, writes):
    print(table, end="")
    if writes:
        begin, end = f"<!-- bench/check/check.py: {what} -->\n", "<!-- end -->"
        text = PAGE.read_text()
        before, rest = text.split(begin)
        PAGE.write_text(before + begin + table + end + rest.split(end, 1)[1])


if __name__ == "__main__":
    main()
