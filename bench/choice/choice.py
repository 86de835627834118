#!/usr/bin/env python3
"""The default variant against the best that a search finds, for the kernels of kernels.py.

    choice.py MMK [--machine NAME] [--effort quick|full] [--only TEXT] [--budget N]

Prints a row for each kernel and machine: counted times, their ratio, how long the search took.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kernels import kernels


def tuned(mmk, text, dims, machine, options):
    """The default and the best of a search, in microseconds, and the seconds that it took."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mmk")
    parser.add_argument("--machine", action="append")
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--budget")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    options = ["--effort", arguments.effort]
    if arguments.budget:
        options += ["--budget", arguments.budget]
    ratios = []
    for machine in arguments.machine or ["ascend910b1", "ascend910b3", "ascend310p3"]:
        for title, text, dims in kernels():
            if arguments.only not in title:
                continue
            measured = tuned(arguments.mmk, text, dims, machine, options)
            if measured is None:
                print(f"     - {machine}  {title}: the machine does not multiply its type", flush=True)
                continue
            default, best, seconds = measured
            ratio = default["time_us"] / best["time_us"]
            ratios.append(ratio)
            shape = " ".join(f"{name}={value}" for name, value in dims.items())
            print(f"{ratio:6.3f} {default['time_us']:10.2f} us  {seconds:5.1f} s  {machine}  {title}  {shape}",
                  flush=True)
            if ratio > 1.03:
                print(f"         {default['variant']}\n         {best['variant']}", flush=True)
    print(f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.4f}, "
          f"worst {max(ratios):.3f}, above 1.05: {sum(r > 1.05 for r in ratios)} of {len(ratios)}")


if __name__ == "__main__":
    main()
