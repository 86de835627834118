#!/usr/bin/env python3
"""The default variant and a quick search against the best known, for the kernels of kernels.py.

    choice.py MMK --results FILE [--set products|examples|convolutions] [--machine NAME] [--draws N] [--seed N]
              [--only TEXT|TEXT..] [--write]

The best known is the best of the default, of the quick search, of N random variants of everything
that is legal, and for ten kernels of all variants of a grid. Each measurement is a line of FILE,
so that a run that was ended goes on, and measurements with other N, seeds and searches add to it; what
depends on the compiler starts with an empty file. --write puts the table into docs/choice.md.
"""

import argparse
import json
import math
import subprocess
import tempfile
import time
from pathlib import Path

from kernels import SETS

PAGE = Path(__file__).resolve().parents[2] / "docs/choice.md"
BEGIN = {"products": "<!-- The table: bench/choice/choice.py --write -->",
         "examples": "<!-- Examples: bench/choice/choice.py --set examples --write -->",
         "convolutions": "<!-- Convolutions: bench/choice/choice.py --set convolutions --write -->"}
END = "<!-- End of the table -->"
MACHINES = ["ascend910b1", "ascend910b3", "ascend310p3"]

# Every kind of product once, small and large.
EXHAUSTIVE = [0, 5, 11, 14, 16, 20, 32, 36, 43, 46]
TILES = "16,32,48,64,96,128,192,256,384,512"
GRID = {
    "tile.M": TILES, "tile.N": TILES, "tile.K": "16,32,64,128,256", "tile.H": "32,64,128",
    "stage.K": "64,128,256,512,1024", "stage.H": "64,128,256,512",
    "grid.K": "1,2,4,8,16", "grid.H": "1,4",
    "buffers.l1": "2,3", "buffers.l0": "2", "buffers.acc": "1,2", "buffers.out": "2",
    "buffers.ub": "2", "order": "rows,columns,swizzle(4)", "skew": "none,stages",
    "store": "after,overlapped",
}


def tune(mmk, text, dims, machine, options):
    """The first case of a search, with the seconds that it took; nothing where the machine does not
    multiply the type, or where no variant that was drawn is legal."""
    with tempfile.NamedTemporaryFile("w", suffix=".mmk") as file:
        file.write(text)
        file.flush()
        words = [mmk, "tune", file.name, *(f"{name}={value}" for name, value in dims.items()),
                 "--machine", machine, "--check", "none", "--no-cache", "--threads", "1",
                 "--json", "-", *options]
        start = time.monotonic()
        done = subprocess.run(words, capture_output=True, text=True)
        seconds = time.monotonic() - start
    if any(reason in done.stderr + done.stdout for reason in
           ("has no cube instruction", "none of these variants is legal")):
        return None
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}\n{text}\n{done.stdout}{done.stderr}")
    case = json.loads(done.stdout)[0]
    if "default" not in case:  # drawn variants alone
        return None
    search = case["search"]
    return {"default": case["default"]["cycles"], "default_us": case["default"]["time_us"],
            "default_variant": case["default"]["variant"], "best": case["best"]["cycles"],
            "best_variant": case["best"]["variant"], "seconds": round(seconds, 2),
            "counted": search["counted"], "bounded": search["bounded"],
            "refused": search["refused"]}


def sweeps(dims):
    """The grid, as options: of the dimensions of a product."""
    options = []
    for key, words in GRID.items():
        name = key.partition(".")[2]
        if key.startswith(("tile", "stage", "grid")) and name not in dims:
            continue
        options += ["--sweep", f"{key}={words}"]
    return options


def searches(arguments, number, dims):
    """The name of each search of a kernel, and its options."""
    found = {"quick": ["--effort", "quick"],
             f"random {arguments.draws} {arguments.seed}": [
                 "--effort", "random", "--budget", str(arguments.draws), "--seed",
                 str(arguments.seed)]}
    if arguments.set == "products" and number in EXHAUSTIVE:
        found["grid"] = ["--effort", "full", *sweeps(dims)]
    return found


def measure(arguments, known, file):
    """Measures what the file does not have yet."""
    for number, (title, text, dims) in enumerate(SETS[arguments.set]()):
        for machine in arguments.machine or MACHINES:
            for search, options in searches(arguments, number, dims).items():
                key = (machine, number, search)
                if key in known or not any(word in title for word in arguments.only.split("|")) or \
                        search.split()[0] not in arguments.search:
                    continue
                known[key] = tune(arguments.mmk, text, dims, machine, options)
                file.write(json.dumps([*key, known[key]]) + "\n")
                file.flush()
                show(title, dims, key, known[key])


def show(title, dims, key, found):
    machine, number, search = key
    if found is None:
        print(f"     -  {machine}  {title}: the machine does not multiply its type", flush=True)
        return
    ratio = found["default"] / found["best"]
    print(f"{ratio:6.3f} {found['default_us']:10.2f} us  {found['seconds']:6.1f} s  "
          f"{found['counted']:6} counted {found['bounded']:6} bounded  {machine}  {number} {search}  "
          f"{title}  {' '.join(f'{name}={value}' for name, value in dims.items())}", flush=True)
    if ratio > 1.05:
        print(f"         {found['default_variant']}\n         {found['best_variant']}", flush=True)


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


class Row:
    """A kernel on a machine: the cycles of its default, of the quick search, of the best known."""

    def __init__(self, title, dims, found):
        self.title = title
        self.shape = " ".join(f"{name}={value}" for name, value in dims.items())
        self.tuned = found["quick"]
        self.us = self.tuned["default_us"]
        self.default = self.tuned["default"]
        self.best = min(each["best"] for each in found.values())
        self.counted = sum(each["counted"] for each in found.values())
        self.bounded = sum(each["bounded"] for each in found.values())
        draws = max((int(search.split()[1]) for search in found if search.startswith("random")),
                    default=0)
        self.by = (f"{draws} draws" if draws else "quick search") + (", grid" if "grid" in found else "")

    def microseconds(self, cycles):
        return self.us * cycles / self.default


def rows_of(known, machine, kernels):
    rows = []
    for number, (title, _, dims) in enumerate(kernels):
        found = {key[2]: value for key, value in known.items()
                 if key[:2] == (machine, number) and value}
        if "quick" in found:
            rows.append(Row(title, dims, found))
    return rows


def summary(rows, part):
    ratios = [part(row) / row.best for row in rows]
    return geometric_mean(ratios), max(ratios), sum(ratio > 1.05 for ratio in ratios)


def table(rows_by_machine):
    text = ("| machine | kernels | default: geometric mean | worst | above 1.05 | quick search: "
            "geometric mean | worst | counted | bounded |\n" + "|---" * 9 + "|\n")
    for machine, rows in rows_by_machine.items():
        mean, worst, above = summary(rows, lambda row: row.default)
        tuned, tuned_worst, _ = summary(rows, lambda row: row.tuned["best"])
        text += (f"| {machine} | {len(rows)} | {mean:.3f} | {worst:.3f} | {above} | {tuned:.3f} | "
                 f"{tuned_worst:.3f} | {sum(row.counted for row in rows)} | "
                 f"{sum(row.bounded for row in rows)} |\n")
    for machine, rows in rows_by_machine.items():
        text += (f"\n## {machine}\n\n| kernel | shape | default us | quick search us | best known us "
                 "| default / best | quick / best | searched |\n" + "|---" * 8 + "|\n")
        for row in rows:
            quick = row.tuned["best"]
            text += (f"| {row.title} | {row.shape} | {row.us:.2f} | {row.microseconds(quick):.2f} | "
                     f"{row.microseconds(row.best):.2f} | {row.default / row.best:.3f} | "
                     f"{quick / row.best:.3f} | {row.by} |\n")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mmk")
    parser.add_argument("--results", required=True)
    parser.add_argument("--set", choices=SETS, default="products")
    parser.add_argument("--machine", action="append")
    parser.add_argument("--search", default="quick,random,grid")
    parser.add_argument("--draws", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    arguments.search = arguments.search.split(",")
    path = Path(arguments.results)
    known = {}
    if path.exists():
        for line in path.read_text().splitlines():
            machine, number, search, found = json.loads(line)
            known[machine, number, search] = found
    with path.open("a") as file:
        measure(arguments, known, file)
    rows_by_machine = {}
    for machine in arguments.machine or MACHINES:
        rows = rows_by_machine[machine] = rows_of(known, machine, SETS[arguments.set]())
        for name, part in [("default", lambda row: row.default),
                           ("quick search", lambda row: row.tuned["best"])]:
            mean, worst, above = summary(rows, part)
            print(f"{machine}: {name}: geometric mean {mean:.4f}, worst {worst:.3f}, "
                  f"above 1.05: {above} of {len(rows)}")
        print(f"{machine}: the quick search takes at most "
              f"{max(row.tuned['seconds'] for row in rows):.1f} s")
    if arguments.write:
        begin = BEGIN[arguments.set]
        before, rest = PAGE.read_text().split(begin)
        PAGE.write_text(f"{before}{begin}\n\n{table(rows_by_machine)}\n{END}{rest.split(END, 1)[1]}")


if __name__ == "__main__":
    main()
