#!/usr/bin/env python3
"""How long mmk-lsp takes to answer on a text of 1000 lines, while it also lowers and counts.

    bench/lsp/latency.py MMK_LSP [ANSWERS]

The text is the kernels of examples/attention/attention_backward.mmk, again and again under other names.
An edit is timed to its messages, a request to its answer."""

import os
import pathlib
import random
import re
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["MMK_LSP"] = sys.argv[1]
sys.path.insert(0, str(ROOT / "tests" / "lsp"))
from client import Client, URI  # noqa: E402

LINES = 1000
ANSWERS = int(sys.argv[2]) if len(sys.argv) > 2 else 200


def large_text():
    kernels = re.findall(r"^kernel .*?^}\n", (ROOT / "examples/attention/attention_backward.mmk").read_text(),
                         re.MULTILINE | re.DOTALL)
    text, number = "", 0
    while text.count("\n") < LINES:
        kernel = kernels[number % len(kernels)]
        text += re.sub(r"^kernel (\w+)", rf"kernel \1_{number}", kernel) + "\n"
        number += 1
    return text


def main():
    text, draw = large_text(), random.Random(1)
    lines = text.split("\n")
    client = Client(lower=True)
    client.open(text)
    names = [(row, match.start()) for row, line in enumerate(lines) for match in re.finditer(r"\b[a-zA-Z_]\w*", line)]
    kernels = [(row, 7) for row, line in enumerate(lines) if line.startswith("kernel ")]

    def edit():
        row = draw.randrange(len(lines))
        there = {"line": row, "character": 0}
        client.change([{"range": {"start": there, "end": there}, "text": " "}])
        client.change([{"range": {"start": there, "end": {"line": row, "character": 1}}, "text": ""}])

    requests = {
        "messages after an edit": edit,
        "hover": lambda: client.at("hover", draw.choice(names)),
        "hover on a kernel": lambda: client.at("hover", draw.choice(kernels)),
        "definition": lambda: client.at("definition", draw.choice(names)),
        "completion": lambda: client.at("completion", draw.choice(names)),
        "rename": lambda: client.at("rename", draw.choice(kernels), newName="renamed"),
        "formatting": lambda: client.of("formatting", options={}),
        "symbols": lambda: client.of("documentSymbol"),
        "lenses": lambda: client.of("codeLens"),
    }
    print(f"{len(lines)} lines, {ANSWERS} answers each, in ms\n{'':24} median     99 %  largest")
    for name, request in requests.items():
        times = []
        for _ in range(ANSWERS):
            begin = time.perf_counter()
            request()
            times.append(1e3 * (time.perf_counter() - begin) / (2 if request is edit else 1))
        times.sort()
        print(f"{name:24} {statistics.median(times):6.2f}   {times[int(0.99 * len(times))]:6.2f}   {times[-1]:6.2f}")
    client.end()


if __name__ == "__main__":
    main()
