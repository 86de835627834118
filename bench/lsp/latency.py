#!/usr/bin/env python3
"""How long mmk-lsp takes to answer on a text of 1000 lines, while it also lowers and counts.

    bench/lsp/latency.py MMK_LSP [ANSWERS]

The text is the kernels of examples/attention/attention_backward.mmk, again and again under other names.
An edit is timed to its messages, a request to its answer: by the clock, and by the time that the thread that
answers has run, which other work on the computer does not lengthen."""

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
    thread = pathlib.Path(f"/proc/{client.process.pid}/task/{client.process.pid}/schedstat")

    def ran():
        """Seconds that the thread has run."""
        return int(thread.read_text().split()[0]) / 1e9

    print(f"{len(lines)} lines, {ANSWERS} answers each, in ms\n{'':24}  clock: median    99 %   thread: median    99 %")
    for name, request in requests.items():
        clock, of_thread = [], []
        for _ in range(ANSWERS):
            begin, begin_ran = time.perf_counter(), ran()
            request()
            times = time.perf_counter() - begin, ran() - begin_ran
            clock.append(1e3 * times[0] / (2 if request is edit else 1))
            of_thread.append(1e3 * times[1] / (2 if request is edit else 1))

        def row(times):
            return f"{statistics.median(times):6.2f}  {sorted(times)[int(0.99 * len(times))]:6.2f}"
        print(f"{name:24}         {row(clock)}           {row(of_thread)}")
    client.end()


if __name__ == "__main__":
    main()
