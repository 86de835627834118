#!/usr/bin/env python3
"""The default variant against the best that a search finds, for the kernels of kernels.py.

    choice.py MMK [--machine NAME] [--effort quick|full] [--budget N] [--only TEXT] [--write]

Prints a row for each kernel and machine: the counted times, their ratio, how long the search took.
--write puts the table into docs/choice.md.
"""

import argparse
import json
import math
import subprocess
import tempfile
import time
from pathlib import Path

from kernels import kernels

PAGE = Path(__file__).resolve().parents[2] / "docs/choice.md"
BEGIN, END = "<!-- The table: bench/choice/choice.py --write -->", "<!-- End of the table -->"


def tuned(mmk, text, dims, machine, options):
    """The default and the best of a search, in microseconds, and the seconds that it took; nothing
    where the machine does not multiply the type."""
    with tempfile.NamedTemporaryFile("w", suffix=".mmk") as file:
        file.write(text)
        file.flush()
        words = [mmk, "tune", file.name, *(f"{name}={value}" for name, value in dims.items()),
                 "--machine", machine, "--check", "none", "--no-cache", "--json", "-", *options]
        start = time.monotonic()
        done = subprocess.run(words, capture_output=True, text=True)
        seconds = time.monotonic() - start
    if "has no cube instruction" in done.stderr + done.stdout:
        return None
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}\n{text}\n{done.stdout}{done.stderr}")
    case = json.loads(done.stdout)[0]
    return case["default"], case["best"], seconds


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def rows_of(arguments, machine):
    """(title, shape, default us, best us) of each kernel."""
    options = ["--effort", arguments.effort]
    if arguments.budget:
        options += ["--budget", arguments.budget]
    for title, text, dims in kernels():
        if arguments.only not in title:
            continue
        shape = " ".join(f"{name}={value}" for name, value in dims.items())
        measured = tuned(arguments.mmk, text, dims, machine, options)
        if measured is None:
            print(f"     -  {machine}  {title}: the machine does not multiply its type", flush=True)
            continue
        default, best, seconds = measured
        ratio = default["time_us"] / best["time_us"]
        print(f"{ratio:6.3f} {default['time_us']:10.2f} us  {seconds:5.1f} s  {machine}  {title}  "
              f"{shape}", flush=True)
        if ratio > 1.05:
            print(f"         {default['variant']}\n         {best['variant']}", flush=True)
        yield title, shape, default["time_us"], best["time_us"]


def table(rows_by_machine):
    text = "| machine | kernels | geometric mean | worst | above 1.05 |\n|---|---|---|---|---|\n"
    for machine, rows in rows_by_machine.items():
        ratios = [default / best for _, _, default, best in rows]
        text += (f"| {machine} | {len(rows)} | {geometric_mean(ratios):.3f} | {max(ratios):.3f} | "
                 f"{sum(ratio > 1.05 for ratio in ratios)} |\n")
    for machine, rows in rows_by_machine.items():
        text += (f"\n## {machine}\n\n| kernel | shape | default us | best known us | ratio |\n"
                 "|---|---|---|---|---|\n")
        for title, shape, default, best in rows:
            text += f"| {title} | {shape} | {default:.2f} | {best:.2f} | {default / best:.3f} |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mmk")
    parser.add_argument("--machine", action="append")
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--budget")
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    rows_by_machine = {}
    for machine in arguments.machine or ["ascend910b1", "ascend910b3", "ascend310p3"]:
        rows = rows_by_machine[machine] = list(rows_of(arguments, machine))
        ratios = [default / best for _, _, default, best in rows]
        print(f"{machine}: geometric mean {geometric_mean(ratios):.4f}, worst {max(ratios):.3f}, "
              f"above 1.05: {sum(ratio > 1.05 for ratio in ratios)} of {len(ratios)}", flush=True)
    if arguments.write:
        page = PAGE.read_text()
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n\n{table(rows_by_machine)}\n{END}{after}")


if __name__ == "__main__":
    main()
