#!/usr/bin/env python3
"""Two builds of mmk, timed alternately on this computer: what one costs or gains against the other.

  pairs.py OLD NEW [cpu|compile|start|count ...] [--rounds N] [--threads N] [--seconds S]

  cpu      products with bias and leaky relu on the CPU: the shapes of docs/bench.md in four types
  compile  a variant compiled with an empty cache, for the CPU and for an emulated machine
  start    the smallest command
  count    cycles of S1 and of 8192^3 counted

Each row runs OLD and NEW alternately, in both orders; its ratio is the median over rounds of
new speed / old speed for `cpu`, and of new time / old time elsewhere. Both run on the same data
with the same options; OLD and NEW are paths of the command."""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SHAPES = [(0, 2048, 2048, 2048), (0, 4096, 1024, 4096), (0, 1024, 512, 1024), (0, 512, 128, 512),
          (0, 1000, 1000, 1000), (0, 127, 129, 131), (0, 64, 64, 64), (0, 32, 32, 32),
          (0, 16, 4096, 4096), (0, 1, 4096, 4096), (0, 4096, 64, 4096), (0, 8192, 256, 64),
          (64, 128, 128, 128)]
TYPES = ["f32", "f16", "bf16", "i8"]


def kernel_text(element, batched):
    batch = "B, " if batched else ""
    bias = "i32" if element == "i8" else "f32"
    result = "acc" if element == "i8" else "leaky_relu(acc + bias, alpha)"
    inputs = "" if element == "i8" else f"bias: {bias}[N], alpha: f32 = 0.001"
    return (f"kernel product(a: {element}[{batch}M, K], b: {element}[{batch}K, N]"
            f"{', ' + inputs if inputs else ''}) -> c: {'i32' if element == 'i8' else 'f32'}"
            f"[{batch}M, N] {{\n  let acc = a @ b;\n  c = {result};\n}}\n")


class Pair:
    def __init__(self, arguments, folder):
        self.builds = [arguments.old, arguments.new]
        self.arguments, self.folder = arguments, folder

    def environment(self, cache):
        return dict(os.environ, MMK_CACHE_DIR=str(self.folder / cache))

    def seconds(self, build, words, cache):
        start = time.perf_counter()
        subprocess.run([build, *words], check=True, capture_output=True,
                       env=self.environment(cache))
        return time.perf_counter() - start

    def kernel_ms(self, build, words):
        done = subprocess.run(
            [build, "bench", *words, "--machine", "host", "--threads", str(self.arguments.threads),
             "--no-command", "--no-check", "--seconds", str(self.arguments.seconds), "--json", "-"],
            check=True, capture_output=True, text=True,
            env=self.environment(f"cache{self.builds.index(build)}"))
        # The fastest samples: the others were disturbed.
        samples = sorted(json.loads(done.stdout)[0]["kernel_ms"]["samples"])
        return statistics.median(samples[: max(1, len(samples) // 4)])

    def row(self, name, measure, speed=False):
        """Prints and returns the median ratio of a row."""
        ratios = []
        for turn in range(self.arguments.rounds):
            order = self.builds if turn % 2 == 0 else self.builds[::-1]
            times = {build: measure(build) for build in order}
            old, new = times[self.builds[0]], times[self.builds[1]]
            ratios.append(old / new if speed else new / old)
        ratio = statistics.median(ratios)
        print(f"{name:32} {ratio:6.3f}   {min(ratios):.3f} to {max(ratios):.3f}", flush=True)
        return ratio


def cpu(pair):
    for element in TYPES:
        for batch, m, n, k in SHAPES:
            path = pair.folder / f"{element}{'_batch' if batch else ''}.mmk"
            path.write_text(kernel_text(element, batch))
            words = [str(path), f"M={m}", f"N={n}", f"K={k}"] + ([f"B={batch}"] if batch else [])
            name = f"{element} {f'{batch}x' if batch else ''}{m}x{n}x{k}"
            yield pair.row(name, lambda build: pair.kernel_ms(build, words), speed=True)


def compile_time(pair):
    def cold(build, words):
        with tempfile.TemporaryDirectory(dir=pair.folder) as cache:
            return pair.seconds(build, words, cache)

    for machine in ["host", "ascend910b3", "ascend310p3"]:
        for name in ["matmul", "matmul_bias_leakyrelu", "matmul_bias_gelu"]:
            words = ["run", str(EXAMPLES / f"{name}.mmk"), "M=32", "N=32", "K=32", "--machine",
                     machine]
            yield pair.row(f"compile {name} {machine}", lambda build: cold(build, words))


def start(pair):
    for words in [["--version"], ["check", str(EXAMPLES / "matmul.mmk")]]:
        yield pair.row("start " + words[0],
                       lambda build: sum(pair.seconds(build, words, "start") for _ in range(10)))


def count(pair):
    for size in [2048, 8192]:
        words = ["run", str(EXAMPLES / "matmul_bias_leakyrelu.mmk"), f"M={size}", f"N={size}",
                 f"K={size}", "--count-only"]
        yield pair.row(f"count {size}^3", lambda build: sum(pair.seconds(build, words, "count")
                                                            for _ in range(5)))


PARTS = {"cpu": cpu, "compile": compile_time, "start": start, "count": count}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old", type=os.path.abspath)
    parser.add_argument("new", type=os.path.abspath)
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(arguments, pathlib.Path(folder))
        for part in arguments.parts:
            ratios = list(PARTS[part](pair))
            mean = math.exp(statistics.fmean(map(math.log, ratios)))
            print(f"{part}: geometric mean {mean:.3f}, least {min(ratios):.3f}, most "
                  f"{max(ratios):.3f} of {len(ratios)}\n", flush=True)


main()
